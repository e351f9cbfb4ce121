"""Every exercise says how hard it is, and every chapter has something to prove and something to design."""

import re

import pytest
from fairfl_book import book_paths
from fairfl_book.build import chapter_notebooks

BOOK = book_paths.find()
LEVELS = ("warm-up", "work", "proof", "design", "open")


def levels(text: str) -> dict[int, list[str]]:
    """The levels marked in each numbered exercise, by its number: what stands in the form ``*(level)*`` before the first cell."""
    asked = re.findall(r"^\*\*(\d+)\.\*\* (.*?)(?=^```|^\*\*\d+\.\*\* |^## |\Z)", text, re.M | re.S)
    numbers = [int(number) for number, _ in asked]
    assert numbers == list(range(1, len(numbers) + 1)), "exercises are numbered from 1 without a gap"
    marks = "|".join(LEVELS)
    return {int(number): re.findall(rf"\*\(({marks})\)\*", task) for number, task in asked}


def leads(text: str) -> list[str]:
    """What stands in italics and brackets right after each exercise's number, a level or not."""
    return re.findall(r"^\*\*\d+\.\*\* (?:\*\(([^)]*)\)\* )?", text, re.M)


@pytest.mark.parametrize("name", BOOK.names())
def test_every_exercise_carries_one_level_right_after_its_number(name):
    text = BOOK.twin(name).read_text(encoding="utf-8")
    marked = levels(text)
    several = {number: found for number, found in marked.items() if len(found) != 1}
    assert not several, f"exactly one of {', '.join(LEVELS)} an exercise"
    assert leads(text) == [found[0] for found in marked.values()], "**1.** *(work)* and then the task"


@pytest.mark.parametrize("name", BOOK.names())
def test_every_stub_belongs_to_a_numbered_exercise(name):
    """So that no exercise escapes the levels by having no number."""
    twin = BOOK.twin(name)
    stubs = [cell for cell in chapter_notebooks.read(twin).cells if "exercise" in cell.metadata.get("tags", [])]
    assert len(stubs) == len(levels(twin.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", BOOK.names())
def test_a_chapter_has_something_to_prove_and_something_to_design(name):
    found = {level for marks in levels(BOOK.twin(name).read_text(encoding="utf-8")).values() for level in marks}
    assert {"proof", "design"} <= found
