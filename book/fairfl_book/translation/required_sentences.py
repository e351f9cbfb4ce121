"""The sentences that readers of a translated chapter may see: which a catalogue lacks, and which it no longer needs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import fairfl_book
from fairfl_book import labs
from fairfl_book.book_paths import Book
from fairfl_book.build import chapter_notebooks, notebook_checks
from fairfl_book.exercises import common_errors, solutions
from fairfl_book.exercises.check import MARKS
from fairfl_book.exercises.registry import Exercise, chapter_of, everything
from fairfl_book.exercises.turns import every_turn
from fairfl_book.labs import javascript
from fairfl_book.site import notebooks
from fairfl_book.translation import translation_file
from fairfl_book.translation.sentences import catalogue

_CLAIM = re.compile(r'\bclaim\("([^"]+)"')
_LAB = re.compile(r"\b(?:labs\.)?([A-Z]\w+)\(\)")


def sentences(book: Book, language: str) -> list[str]:
    """All sentences in English, each once: those passed to ``tr``, and those of the exercises and labs of the chapters translated into ``language``."""
    said = [*_of_modules(), *_of_slips(), *MARKS]
    for name in translation_file.names(book, language):
        said += [
            *_of_folds(book, name),
            *_of_claims(book, name),
            *_of_exercises(int(name[:2])),
            *_of_turns(int(name[:2])),
            *_of_solutions(book, name),
            *_of_labs(book, name),
        ]
    return [sentence for sentence in dict.fromkeys(said) if sentence]


def missing(book: Book, language: str) -> list[str]:
    """Sentences without a translation."""
    known = catalogue(language)
    return [sentence for sentence in sentences(book, language) if not known.get(sentence) and sentence.strip(" ,")]


def unsaid(book: Book, language: str) -> list[str]:
    """Translated sentences whose English is no longer used."""
    return sorted(set(catalogue(language)) - set(sentences(book, language)) - set(_of_covers(book)))


def _of_covers(book: Book) -> Iterator[str]:
    """Titles and promises of all chapters: a cover shows those without a translation in English."""
    for front in notebook_checks.fronts(book).values():
        yield from (front.title, front.promise)


def _of_modules() -> Iterator[str]:
    for path in sorted(Path(fairfl_book.__file__).parent.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "tr(" in source:
            yield from spoken(source)


def spoken(source: str) -> Iterator[str]:
    """The strings that Python code passes to ``tr``: as a literal, a conditional expression, or a module's named constant."""
    tree = ast.parse(source)
    named: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.setdefault(node.targets[0].id, []).extend(_texts(node.value, {}))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tr" and node.args:
            yield from _texts(node.args[0], named)


def _texts(node, named) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _texts(node.body, named) + _texts(node.orelse, named)
    return named.get(node.id, []) if isinstance(node, ast.Name) else []


def _of_slips() -> Iterator[str]:
    yield from (words for _, words in [*common_errors.OUTPUT.values(), *common_errors.INPUT.values()])
    yield from ("the argument", *(f"the {name} argument" for name in common_errors.NAMES), *common_errors.NAMES)


def _of_exercises(chapter: int) -> Iterator[str]:
    for slug, exercise in everything().items():
        if chapter_of(slug) == chapter:
            yield from (exercise.task, *exercise.hints)
            if isinstance(exercise, Exercise):
                yield from (exercise.praise, *(wrong.why for wrong in exercise.wrong.values()))


def _of_turns(chapter: int) -> Iterator[str]:
    for slug, turn in every_turn().items():
        if chapter_of(slug) == chapter:
            yield from (turn.task, turn.praise, *(wrong.why for wrong in turn.wrong.values()))


def _of_solutions(book: Book, name: str) -> Iterator[str]:
    yield from (found.words for found in solutions.of_chapter(book, name).values())


def _of_folds(book: Book, name: str) -> Iterator[str]:
    """What folded cells are called on the site: their first comments."""
    for cell in chapter_notebooks.read(book.twin(name)).cells:
        folded = cell.cell_type == "code" and cell.metadata.get("jupyter", {}).get("source_hidden")
        if folded and "head" not in cell.metadata.get("tags", ()):
            yield notebooks.first_comment(cell.source)


def _of_claims(book: Book, name: str) -> Iterator[str]:
    """The statements that the chapter's claims test."""
    for cell in chapter_notebooks.read(book.twin(name)).cells:
        if cell.cell_type == "code":
            yield from _CLAIM.findall(cell.source)


def _of_labs(book: Book, name: str) -> Iterator[str]:
    code = "\n".join(cell.source for cell in chapter_notebooks.read(book.twin(name)).cells if cell.cell_type == "code")
    for found in dict.fromkeys(_LAB.findall(code)):
        if isinstance(lab := getattr(labs, found, None), type) and issubclass(lab, labs.Lab):
            yield from (control.label for control in lab.controls.values())
            yield from (*lab.tries, *javascript.sentences(lab.view))
