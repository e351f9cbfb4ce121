"""Recognise common errors of any exercise (a sign, a reciprocal, a transpose, a rounding) and explain each of them.

An exercise's own ``wrong`` answers come first, because they know the subject. This module knows only arithmetic.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from fairfl_book.exercises.compare import equal, numbers, plain, short
from fairfl_book.exercises.registry import Exercise
from fairfl_book.translation.sentences import tr

TOLERANCE = 1e-6
_MATRIX, _VECTOR = 2, 1


def _matrix(y):
    return y.T if y.ndim == _MATRIX else None


def _ends(y):
    return y[::-1] if y.ndim == _VECTOR else None


def _rest(y):
    return 1 - y if y.size and y.min() >= 0 and y.max() <= 1 else None


def _total(y):
    return y / y.sum() if y.ndim == _VECTOR else None


# Changes to the right answer, each with its explanation. A change takes an array of real numbers and returns another one, or None if it
# does not apply.
OUTPUT: dict[str, tuple[Callable, str]] = {
    "sign": (np.negative, "The sign is wrong: your answer is the negative of the right one"),
    "reciprocal": (lambda y: 1 / y, "Your answer is the reciprocal of the right one: what should be divided by what?"),
    "complement": (_rest, "Your answer and the right one add up to one: did you compute the other part?"),
    "transpose": (_matrix, "Your answer is the transpose of the right one: rows and columns are exchanged"),
    "reversed": (_ends, "The entries are right, but in the opposite order"),
    "one too many": (lambda y: y + 1, "Your answer is too large by exactly one"),
    "one too few": (lambda y: y - 1, "Your answer is too small by exactly one"),
    "squared": (np.square, "Your answer is the square of the right one: a square root is missing"),
    "root": (np.sqrt, "Your answer is the square root of the right one: a square is missing"),
    "absolute": (np.abs, "The absolute values are right, but a minus sign is lost: where does it become positive?"),
    "clipped at zero": (lambda y: np.maximum(y, 0), "Your answer is zero where the right one is negative"),
    "clipped to one": (lambda y: np.minimum(y, 1), "Your answer stops at one where the right one goes on"),
    "degrees": (np.degrees, "Your answer is 180/π times the right one: is it in degrees instead of radians?"),
    "radians": (np.radians, "Your answer is π/180 times the right one: is it in radians instead of degrees?"),
    "per cent": (
        lambda y: 100 * y,
        "Your answer is a hundred times the right one: is it in per cent, where the exercise asks for a share?",
    ),
    "share": (
        lambda y: y / 100,
        "Your answer is a hundredth of the right one: is it a share, where the exercise asks for per cent?",
    ),
    "logarithm": (np.log, "Your answer is the logarithm of the right one"),
    "exponential": (np.exp, "Your answer is the exponential of the right one"),
    "normalised": (_total, "Your answer is divided by its sum, but the right one is not"),
    "unit length": (
        lambda y: y / np.linalg.norm(y) if y.ndim == _VECTOR else None,
        "Your answer is divided by its length, but the right one is not",
    ),
    "truncated": (
        np.trunc,
        "Your answer lacks the digits after the decimal point: does an integer division or a rounding remove them?",
    ),
    "rounded to whole numbers": (np.round, "Your answer is rounded to whole numbers: keep more digits"),
    "rounded to one place": (lambda y: np.round(y, 1), "Your answer is rounded to one decimal place: keep more digits"),
    "rounded to two places": (
        lambda y: np.round(y, 2),
        "Your answer is rounded to two decimal places: keep more digits",
    ),
    "opposite": (
        lambda y: np.logical_not(y) if y.dtype == bool else None,
        "Your answer is True where it should be False, and the other way round",
    ),
}

# Changes to one argument, applied before a correct function is called.
INPUT: dict[str, tuple[Callable, str]] = {
    "transposed": (
        _matrix,
        "That is the answer for {argument} transposed: do you multiply from the other side, or sum over the other index?",
    ),
    "turned round": (
        _ends,
        "That is the answer for {argument} in reverse order: does an index or an ordering run the wrong way?",
    ),
    "negated": (np.negative, "That is the answer for the negative of {argument}: a sign is wrong"),
    "inverted": (
        lambda x: 1 / x,
        "That is the answer for the reciprocal of {argument}: do you divide where you should multiply, or the other way round?",
    ),
    "squared": (np.square, "That is the answer for the square of {argument}: where do you square it?"),
    "rooted": (
        np.sqrt,
        "That is the answer for the square root of {argument}: where do you take a root, or forget a square?",
    ),
    "sorted": (
        lambda x: np.sort(x) if x.ndim == _VECTOR else None,
        "That is the answer for {argument} sorted: the entries may no longer belong to the right clients",
    ),
    "one more": (
        lambda x: x + 1 if x.ndim == 0 else None,
        "That is the answer for {argument} plus one: where do you add one?",
    ),
    "one less": (
        lambda x: x - 1 if x.ndim == 0 else None,
        "That is the answer for {argument} minus one: where do you subtract one?",
    ),
}
SWAPPED = "That is the answer with the {a} and {b} arguments exchanged"
NAMES = ("first", "second", "third", "fourth", "fifth")


def recognise(exercise: Exercise, given: Sequence[object]) -> str:
    """Explain the error that turns the right answers into ``given``, one per case (a value has one); "" if no known error does."""
    right = exercise.right_answers()
    if not exercise.is_function and np.ndim(plain(right[0])) == 0 and (words := _proportional(given, right)):
        return words  # for a single number, "half" is certain, and a square of the same value is a guess
    for _, words, made in _slips(exercise):
        if len(made) == len(given) and all(equal(g, m, TOLERANCE) for g, m in zip(given, made)):
            return words
    # The reply to a function shows this case first, so nothing below may describe another case as if it were this one.
    shown = next((i for i, (g, r) in enumerate(zip(given, right)) if not equal(g, r, exercise.tolerance)), 0)
    return (
        _truth(given, right)
        or _members(given[shown], right[shown])
        or _shape(exercise, given, right, shown)
        or _same(given, right)
        or _proportional(given, right)
    )


def natural(exercise: Exercise) -> Iterator[tuple[str, object]]:
    """Answers that contain one error, each with its name; for a function, functions. Answers that are still right are left out."""
    right = exercise.right_answers()
    for name, _, made in [*_slips(exercise), *_more(exercise, right)]:
        if len(made) != len(right) or all(equal(m, r, exercise.tolerance) for m, r in zip(made, right)):
            continue
        yield name, _replaying(exercise, made) if exercise.is_function else made[0]


def _replaying(exercise, made):
    """A function that returns the values in ``made``, one per case, in the order of the exercise's cases."""
    answers = iter(made)
    return lambda *case: next(answers)


def _slips(exercise) -> Iterator[tuple[str, str, list]]:
    """Each error's name, its explanation and the answers that it leads to, case by case; errors that change nothing are left out."""
    right = exercise.right_answers()
    for name, (change, words) in OUTPUT.items():
        if not exercise.is_function and name.startswith("clipped"):
            continue  # one clipped number is not a pattern
        made = [_changed(change, y) for y in right]
        if all(m is not None for m in made) and not all(equal(m, y, TOLERANCE) for m, y in zip(made, right)):
            yield name, tr(words), made
    if not exercise.is_function or all(isinstance(y, (bool, np.bool_)) for y in right):
        return  # a few answers True or False agree by chance with those to a changed argument
    count = len(exercise.cases[0])
    for at in range(count):
        for name, (change, words) in INPUT.items():
            made = _rightly(exercise, [_with(case, at, _changed(change, case[at])) for case in exercise.cases])
            if made and not all(equal(m, y, TOLERANCE) for m, y in zip(made, right)):
                argument = f"the {NAMES[at]} argument" if count > 1 else "the argument"
                yield f"{argument} {name}", tr(words, argument=tr(argument)), made
    for a in range(count):
        for b in range(a + 1, count):
            made = _rightly(exercise, [_with(_with(case, a, case[b]), b, case[a]) for case in exercise.cases])
            if made and not all(equal(m, y, TOLERANCE) for m, y in zip(made, right)):
                yield f"{NAMES[a]} and {NAMES[b]} exchanged", tr(SWAPPED, a=tr(NAMES[a]), b=tr(NAMES[b])), made


def _more(exercise, right) -> Iterator[tuple[str, str, list]]:
    """Errors that this module does not explain, for the test that an exercise's own ``wrong`` answers do."""
    for name, change in {
        "doubled": lambda y: 2 * y,
        "halved": lambda y: y / 2,
        "summed up": lambda y: y.sum() if y.ndim else None,
        "averaged": lambda y: y.mean() if y.ndim and y.size else None,
        "not normalised": lambda y: y * 3.7 if y.ndim == _VECTOR and abs(y.sum() - 1) < TOLERANCE else None,
        "first entry only": lambda y: y[0] if y.ndim == _VECTOR and y.size else None,
        "last entry lost": lambda y: y[:-1] if y.ndim == _VECTOR and y.size > 1 else None,
        "as a column": lambda y: y[:, None] if y.ndim == _VECTOR else None,
    }.items():
        made = [_changed(change, y) for y in right]
        if all(m is not None for m in made):
            yield name, "", made


def _changed(change, value):
    """Apply ``change`` to a value made of real numbers or booleans; ``None`` if it does not apply or the result is not finite."""
    value = plain(value)
    if isinstance(value, (str, dict, set, frozenset)) or value is None:
        return None
    try:
        array = np.asarray(value)
        if array.dtype == bool and change is not OUTPUT["opposite"][0] or array.dtype.kind not in "fiub":
            return None
        with np.errstate(all="ignore"):
            made = change(array if array.dtype == bool else array.astype(float))
    except (TypeError, ValueError):
        return None
    return made if made is not None and np.isfinite(np.asarray(made, dtype=float)).all() else None


def _with(case, at, value):
    return (*case[:at], value, *case[at + 1 :])


def _rightly(exercise, cases):
    """The right answers to changed cases; empty if a case has no answer, or none made of finite numbers."""
    made = []
    for case in cases:
        if any(argument is None for argument in case):
            return []
        with suppress(Exception), np.errstate(all="ignore"):
            answer = exercise.right(*copy.deepcopy(case))
            if _changed(np.positive, answer) is not None or isinstance(answer, (bool, np.bool_, str)):
                made.append(answer)
    return made if len(made) == len(cases) else []


def _truth(given, right) -> str:
    """Explain answers that should be booleans and are not."""
    if all(isinstance(wanted, (bool, np.bool_)) for wanted in right):
        for value in given:
            if np.size(plain(value)) > 1:
                return tr(
                    "The answer should be one True or False, but yours has several: `.all()` or `.any()` combines them into one"
                )
            if not isinstance(value, (bool, np.bool_)):
                return tr("The answer should be True or False")
    return ""


def _members(given, wanted) -> str:
    """Say how many members of a set are right, without saying which."""
    if not isinstance(wanted, (set, frozenset)) or not isinstance(given, (set, frozenset, list, tuple)):
        return ""
    given = set(given)
    message = "Members of your answer that are right: {right}; that do not belong: {more}; missing: {missing}"
    return tr(message, right=len(given & wanted), more=len(given - wanted), missing=len(wanted - given))


def _same(given, right) -> str:
    """Explain answers that do not depend on the arguments."""
    if (
        len(given) > 1
        and all(equal(g, given[0], TOLERANCE) for g in given)
        and not all(equal(r, right[0], TOLERANCE) for r in right)
    ):
        return tr(
            "Your answer is the same for all {n} inputs that were tried: does your function use its arguments?",
            n=len(given),
        )
    return ""


def _shape(exercise, given, right, shown) -> str:
    """Explain answers with another shape than the right ones; if that is not so in the case ``shown``, name the case where it is."""
    for i in sorted(range(len(given)), key=lambda i: i != shown):
        a, b = numbers(given[i]), numbers(right[i])
        if a is None or b is None or a.shape == b.shape:
            continue
        spelled = {"wanted": _spelled(b.shape), "given": _spelled(a.shape)}
        if i == shown:
            return tr("The answer should be {wanted}, but yours is {given}", **spelled)
        case = ", ".join(map(short, exercise.cases[i]))
        return tr("For {case} the answer should be {wanted}, but yours is {given}", case=case, **spelled)
    return ""


def _spelled(shape) -> str:
    if not shape:
        return tr("one number")
    if len(shape) == 1:
        return tr("a list of {n}", n=shape[0])
    return tr("an array of {shape}", shape=" × ".join(map(str, shape)))


def _proportional(given, right) -> str:
    """Explain answers that are multiples of the right ones."""
    pairs = [(numbers(g), numbers(r)) for g, r in zip(given, right)]
    if any(part is None for pair in pairs for part in pair):
        return ""
    factors = []
    for value, wanted in pairs:
        if not np.isfinite(value).all() or not np.any(wanted) and np.any(value):
            return ""
        if not np.any(wanted):
            continue
        factor = float((value * wanted).sum() / (wanted**2).sum())
        if not np.allclose(value, factor * wanted, rtol=TOLERANCE, atol=TOLERANCE) or abs(factor) < TOLERANCE:
            return ""
        factors.append(factor)
    if not factors:
        return ""
    several = len(factors) > 1 or pairs[0][0].size > 1
    if several and np.allclose(factors, factors[0], rtol=TOLERANCE):
        message = (
            "Your answer is always {factor} times the right one: a constant factor is missing, or there is one too many"
        )
        return tr(message, factor=f"{factors[0]:.4g}")
    if all(wanted.ndim and abs(wanted.sum() - 1) < TOLERANCE for _, wanted in pairs):
        return tr("The proportions are right, but the sum should be one: divide by it")
    if all(wanted.ndim for _, wanted in pairs) and min(factors) > 0:
        return tr("The direction is right, but the length is not: it is off by a factor that differs from case to case")
    if not several and any(abs(factors[0] - simple) < TOLERANCE for simple in (0.5, 2.0, 0.25, 4.0)):
        return tr("Your answer is {factor} times the right one", factor=f"{factors[0]:g}")
    if not several and any(abs(factors[0] - tens) < TOLERANCE for tens in (0.1, 10.0)):
        message = "Your answer is {factor} times the right one: where does a factor of ten get lost, or come in?"
        return tr(message, factor=f"{factors[0]:g}")
    return ""
