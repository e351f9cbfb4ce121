"""``check(slug, answer)``: judge an answer, and explain the mistake if it is a known one."""

import copy
import inspect
from contextlib import suppress
from dataclasses import dataclass

from fairfl_book.exercises import progress, stale_answers, turns
from fairfl_book.exercises.common_errors import recognise
from fairfl_book.exercises.compare import equal, short
from fairfl_book.exercises.display import say
from fairfl_book.exercises.grading import clumsy, same_value
from fairfl_book.exercises.registry import Exercise, chapter_of, find
from fairfl_book.translation.sentences import tr

SEVERAL = ". Comparing arrays gives one answer per entry, but `if`, `and`, `or` and `not` need a single one"
MARKS = {"right": "✓", "not yet": "✗", "not attempted yet": "○"}


@dataclass(frozen=True)
class Verdict:
    """The result of a check.

    ``status``: "right", "not yet" (``known`` names the mistake if it is a known one), or "not attempted yet".
    ``message``: the explanation shown with it; empty for "not attempted yet", and for "right" without praise.
    """

    slug: str
    status: str
    message: str = ""
    known: str = ""

    @property
    def words(self) -> tuple[str, str, str]:
        """Mark, head and text, as ``display.say`` takes them."""
        head = "{slug}: {status}." if self.message else "{slug}: {status}"
        return MARKS[self.status], tr(head, slug=self.slug, status=tr(self.status)), self.message

    def __str__(self) -> str:
        return " ".join(word for word in self.words if word)


def judge(exercise: Exercise, answer: object) -> Verdict:
    """Judge ``answer`` and return the ``Verdict`` that ``check`` would show."""
    if answer is None or answer is ... or (isinstance(answer, tuple) and any(part is ... for part in answer)):
        return Verdict(exercise.slug, "not attempted yet")
    if exercise.is_function:
        return _judge_function(exercise, answer)
    return _judge_value(exercise, answer)


def check(slug: str, answer: object) -> None:
    """Show whether ``answer`` solves the exercise called ``slug``, and if it does not, why, as far as that is known.

    ``answer`` is a function or a value, as the exercise asks. Right answers are recorded in the reader's folder (``progress``), except
    those to a turn (``turns``). Raises ``ValueError`` only for an unknown slug.
    """
    if turns.is_turn(slug):
        verdict = judge(turns.find(slug), answer)
        say(MARKS[verdict.status], *turns.words(verdict.status, verdict.message))
        return
    exercise = find(slug)
    if left := stale_answers.stale(slug):
        verdict = Verdict(slug, "not yet", left, "stale")
    else:
        verdict = judge(exercise, answer)
    if verdict.status == "right":
        progress.note(slug)
        done = progress.folder() and progress.here(chapter_of(slug))
        say(*verdict.words, done and tr("{done} exercises in this chapter done.", done=done))
    else:
        say(*verdict.words, _onward(slug))


def unsolved(slug: str) -> tuple[str, str, str, str]:
    """What ``check`` shows for an empty stub of ``slug``, as ``display.bundle`` takes it."""
    return *Verdict(slug, "not attempted yet").words, _onward(slug)


def _onward(slug):
    return tr('`hint("{slug}")` gives a step, `solution("{slug}")` one answer.', slug=slug)


def _judge_value(exercise, answer):
    def right(value):
        return same_value(value, exercise.right, exercise.tolerance)

    def not_yet(why, known=""):
        return Verdict(exercise.slug, "not yet", why, known)

    if right(answer):
        return Verdict(exercise.slug, "right", tr(exercise.praise))
    if callable(answer):
        return not_yet(tr("The answer should be a value, but this is a function: pass what it returns"), "form")
    for name, wrong in exercise.wrong.items():
        if equal(answer, wrong.answer, exercise.tolerance):
            return not_yet(_fill(wrong.why, "", answer, exercise.right), name)
    if form := clumsy(answer, exercise.right, right):
        return not_yet(form, "form")
    for name, wrong in exercise.wrong.items():
        if same_value(answer, wrong.answer, exercise.tolerance):
            return not_yet(_fill(wrong.why, "", answer, exercise.right), name)
    if slip := recognise(exercise, [answer]):
        return not_yet(slip, "slip")
    return not_yet(
        tr("You answer {given}, which is not right. The task: {task}", given=short(answer), task=tr(exercise.task))
    )


def _judge_function(exercise, answer):
    def not_yet(why, known=""):
        return Verdict(exercise.slug, "not yet", why, known)

    if not callable(answer):
        return not_yet(
            tr(
                "The answer should be a function, but this is {given}: pass the function itself, not its result",
                given=short(answer),
            )
        )
    given = []
    for case in exercise.cases:
        try:
            given.append(answer(*copy.deepcopy(case)))
        except Exception as error:
            several = "" if "truth value of an array" not in str(error) else tr(SEVERAL)
            stopped = tr(
                "For {case} your function stops with {error}",
                case=_named(answer, case),
                error=f"{type(error).__name__}: {error}",
            )
            return not_yet(stopped + several)
    if all(g is None or g is ... for g in given):
        if is_stub(answer) or all(g is ... for g in given):  # or its missing line is still `...`
            return Verdict(exercise.slug, "not attempted yet")
        return not_yet(tr("Your function returns nothing: end it with `return` and the value"), "returns nothing")
    right = exercise.right_answers()
    misses = [i for i, (g, r) in enumerate(zip(given, right)) if not equal(g, r, exercise.tolerance)]
    if not misses:
        tried = tr("Tried on {n} inputs. ", n=len(given)) if len(given) > 1 else ""
        return Verdict(exercise.slug, "right", tried + tr(exercise.praise))
    i = misses[0]
    if given[i] is None:
        return not_yet(
            tr(
                "For {case} your function returns nothing: does every path end with `return`?",
                case=_named(answer, exercise.cases[i]),
            ),
            "returns nothing",
        )
    for name, wrong in exercise.wrong.items():
        expected = []
        for case in exercise.cases:
            with suppress(Exception):
                expected.append(wrong.answer(*copy.deepcopy(case)))
        if len(expected) == len(given) and all(equal(g, e, exercise.tolerance) for g, e in zip(given, expected)):
            shown = _named(answer, exercise.cases[i]) if "For {case}" in wrong.why else _case(exercise.cases[i])
            return not_yet(_fill(wrong.why, shown, given[i], right[i]), name)
    shown = tr(
        "For {case} you answer {given}; it should be {right}. ",
        case=_named(answer, exercise.cases[i]),
        given=short(given[i]),
        right=short(right[i]),
    )
    if slip := recognise(exercise, given):
        return not_yet(shown + slip, "slip")
    return not_yet(shown + tr("The task: {task}", task=tr(exercise.task)))


def is_stub(function: object) -> bool:
    """Whether a function's body does nothing: it reads no name, and its only constant is its docstring."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    used = [constant for constant in code.co_consts if constant not in (None, ..., function.__doc__)]
    return not used and not code.co_names and len(code.co_code) <= 8


def _case(case) -> str:
    return ", ".join(short(a) for a in case)


def _named(function, case) -> str:
    """Several arguments with their names in the reader's function, as in "t = 3, eta = 0.1"; without names if it has none."""
    try:
        names = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    except (TypeError, ValueError):  # not every callable has a signature
        names = []
    if len(case) == 1 or len(names) != len(case):
        return _case(case)
    return ", ".join(f"{name} = {short(a)}" for name, a in zip(names, case))


def _fill(why, case, given, right) -> str:
    return tr(why, case=case, given=short(given), right=short(right))
