"""Assemble the book's Typst files, and set them as a PDF."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from fairfl import _atomic_files
from fairfl._extras import needed_by
from fairfl.errors import Refused
from fairfl_book import TITLE
from fairfl_book.book_paths import Book, is_companion
from fairfl_book.build import bibtex, formula_numbers
from fairfl_book.exercises import solutions
from fairfl_book.paper import back_matter, chapters, formulas, front_matter, slimming
from fairfl_book.paper.formulas import Formula
from fairfl_book.paper.index_terms import IndexTerms
from fairfl_book.paper.pictures import Pictures
from fairfl_book.paper.places import Chapter, Places
from fairfl_book.paper.prose import Prose, formula_mark
from fairfl_book.paper.typst_text import called, quoted
from fairfl_book.site import glossary

STYLE = Path(__file__).with_name("book.typ")
MAIN = "main.typ"
_MARK = re.compile(formula_mark(0).replace("0", r"(\d+)"))
_GAP = re.compile(r"(?:#h\(2em\)|\bquad\b)(?: (?:#h\(2em\)|quad))*")
_RELATION = re.compile(r"(?<= )(?:lt\.eq|gt\.eq|approx|arrow\.l|[=<>+])(?= )")
_COMPANIONS = """
The companions are for a second reading. They contain long proofs, counterexamples, variants and further experiments. Each belongs to a chapter, and no chapter depends on them.
"""


@dataclass
class Manuscript:
    """The book in Typst. ``files``: text by file name, with a mark in the place of each of the ``formulas``."""

    files: dict[str, str]
    formulas: list[Formula]


def manuscript(book: Book, folder: Path, names: Sequence[str] = (), with_answers: bool = False) -> Manuscript:
    """The book, or only the chapters and companions ``names``, in Typst. Pictures are written to ``folder``/pictures.

    Nothing is executed: what the cells show is in the notebooks. Raises ``Refused``, with file and line, for what cannot
    be shown on paper, and for a reference to a place that the book does not have.
    """
    entries = bibtex.load(book.bibliography)
    places, pictures, found = Places(entries), Pictures(folder / "pictures"), []
    terms, symbols = glossary.load(book.root / "book" / "glossary.toml")
    names = list(names) or [*book.names(), *book.companions()]
    files, notebooks = {}, {}
    for name in names:
        notebook = nbformat.read(book.notebook(name), as_version=4)
        notebooks[name] = notebook
        files[f"{name}.typ"] = _chapter(book, name, notebook, places, pictures, found, terms)
    main = ["#set heading(supplement: none)", front_matter.typst(pictures, with_answers)]
    main += [_included(name) for name in names if not is_companion(name)]
    if any(map(is_companion, names)):
        main += [called("part", "[The companions]", '"companions"', body=_COMPANIONS), "#listed-sections.update(false)"]
        main += [_included(name) for name in names if is_companion(name)]
    plain = Prose(Chapter("answers", "", "answers", list(entries)), places, found, IndexTerms([], ""))
    if with_answers:
        own = {name: notebook for name, notebook in notebooks.items() if not is_companion(name)}
        solved = {name: solutions.of_chapter(book, name) for name in own}
        main.append(back_matter.answers(own, solved, plain))
    main += [
        back_matter.glossary(terms, plain),
        back_matter.notation(symbols, plain),
        back_matter.references(entries, places.cited, places.letters),
        back_matter.index(terms),
    ]
    files[MAIN] = _begun(f'#show: book.with([{TITLE}], "{front_matter.AUTHOR}")\n' + "\n\n".join(main))
    if len(names) == len(book.names()) + len(book.companions()):
        places.check()
    else:
        files[MAIN] += "".join(
            f"#metadata(none)#label({quoted(label)})\n" for label in places.asked if label not in places.labels
        )
    return Manuscript(files, found)


def _chapter(
    book: Book,
    name: str,
    notebook: nbformat.NotebookNode,
    places: Places,
    pictures: Pictures,
    found: list[Formula],
    terms: list,
) -> str:
    front, digits, more = notebook.metadata["fairfl"], name[:2], is_companion(name)
    number = f"{'C' if more else ''}{int(digits)}"
    chapter = Chapter(name, number, f"c{digits}{'m' if more else ''}", list(front.get("cites", [])))
    prose = Prose(
        chapter, places, found, IndexTerms(terms, digits), formula_numbers.numbered(notebook), front.get("promise", "")
    )
    lines = chapters.Lines(book.twin(name), book.root)
    title = re.sub(r"^\d+\. ", "", front["title"])
    kind = f"[Companion to chapter {int(digits)}]" if more else f"[Chapter {number}]"
    words = lambda text: "".join(block.typst for block in prose.blocks(text, lambda line: f"{lines.path}:1")).strip()
    opening = called(
        "chapter",
        kind,
        quoted(number),
        f"[{words(title)}]",
        places.set(chapter.prefix, lines.path),
        f"[{words(front.get('promise', ''))}]",
    )
    return _begun(opening + "\n\n" + chapters.body(notebook, prose, pictures, lines))


def _begun(text: str) -> str:
    return f'#import "{STYLE.name}": *\n{text}\n'


def _included(name: str) -> str:
    return f'#include "{name}.typ"'


def with_formulas(manuscript: Manuscript) -> dict[str, str]:
    """The files of ``manuscript`` with each mark replaced by its formula. A displayed formula comes whole and in parts,
    for a line that is too short."""
    found = manuscript.formulas
    made = formulas.translated(found)

    def shown(mark: re.Match) -> str:
        number = int(mark[1])
        if not found[number].display:
            return f"${made[number]}$"
        parts = "".join(f"({''.join(f'${piece}$, ' for piece in _pieces(part))}), " for part in _parts(made[number]))
        return f"${made[number]}$, ({parts})"

    return {name: _MARK.sub(shown, text) for name, text in manuscript.files.items()}


def _parts(formula: str) -> list[str]:
    """``formula`` cut at its wide spaces outside brackets. The spaces are left out."""
    parts, start = [], 0
    for gap in _GAP.finditer(formula):
        before = formula[start : gap.start()]
        if "#h(2em)" in gap[0] and _closed(before) and before.strip():
            parts.append(before.strip())
            start = gap.end()
    return [*parts, formula[start:].strip()]


def _pieces(part: str) -> list[str]:
    """``part`` cut before its relations and sums outside brackets, but for the first."""
    places = [found.start() for found in _RELATION.finditer(part) if _closed(part[: found.start()])]
    places = [0, *(place for place in places[1:] if "&" not in part), len(part)]
    return [part[start:end].strip() for start, end in zip(places, places[1:])]


def _closed(formula: str) -> bool:
    """Whether all brackets of ``formula`` are closed. Those that are printed and those of Typst's code count alike."""
    return all(formula.count(left) == formula.count(right) for left, right in ("()", "[]", "{}"))


def write(made: Manuscript, folder: Path) -> None:
    """Write the files of ``made``, with their formulas, and the style into ``folder``."""
    for name, text in {**with_formulas(made), STYLE.name: STYLE.read_text(encoding="utf-8")}.items():
        _atomic_files.write(folder / name, text.encode("utf-8"))


def printed(folder: Path) -> bytes:
    """The PDF of the book in ``folder``. Raises ``Refused``, with the chapter's file and line, if Typst rejects a text.

    Only fonts that come with Typst and matplotlib are used, so the book is the same on every machine.
    """
    with needed_by("the book as a PDF"):
        import matplotlib
        import typst

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    found = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(fonts)])
    try:
        return slimming.slimmed(typst.compile(str(folder / MAIN), root=str(folder), font_paths=found))
    except typst.TypstError as error:
        raise Refused(
            f"{_source(error.diagnostic, folder)}: Typst cannot set this: {error.message}\n{error.diagnostic}", "file"
        ) from error


def _source(diagnostic: str, folder: Path) -> str:
    """The file and line of the chapter that Typst's message is about."""
    for name, line in re.findall(r"([\w-]+\.typ):(\d+):\d+", diagnostic):
        if name != STYLE.name and (folder / name).exists():
            before = (folder / name).read_text(encoding="utf-8").splitlines()[: int(line)]
            said = [text[3:] for text in before if re.match(r"// \S+:\d+$", text)]
            return said[-1] if said else f"{name}:{line}"
    return STYLE.name
