"""The labs' tasks: every goal is there to be reached, is not reached at the start, and the stills carry no task."""

import pytest
from fairfl_book import labs
from fairfl_book.build import lab_images, node
from lab_goals import GOALS

pytestmark = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")

LABS = {lab.name: lab for lab in lab_images.every()}


@pytest.mark.parametrize("name", LABS)
def test_the_goal_is_noticed_where_it_is_and_nowhere_near(name):
    lab, (goal, near) = LABS[name], GOALS[name]
    states = [{}, *near, goal]
    reached = node.each(
        "(state) => !!view.task.reached(state, view.compute(state))",
        [[lab.at(**state)] for state in states],
        {"{ view }": lab.view},
    )
    assert reached == [False] * (len(states) - 1) + [True]


@pytest.mark.parametrize("name", LABS)
def test_a_task_asks_one_question_and_has_one_answer(name):
    [task] = node.each("() => view.task", [[]], {"{ view }": LABS[name].view})
    assert task["ask"].endswith("?") and task["goal"].endswith(".") and task["explain"].rstrip(")").endswith(".")
    assert 2 <= len(task["guesses"]) <= 3 and task["guesses"][task["right"]]
    assert not any(guess.endswith(".") for guess in task["guesses"])  # a sentence is made of them
    assert task["ask"][:30] not in LABS[name].still()


def test_a_guess_is_judged_in_words():
    task = {"guesses": ["one", "two"], "right": 1}
    said = node.each("saidOfGuess", [[task, 1], [task, 0]], {"{ saidOfGuess }": "tasks"})
    assert said[0].startswith("✓") and "two" in said[0] and said[1].startswith("✗") and "one" in said[1]


def test_every_lab_has_a_goal_here():
    assert set(GOALS) == set(LABS) == {name for name in labs.__all__ if name in LABS}
