"""The page for teachers: its map is the chapters' front matter, and its commands exist."""

import re

import pytest

from fairfl_book import places
from fairfl_book.build import guards, prerequisites

BOOK = places.find()
PAGE = (BOOK.root / "book" / "teachers.md").read_text(encoding="utf-8")


def test_the_map_is_made_from_the_front_matter():
    printed = re.search(r"<!-- map -->\n(.*?)\n?<!-- /map -->", PAGE, re.S)[1]
    assert printed == prerequisites.table(guards.fronts(BOOK)), "run fairfl-book map"


def test_nothing_is_needed_before_it_is_taught():
    for name, earlier in prerequisites.needed(guards.fronts(BOOK)).items():
        assert all(other < name for other in earlier)


def test_every_chapter_has_its_week_and_every_command_its_target():
    weeks = " ".join(re.findall(r"^\| \d+ \| ([\d, ]+) \|", PAGE, re.M))
    assert {int(n) for n in re.findall(r"\d+", weeks)} == {int(name[:2]) for name in BOOK.names()}
    makefile = (BOOK.root / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\w+)", PAGE):
        assert re.search(rf"^(?:\w+ )*{target}(?: \w+)*:", makefile, re.M), target


def test_every_open_exercise_has_its_line_in_the_marking_guide():
    asked = {f"{name[:2]}.{number}" for name in BOOK.names()
             for number in re.findall(r"^\*\*(\d+)\.\*\* \*\(open\)\*", BOOK.twin(name).read_text(encoding="utf-8"), re.M)}
    answered = re.findall(r"^\| (\d\d\.\d+) \|", PAGE, re.M)
    assert sorted(answered) == sorted(asked), "say in book/teachers.md, Marking, what a good answer to each open exercise has"


def test_a_page_without_a_place_for_the_map_is_refused():
    with pytest.raises(ValueError, match="Restore the lines"):
        prerequisites.refreshed("# For teachers\n", guards.fronts(BOOK))


def test_the_map_grows_with_the_book(book, write_twin):
    page = book.root / "book" / "teachers.md"
    page.write_text("before\n<!-- map -->\nold\n<!-- /map -->\nafter\n", encoding="utf-8")
    write_twin("01_ferries", "# Ferries")
    assert prerequisites.refresh(book) and not prerequisites.refresh(book)
    write_twin("02_bridges", "# Bridges", title="Bridges", teaches=["bridge"], needs=["ferry"], minutes=7)
    assert prerequisites.refresh(book)
    assert page.read_text(encoding="utf-8") == ("before\n<!-- map -->\n| chapter | minutes | builds on | teaches |\n|---|---|---|---|\n| Ferries | 5 | – | ferry |\n"
                                                "| Bridges | 7 | 1 | bridge |\n<!-- /map -->\nafter\n")
