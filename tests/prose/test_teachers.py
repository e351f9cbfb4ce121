"""The page for teachers: its map is the chapters' front matter, and its commands exist."""

import re

import pytest
from fairfl_book import book_paths
from fairfl_book.build import frontmatter, notebook_checks, prerequisites, reading_time
from fairfl_book.exercises import solutions
from fairfl_book.marking import chapter_exercises, read_on
from fairfl_book.misconceptions.questions import QUESTIONS
from fairfl_book.site import solution_folds

BOOK = book_paths.find()
PAGE = (BOOK.root / "book" / "teachers.md").read_text(encoding="utf-8")


def test_the_map_is_made_from_the_front_matter():
    printed = re.search(r"<!-- map -->\n(.*?)\n?<!-- /map -->", PAGE, re.S)[1]
    assert printed == prerequisites.table(notebook_checks.fronts(BOOK)), "run fairfl-book map"


def test_nothing_is_needed_before_it_is_taught():
    for name, earlier in frontmatter.needed(notebook_checks.fronts(BOOK)).items():
        assert all(other < name for other in earlier)


def weeks(heading: str) -> dict[int, tuple[list[int], list[str]]]:
    """A plan's weeks: number → its chapters, and what else its row says."""
    rows = re.findall(r"^\| (\d+) \| ([\d, ]+) \| (.*) \|$", section(heading), re.M)
    return {int(week): (numbers(chapters), rest.split(" | ")) for week, chapters, rest in rows}


def section(heading: str) -> str:
    return re.search(rf"^## {heading}\n(.*?)(?=^## )", PAGE, re.M | re.S)[1]


def numbers(words: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", words)]


@pytest.mark.parametrize(
    ("heading", "count"), [("Twelve weeks", 12), ("Six weeks", 6), ("Four weeks", 4), ("One week", 5)]
)
def test_a_plan_reads_nothing_before_what_it_builds_on(heading, count):
    plan = weeks(heading)
    assert list(plan) == list(range(1, count + 1))
    read = [chapter for chapters, _ in plan.values() for chapter in chapters]
    assert len(set(read)) == len(read), "every chapter once"
    needed = {int(name[:2]): earlier for name, earlier in frontmatter.needed(notebook_checks.fronts(BOOK)).items()}
    for at, chapter in enumerate(read):
        missing = {int(name[:2]) for name in needed[chapter]} - set(read[:at])
        assert not missing, f"chapter {chapter} builds on {sorted(missing)}, which come later or not at all"
    left = re.search(r"^Left out: ([\d, ]+)\.$", section(heading), re.M)
    assert numbers(left[1] if left else "") == sorted(needed.keys() - set(read)), "say what is left out"


@pytest.mark.parametrize("heading", ["Six weeks", "Four weeks"])
def test_a_plan_s_minutes_are_the_chapters_and_its_exercises_stand_in_them(heading):
    fronts = {int(name[:2]): front for name, front in notebook_checks.fronts(BOOK).items()}
    texts = {int(name[:2]): BOOK.twin(name).read_text(encoding="utf-8") for name in BOOK.names()}
    for week, (chapters, (reading, exercises, asked, discuss)) in weeks(heading).items():
        assert int(reading) == sum(fronts[chapter].minutes for chapter in chapters), f"week {week}"
        assert int(exercises) == sum(fronts[chapter].exercise_minutes for chapter in chapters), f"week {week}"
        ids = [tuple(numbers(one)) for one in asked.split(", ")]
        assert len(set(ids)) == len(ids) and {chapter for chapter, _ in ids} == set(chapters), f"week {week}"
        for chapter, number in ids:
            assert f"\n**{number}.** *(" in texts[chapter], f"chapter {chapter} has no exercise {number}"
        assert len(discuss) > 40


def test_the_week_reads_the_shortest_way_and_sets_exercises_that_need_no_more():
    fronts = {int(name[:2]): (name, front) for name, front in notebook_checks.fronts(BOOK).items()}
    elsewhere = set(
        re.findall(r"\d\d\.\d+", re.search(r"^.*Apart from (.*?), the exercises", section("One week"), re.M)[1])
    )
    for session, (chapters, (reading, slides, asked, discuss)) in weeks("One week").items():
        minutes, exercises = 0.0, {}
        for chapter in chapters:
            name, front = fronts[chapter]
            assert front.shortest, f"chapter {chapter} is not on the shortest way"
            minutes += reading_time.of_sections(BOOK.twin(name).read_text(encoding="utf-8"), front.shortest)
            for one in chapter_exercises.load(BOOK, name).asked:
                exercises[f"{chapter:02}.{one.number}"] = read_on.section(one.slug) in front.shortest
        assert abs(int(reading) - minutes) <= 6, f"session {session}: {minutes:.0f} minutes"
        ids = asked.split(", ")
        assert len(set(ids)) == len(ids) and {int(one[:2]) for one in ids} == set(chapters), f"session {session}"
        assert [one for one in ids if not exercises[one]] == [one for one in ids if one in elsewhere], session
        assert int(slides) < 60 and len(discuss) > 40


def test_the_page_says_which_questions_a_plan_does_not_reach():
    told = section("Questions before and after")
    read = {
        heading: {chapter for chapters, _ in weeks(heading).values() for chapter in chapters}
        for heading in ("Twelve weeks", "Six weeks", "Four weeks", "One week")
    }
    missed = {
        heading: [n for n, question in enumerate(QUESTIONS, 1) if int(question.chapter[:2]) not in chapters]
        for heading, chapters in read.items()
    }
    assert missed["Twelve weeks"] == []
    assert missed["Six weeks"] == [8, 12, 15] and "Six weeks leave out questions 8, 12 and 15" in told
    assert missed["Four weeks"] == [4, 8, 12, 13, 14, 15] and "four weeks 4, 8 and 12 to 15" in told
    fronts = notebook_checks.fronts(BOOK)
    reached = [n for n, question in enumerate(QUESTIONS, 1) if question.section in fronts[question.chapter].shortest]
    assert reached == [1, 2, 5, 7, 10, 11] and "The week answers 1, 2, 5, 7, 10 and 11" in told


def test_every_command_has_its_target():
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
    assert not line.findall(solution_folds.without(PAGE)), "a copy without solutions would show them"
