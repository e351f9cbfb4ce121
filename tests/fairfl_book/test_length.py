"""How long a chapter takes to read, and its exercises to do."""

import pytest
from fairfl_book.book_paths import find
from fairfl_book.build import notebook_checks, reading_time

HEAD = "---\nfairfl:\n  minutes: 99\n  exercise_minutes: 98\n---\n\n# A chapter\n\n> **99 minutes** · needs nothing\n"
CELL = "\n```{code-cell} ipython3\n" + "print(1)\n" * 15 + "```\n"
TURN = '\n```{code-cell} ipython3\n:tags: [turn]\na = ...\ncheck("x.turn.y", a)\n```\n'
FOLDED = "\n```{code-cell} ipython3\n:jupyter: {source_hidden: true}\n" + "print(1)\n" * 150 + "```\n"


def words(n):
    return "\n" + "word " * n + "\n"


@pytest.mark.parametrize(
    "piece, minutes",
    [
        (words(900), 5),
        (words(1800), 10),
        (10 * CELL, 10),
        (9 * FOLDED, 5),
        (20 * ("\n$$ " + "x" * 45 + " $$\n"), 20),
        (30 * ("\n$$ " + "x" * 900 + " $$\n"), 90),
        (200 * " $x$ ", 10),
        (5 * "\n```{code-cell} ipython3\n:jupyter: {source_hidden: true}\nlab.widget()\n```\n", 15),
        (8 * TURN, 10),
        (f"\n<details>\n{words(999)}<details>{words(999)}</details>{words(999)}</details>\n" + words(900), 5),
        (f"{words(900)}\n## Exercises\n{words(999)}{CELL}\n## References\n{words(999)}", 5),
        (f"{words(900)}\n## Exercises\n{words(999)}\n## More\n{words(1800)}", 15),
    ],
)
def test_what_is_read_costs_time_and_what_is_folded_or_apart_does_not(piece, minutes):
    assert reading_time.minutes(HEAD + piece) == minutes


def test_exercises_take_the_time_of_their_levels():
    levels = "\n".join(f"**{n}.** *({level})* Do it." for n, level in enumerate(reading_time.LEVELS, 1))
    assert reading_time.exercise_minutes(HEAD + "\n## Exercises\n\n" + levels) == 110
    assert reading_time.exercise_minutes(HEAD) == 0


def test_it_is_told_in_both_places_with_what_the_chapter_builds_on():
    told = reading_time.with_minutes(
        HEAD + words(1800) + "\n## Exercises\n\n**1.** *(proof)* Do it.\n", "needs chapter 1"
    )
    assert (
        "  minutes: 10\n  exercise_minutes: 30\n" in told
        and "> **10 minutes** · needs chapter 1\n" in told
        and "9" not in told
    )


def test_the_line_under_a_title_follows_from_needs():
    fronts = notebook_checks.fronts(find())
    assert reading_time.builds_on("00_start_here", fronts) == "needs calculus and linear algebra"
    assert reading_time.builds_on("04_mgda", fronts) == "needs chapters 0, 1 and 3"
