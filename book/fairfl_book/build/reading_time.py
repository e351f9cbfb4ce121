"""Estimate how long chapters take, and write it into their texts: ``python -m fairfl_book.build.reading_time``.

Words, formulas, figures, labs and open code take time, and each turn takes a minute. Folded boxes (``<details>``),
folded cells, the exercises and the references do not count, because readers may skip them. There is no upper limit. The
minutes of the exercises follow from their levels. The line under a chapter's title also names the chapters that it
builds on, from ``needs``.
"""

import math
import re
from collections.abc import Collection, Mapping

from fairfl import _atomic_files
from fairfl_book import book_paths
from fairfl_book.build import notebook_checks
from fairfl_book.build.frontmatter import PREREQUISITES, FrontMatter, needed

WORDS_A_MINUTE, LINES_A_MINUTE = 180, 15
INLINE_MINUTES, FIGURE_MINUTES, LAB_MINUTES, TURN_MINUTES = 0.05, 0.5, 3, 1
LEVELS = {"warm-up": 5, "work": 12, "proof": 30, "design": 35, "open": 25}  # minutes that an exercise takes
STEP = 5
APART = ("Exercises", "References")
_CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_DISPLAY = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_INLINE = re.compile(r"(?<!\\)\$[^$]+?\$")
_SPACING = re.compile(r"\s|\\q?quad|\\(?:tag|text)\{.*?\}")
_MARKS = re.compile(r"\]\([^)]*\)|<[^>]+>|[*_`>|#]")
_LEVEL = re.compile(r"^\*\*\d+\.\*\* \*\(([\w-]+)\)\*", re.MULTILINE)
_FIRST = re.compile(r"^\*\*For an hour:\*\* exercises (\d+), (\d+) and (\d+)\.", re.MULTILINE)


def minutes(text: str) -> int:
    """The reading time of a chapter's text, rounded to five minutes and at least five."""
    body = unfolded(text.split("---\n", 2)[2])
    sections = [s for s in re.split(r"^## ", body, flags=re.MULTILINE) if not s.startswith(APART)]
    return max(STEP, STEP * round(sum(map(_cost, sections)) / STEP))


def exercise_minutes(text: str) -> int:
    """The minutes for all exercises of a chapter's text, by their levels, rounded up to five minutes."""
    return STEP * math.ceil(sum(LEVELS.get(level, LEVELS["work"]) for level in _LEVEL.findall(text)) / STEP)


def first_set(text: str) -> int | None:
    """The minutes of the three exercises in the line "**For an hour:** exercises 1, 2 and 3.", or ``None`` without such
    a line."""
    levels, given = _LEVEL.findall(text), _FIRST.search(text)
    if not given or max(map(int, given.groups())) > len(levels):
        return None
    return sum(LEVELS.get(levels[int(number) - 1], LEVELS["work"]) for number in given.groups())


def unfolded(body: str) -> str:
    """The text without its folded boxes, nested ones included."""
    kept, depth = [], 0
    for piece in re.split(r"(<details>|</details>)", body):
        if piece in ("<details>", "</details>"):
            depth += 1 if piece == "<details>" else -1
        elif depth == 0:
            kept.append(piece)
    return "".join(kept)


def of_sections(text: str, names: Collection[str]) -> float:
    """The minutes of a chapter's opening and of its sections ``names``, not rounded."""
    opening, *sections = re.split(r"^## ", unfolded(text.split("---\n", 2)[2]), flags=re.MULTILINE)
    return _cost(opening) + sum(_cost(one) for one in sections if one.partition("\n")[0] in names)


def _cost(section: str) -> float:
    """The reading time of a section, in minutes."""
    bare = _FENCE.sub("", section)
    inline = _DISPLAY.sub("", bare)
    words = _MARKS.sub(" ", _INLINE.sub(" x ", _DISPLAY.sub(" ", bare))).split()
    formulas = (min(3.0, 0.5 + len(_SPACING.sub("", found)) / 90) for found in _DISPLAY.findall(bare))
    cells = _CELL.findall(section)
    lines = [line for cell in cells if "source_hidden: true" not in cell for line in cell.split("\n")[1:-1]]
    return (
        sum(bool(re.search(r"\w", word)) for word in words) / WORDS_A_MINUTE
        + sum(formulas)
        + INLINE_MINUTES * len(_INLINE.findall(inline))
        + sum(bool(line.strip()) and not line.startswith(":") for line in lines) / LINES_A_MINUTE
        + FIGURE_MINUTES * len(re.findall(r"figures\.show\(|\.picture\(", section))
        + LAB_MINUTES * len(re.findall(r"\.widget\(", section))
        + TURN_MINUTES * sum(bool(re.search(r"^:tags: .*\bturn\b", cell, re.MULTILINE)) for cell in cells)
    )


def builds_on(name: str, fronts: Mapping[str, FrontMatter]) -> str:
    """The prerequisites in the line under the title of chapter ``name``: earlier chapters, or what a reader must
    know."""
    earlier = [str(int(other[:2])) for other in needed(fronts)[name]]
    if earlier:
        return f"needs chapter{'s' * (len(earlier) > 1)} {_listed(earlier)}"
    return f"needs {_listed([term for term in fronts[name].needs if term in PREREQUISITES])}"


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def with_minutes(text: str, needs: str) -> str:
    """The text with its minutes updated, in the front matter and under its title, where ``needs`` follows them."""
    now = minutes(text)
    text = re.sub(r"^  minutes: \d+$", f"  minutes: {now}", text, count=1, flags=re.MULTILINE)
    text = re.sub(
        r"^  exercise_minutes: \d+$", f"  exercise_minutes: {exercise_minutes(text)}", text, count=1, flags=re.MULTILINE
    )
    return re.sub(r"^> \*\*\d+ minutes\*\*.*$", f"> **{now} minutes** · {needs}", text, count=1, flags=re.MULTILINE)


def main() -> None:
    """Update the texts and the minutes in both tables of chapters."""
    book = book_paths.clone("reading_time")
    taken, fronts = {}, notebook_checks.fronts(book)
    for name in book.names():
        text = book.twin(name).read_text(encoding="utf-8")
        taken[name] = minutes(text)
        _atomic_files.write(book.twin(name), with_minutes(text, builds_on(name, fronts)).encode("utf-8"))
        print(f"{name:28} {taken[name]} minutes, exercises {exercise_minutes(text)}")
    for page in (book.chapters / "README.md", book.chapters / "README.zh.md"):
        rows = re.sub(
            r"(\((\w+)\.ipynb\) \|) \d+ \|", lambda row: f"{row[1]} {taken[row[2]]} |", page.read_text(encoding="utf-8")
        )
        _atomic_files.write(page, rows.encode("utf-8"))


if __name__ == "__main__":
    main()
