"""The page for teachers: its map is the chapters' front matter, and its commands exist."""

import re

import pytest
from fairfl_book import places
from fairfl_book.build import frontmatter, guards, prerequisites
from fairfl_book.exercises import solutions
from fairfl_book.site import answers

BOOK = places.find()
PAGE = (BOOK.root / "book" / "teachers.md").read_text(encoding="utf-8")


def test_the_map_is_made_from_the_front_matter():
    printed = re.search(r"<!-- map -->\n(.*?)\n?<!-- /map -->", PAGE, re.S)[1]
    assert printed == prerequisites.table(guards.fronts(BOOK)), "run fairfl-book map"


def test_nothing_is_needed_before_it_is_taught():
    for name, earlier in frontmatter.needed(guards.fronts(BOOK)).items():
        assert all(other < name for other in earlier)


def test_every_chapter_has_its_week_and_every_command_its_target():
    weeks = " ".join(re.findall(r"^\| \d+ \| ([\d, ]+) \|", PAGE, re.M))
    assert {int(n) for n in re.findall(r"\d+", weeks)} == {int(name[:2]) for name in BOOK.names()}
    makefile = (BOOK.root / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\w+)", PAGE):
        assert re.search(rf"^(?:\w+ )*{target}(?: \w+)*:", makefile, re.M), target


@pytest.mark.skipif(not solutions.there(BOOK), reason="this copy of the book has no answers")
def test_every_exercise_without_a_check_has_its_line_in_the_marking_guide():
    asked = {
        f"{name[:2]}.{number}"
        for name in BOOK.names()
        for number, text in re.findall(
            r"^\*\*(\d+)\.\*\* (.*?)(?=^\*\*\d+\.\*\* |^## |\Z)",
            BOOK.twin(name).read_text(encoding="utf-8"),
            re.M | re.S,
        )
        if re.search(r"^# \w+\.\w+: your", text, re.M)
    }
    line = re.compile(r"^\| (\d\d\.\d+) \|", re.M)
    answered = line.findall(PAGE)
    assert sorted(answered) == sorted(asked), (
        "say in book/teachers.md, Marking, what a good answer to each exercise without a check has"
    )
    assert not line.findall(answers.without(PAGE)), "a copy without solutions would show them"
