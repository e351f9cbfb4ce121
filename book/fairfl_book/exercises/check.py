"""``check(slug, answer)``: an answer is met as a person would meet it."""

import copy
from contextlib import suppress
from dataclasses import dataclass

from fairfl_book.exercises.compare import equal, short
from fairfl_book.exercises.registry import Exercise, find


@dataclass(frozen=True)
class Verdict:
    """``status``: "right", "not yet" (``known`` names the mistake if it is a known one), or "not attempted yet".

    ``message``: what a reader is told beside it; empty for "not attempted yet", and for "right" without praise.
    """

    slug: str
    status: str
    message: str = ""
    known: str = ""

    def __str__(self) -> str:
        return f"{self.slug}: {self.status}" + (f". {self.message}" if self.message else "")


def judge(exercise: Exercise, answer) -> Verdict:
    """What ``check`` would say, as a ``Verdict``."""
    if answer is None or answer is ...:
        return Verdict(exercise.slug, "not attempted yet")
    if exercise.is_function:
        return _judge_function(exercise, answer)
    return _judge_value(exercise, answer)


def check(slug: str, answer) -> None:
    """Print whether ``answer`` solves the exercise called ``slug``, and if not, why not where that can be told.

    ``answer`` is a function or a value, as the exercise asks. Raises ``ValueError`` only for an unknown slug.
    """
    print(judge(find(slug), answer))


def _judge_value(exercise, answer):
    if equal(answer, exercise.right, exercise.tolerance):
        return Verdict(exercise.slug, "right", exercise.praise)
    for name, wrong in exercise.wrong.items():
        if equal(answer, wrong.answer, exercise.tolerance):
            return Verdict(exercise.slug, "not yet", _fill(wrong.why, None, answer, exercise.right), name)
    return Verdict(
        exercise.slug, "not yet", f"You answer {short(answer)}, and that is not it. Asked is: {exercise.task}"
    )


def _judge_function(exercise, answer):
    if not callable(answer):
        return Verdict(
            exercise.slug,
            "not yet",
            f"A function is asked for, and this is {short(answer)}: pass the function itself, not its result",
        )
    given = []
    for case in exercise.cases:
        try:
            given.append(answer(*copy.deepcopy(case)))
        except Exception as error:
            return Verdict(
                exercise.slug, "not yet", f"For {_case(case)} your function stops with {type(error).__name__}: {error}"
            )
    if all(g is None or g is ... for g in given):
        return Verdict(exercise.slug, "not attempted yet")
    right = [exercise.right(*copy.deepcopy(case)) for case in exercise.cases]
    misses = [i for i, (g, r) in enumerate(zip(given, right)) if not equal(g, r, exercise.tolerance)]
    if not misses:
        return Verdict(exercise.slug, "right", exercise.praise)
    for name, wrong in exercise.wrong.items():
        theirs = []
        for case in exercise.cases:
            with suppress(Exception):
                theirs.append(wrong.answer(*copy.deepcopy(case)))
        if len(theirs) == len(given) and all(equal(g, t, exercise.tolerance) for g, t in zip(given, theirs)):
            i = misses[0]
            return Verdict(exercise.slug, "not yet", _fill(wrong.why, exercise.cases[i], given[i], right[i]), name)
    i = misses[0]
    return Verdict(
        exercise.slug,
        "not yet",
        f"For {_case(exercise.cases[i])} you answer {short(given[i])}; "
        f"it should be {short(right[i])}. Asked is: {exercise.task}",
    )


def _case(case) -> str:
    return ", ".join(short(a) for a in case)


def _fill(why, case, given, right) -> str:
    known = {"case": "" if case is None else _case(case), "given": short(given), "right": short(right)}
    for name, text in known.items():
        why = why.replace("{" + name + "}", text)
    return why
