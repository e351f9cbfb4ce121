"""Mark the questions that are asked before and after a course. Their notebooks are read and not run."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping

from fairfl_book.marking import marks_table, notebook_marker
from fairfl_book.marking.chapter_exercises import Chapter
from fairfl_book.marking.marks_table import Row
from fairfl_book.marking.submissions import Paper, cells_of
from fairfl_book.misconceptions import notebooks
from fairfl_book.misconceptions.question import LETTERS
from fairfl_book.misconceptions.questions import QUESTIONS

LEVEL = "question"
ENOUGH = 3  # variables of a questionnaire in a notebook for it to count as that questionnaire
_EMPTY = {"", "...", "…", "None"}
_AROUND = " \t\"'`()[]{}.,;:“”‘’„"  # what people write around a letter


def load(name: str) -> Chapter:
    """The questionnaire ``name`` in the form of a chapter. Its edition changes with any word of a question."""
    cells = cells_of(json.loads(notebooks.made(name)))
    return Chapter(
        name, notebooks.TITLES[name], cells, (), hashlib.sha256(repr((cells, QUESTIONS)).encode()).hexdigest()
    )


def name_of(paper: Paper) -> str:
    """The questionnaire that ``paper`` is a copy of; "" if none."""
    found = _answers(paper)
    name = max(found, key=lambda name: len(found[name]))
    return name if len(found[name]) >= ENOUGH else ""


def rows(paper: Paper, name: str, whose: Mapping[str, str], note: str = "") -> list[Row]:
    """The rows of one notebook. They have no points, because the questions are not part of a grade."""
    given = _answers(paper)[name]
    made = []
    for number, question in enumerate(QUESTIONS, 1):
        written = given.get(number, "")
        letter = letter_in(written)
        choice = question.choices.get(letter)
        if written in _EMPTY:
            verdict, said = notebook_marker.NOTHING, ""
        elif choice is None:
            verdict, said = notebook_marker.ERROR, f"the answer is not one of the letters {', '.join(LETTERS)}"
        else:
            verdict, said = notebook_marker.WRONG if choice.mistake else notebook_marker.RIGHT, choice.why
        made.append(
            marks_table.row(
                **whose,
                chapter=name,
                number=number,
                exercise=question.slug,
                level=LEVEL,
                verdict=verdict,
                mistake=choice.mistake if choice else "",
                said=said,
                tried="" if written in _EMPTY else letter or written,
                note=note,
            )
        )
    return made


def letter_in(written: str) -> str:
    """The letter of an answer such as ``"b"``, ``b``, ``'B)'`` or a full-width one; "" if it is not a single letter of ``LETTERS``."""
    letter = unicodedata.normalize("NFKC", written[:40]).strip(_AROUND).lower()
    return letter if letter in LETTERS else ""


def _answers(paper: Paper) -> dict[str, dict[int, str]]:
    return notebooks.answers(cell.source for cell in paper.cells if cell.kind == "code")
