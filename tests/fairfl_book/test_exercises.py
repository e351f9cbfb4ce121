import re

import numpy as np
import pytest
from fairfl_book.exercises import Exercise, Wrong, check, claim, judge, registry, try_claim

ALL = registry()


@pytest.mark.parametrize("slug", ALL)
def test_stub_right_and_wrong_answers_are_told_apart(slug):
    exercise = ALL[slug]
    stub = (lambda *a: None) if exercise.is_function else ...
    assert judge(exercise, stub).status == "not attempted yet"
    assert judge(exercise, exercise.right).status == "right"
    assert len(exercise.wrong) >= 2, "recognise at least two wrong answers"
    messages = set()
    for name, wrong in exercise.wrong.items():
        verdict = judge(exercise, wrong.answer)
        assert verdict.status == "not yet" and verdict.known == name, f"{slug}: {name} is taken for {verdict.known!r}"
        assert "{" not in verdict.message.replace("{case", "")
        messages.add(wrong.why)
    assert len(messages) == len(exercise.wrong)


DOUBLE = Exercise(
    "t.double",
    "twice x",
    lambda x: 2 * np.asarray(x),
    cases=[(1.0,), ([1.0, 2.0],)],
    wrong={
        "square": Wrong(lambda x: np.asarray(x) ** 2, "for {case}: {given}, not {right}"),
        "half": Wrong(lambda x: np.asarray(x) / 2, "halved"),
    },
)


@pytest.mark.parametrize(
    "answer, words",
    [
        (lambda x: 1 / 0, "ZeroDivisionError"),
        (lambda: 3, "TypeError"),
        (7, "A function is asked for"),
        (lambda x: "two", "it should be 2"),
        (lambda x: np.asarray(x) ** 2, "for 1: 1, not 2"),
        (lambda x: [object()], "it should be"),
    ],
)
def test_any_answer_gets_a_reply(answer, words):
    verdict = judge(DOUBLE, answer)
    assert verdict.status == "not yet" and words in verdict.message


def test_a_verdict_s_statuses_are_those_that_its_description_names():
    answers = ..., DOUBLE.right, lambda x: np.asarray(x) ** 2, lambda x: "two", 7
    given = {judge(DOUBLE, answer).status for answer in answers}
    assert set(re.findall(r'"([^"]+)"', judge(DOUBLE, 7).__doc__.partition("``message``")[0])) == given


def test_check_does_not_let_an_answer_change_the_cases():
    def greedy(x):
        if isinstance(x, np.ndarray):
            x *= 2
        return x

    judge(DOUBLE, greedy)
    assert DOUBLE.cases[1][0].tolist() == [1.0, 2.0]


def test_unknown_slug_offers_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'fl.average'"):
        check("fl.averag", 1)


def test_a_claim_that_holds_prints_its_bound_which_every_machine_repeats(capsys):
    claim("sums commute", lambda rng: np.subtract(*(lambda a: (a.sum(), a[::-1].sum()))(rng.normal(size=5))), n=50)
    assert capsys.readouterr().out == "sums commute: 50 of 50 random cases, residual at most 1e-8\n"


def test_a_claim_that_fails_prints_its_worst_case_and_the_plainest_beside_it(capsys):
    sizes = iter([0.5, 22.1, 0.0, 3.0])
    claim("it holds", lambda rng: (lambda x: (x, {"a": "a long story" if x > 20 else x}))(next(sizes)), n=4)
    assert capsys.readouterr().out == (
        "it holds: fails in 3 of 4 random cases. Worst: a a long story, residual 22. Plainest: a 3, residual 3\n"
    )
    for case in (lambda x: (x, {"a": x}), lambda x: x):
        sizes = iter([4.0, 3.0])
        claim("it holds", lambda rng, case=case, sizes=sizes: case(next(sizes)), n=2)
        assert "Plainest" not in capsys.readouterr().out  # no words would be saved


def test_a_claim_never_passes_on_nan():
    outcome = try_claim(lambda rng: float("nan"), n=3)
    assert outcome.held == 0 and outcome.worst == np.inf
