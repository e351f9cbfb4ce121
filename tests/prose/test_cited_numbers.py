"""The numbers of equations, theorems and lemmas that a text cites are numbers that its chapter, or the chapter it names, has."""

import re
from pathlib import Path

import pytest
from fairfl_book import book_paths

BOOK = book_paths.find()
CHAPTERS = {name[:2]: BOOK.twin(name) for name in BOOK.names()}
COMPANIONS = {name[:2]: BOOK.twin(name) for name in BOOK.companions()}
TEXTS = [*CHAPTERS.values(), *COMPANIONS.values()]
# Numbers of the papers' own equations stand near these words.
OF_A_PAPER = re.compile(r"\btheir\b|\bthe paper\b|Theorem \d+\.\d|, lost|in the text before|'s numbering")


def prose(path: Path) -> str:
    """The text without front matter, code and references."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", text, flags=re.S))
    return text.split("\n## References")[0]


def words(path: Path) -> str:
    """The prose without formulas and without the addresses of links, on one line."""
    text = re.sub(r"\$\$.*?\$\$", "", prose(path), flags=re.S)
    text = re.sub(r"\$[^$]*\$", "X", text)
    return re.sub(r"\s+", " ", re.sub(r"\]\([^)]*\)", "]", text))


def equations(path: Path) -> set[str]:
    return set(re.findall(r"\\tag\{([^}]+)\}", prose(path)))


def results(path: Path) -> set[str]:
    """The numbers of the theorems, lemmas and so on that are stated here."""
    return set(re.findall(r"\*\*(?:Theorem|Lemma|Proposition|Corollary) (\w+)", prose(path)))


def at_home(path: Path, numbers) -> set[str]:
    """What is numbered in the chapter and in its companion."""
    both = (rooms[path.name[:2]] for rooms in (CHAPTERS, COMPANIONS) if path.name[:2] in rooms)
    return set().union(*(numbers(room) for room in both))


def unknown_equations(path: Path) -> list[str]:
    text, found = words(path), []
    own = at_home(path, equations)
    for cited in re.finditer(r"\((C?\d{1,2})\)", text):
        before, after = text[max(0, cited.start() - 90) : cited.start()], text[cited.end() : cited.end() + 60]
        named = re.search(r"chapter (\d+)'s[^.;,]{0,20}$", before) or re.match(r"[^.;]{0,12} of chapter (\d+)", after)
        if named is None and re.match(r" there\b", after):  # in the chapter that was named last
            *_, named = re.finditer(r"chapter (\d+)", text[: cited.start()])
        rooms = COMPANIONS if named and "companion" in before[-25:] + after[:35] else CHAPTERS
        known = own if named is None else equations(rooms[f"{int(named[1]):02}"])
        if cited[1] not in known and not OF_A_PAPER.search(before[-75:] + after):
            found.append(f"…{before[-50:]}{cited[0]}{after[:30]}…")
    return found


def unknown_results(path: Path) -> list[str]:
    text, own = words(path), at_home(path, results)
    cited = re.finditer(r"(?:Theorem|Lemma|Proposition|Corollary)s? (\d+[a-z]?)\b(?!\.\d)", text)
    return [
        f"…{text[max(0, one.start() - 60) : one.end() + 30]}…"
        for one in cited
        if one[1] not in own and not OF_A_PAPER.search(text[max(0, one.start() - 75) : one.end() + 60])
    ]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_cited_equations_are_there(path):
    assert unknown_equations(path) == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_cited_theorems_and_lemmas_are_there(path):
    assert unknown_results(path) == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_no_number_is_given_twice(path):
    given = re.findall(r"\\tag\{([^}]+)\}", prose(path))
    assert sorted(given) == sorted(set(given))


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("By (1) it holds.", 0),
        ("By (7) it holds.", 1),
        ("By chapter 4's (2) it holds.", 0),
        ("By chapter 4's (99).", 1),
    ],
)
def test_a_wrong_number_is_seen(tmp_path, monkeypatch, line, missing):
    path = tmp_path / "77_new.md"
    path.write_text(f"$$ a = b \\tag{{1}} $$\n\n{line}\n", encoding="utf-8")
    monkeypatch.setitem(CHAPTERS, "77", path)
    assert len(unknown_equations(path)) == missing
