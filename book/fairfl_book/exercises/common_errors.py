"""Slips of the hand that any exercise invites (a sign, a reciprocal, a transpose, a rounding), and the words for each.

An exercise's own ``wrong`` answers come first: they know the subject. What stands here knows arithmetic only.
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


# What was done to the right answer → what to say. Each takes an array of real numbers and returns another, or None where it has no meaning.
OUTPUT: dict[str, tuple[Callable, str]] = {
    "sign": (np.negative, "The sign is turned: yours is the right answer's negative"),
    "reciprocal": (lambda y: 1 / y, "Yours is the reciprocal of the right answer: what is divided by what?"),
    "complement": (_rest, "Yours and the right answer add up to one: is it the other part?"),
    "transpose": (_matrix, "Yours is the right answer transposed: rows and columns have changed places"),
    "reversed": (_ends, "The entries are right, but in the opposite order"),
    "one too many": (lambda y: y + 1, "Yours is too large by exactly one"),
    "one too few": (lambda y: y - 1, "Yours is too small by exactly one"),
    "squared": (np.square, "Yours is the square of the right answer: a root is missing"),
    "root": (np.sqrt, "Yours is the root of the right answer: a square is missing"),
    "absolute": (np.abs, "The sizes are right, and a sign is lost: where does it become positive?"),
    "clipped at zero": (lambda y: np.maximum(y, 0), "Yours is zero where the right answer is negative"),
    "clipped to one": (lambda y: np.minimum(y, 1), "Yours stops at one where the right answer goes on"),
    "degrees": (np.degrees, "Yours is 180/π times the right answer: is it in degrees, and asked is for radians?"),
    "radians": (np.radians, "Yours is π/180 times the right answer: is it in radians, and asked is for degrees?"),
    "per cent": (
        lambda y: 100 * y,
        "Yours is a hundred times the right answer: is it in per cent, and asked is for a share?",
    ),
    "share": (lambda y: y / 100, "Yours is a hundredth of the right answer: is it a share, and asked is for per cent?"),
    "logarithm": (np.log, "Yours is the logarithm of the right answer"),
    "exponential": (np.exp, "Yours is the exponential of the right answer"),
    "normalised": (_total, "Yours is divided by its sum, and the right answer is not"),
    "unit length": (
        lambda y: y / np.linalg.norm(y) if y.ndim == _VECTOR else None,
        "Yours is divided by its length, and the right answer is not",
    ),
    "truncated": (
        np.trunc,
        "Yours lacks what stands behind the point: is there a division of whole numbers, or a rounding?",
    ),
    "rounded to whole numbers": (np.round, "Yours is rounded to whole numbers: round less"),
    "rounded to one place": (lambda y: np.round(y, 1), "Yours is rounded to one place: round less"),
    "rounded to two places": (lambda y: np.round(y, 2), "Yours is rounded to two places: round less"),
    "opposite": (
        lambda y: np.logical_not(y) if y.dtype == bool else None,
        "Yours says True where it should say False, and the other way round",
    ),
}

# What was done to one argument before a right function was called.
INPUT: dict[str, tuple[Callable, str]] = {
    "transposed": (
        _matrix,
        "That is the answer for {argument} transposed: does it multiply from the other side, or sum over the other index?",
    ),
    "turned round": (
        _ends,
        "That is the answer for {argument} read from its other end: does an index or an order run the wrong way?",
    ),
    "negated": (np.negative, "That is the answer for the negative of {argument}: a sign is turned"),
    "inverted": (
        lambda x: 1 / x,
        "That is the answer for the reciprocal of {argument}: divided where it should be multiplied, or the other way round",
    ),
    "squared": (np.square, "That is the answer for the square of {argument}: where is it squared?"),
    "rooted": (np.sqrt, "That is the answer for the root of {argument}: where is a root taken, or a square forgotten?"),
    "sorted": (
        lambda x: np.sort(x) if x.ndim == _VECTOR else None,
        "That is the answer for {argument} sorted: you may have lost which entry belongs to whom",
    ),
    "one more": (
        lambda x: x + 1 if x.ndim == 0 else None,
        "That is the answer for {argument} plus one: where is one added?",
    ),
    "one less": (
        lambda x: x - 1 if x.ndim == 0 else None,
        "That is the answer for {argument} minus one: where is one taken away?",
    ),
}
SWAPPED = "That is the answer with the {a} and the {b} argument exchanged"
NAMES = ("first", "second", "third", "fourth", "fifth")


def recognise(exercise: Exercise, given: Sequence[object]) -> str:
    """The words for a slip that turns the right answers into ``given``, one a case (a value has one); "" if none does."""
    right = exercise.right_answers()
    if not exercise.is_function and np.ndim(plain(right[0])) == 0 and (words := _proportional(given, right)):
        return words  # of a single number "half" is certain, and a square that happens to be as large is a guess
    for _, words, made in _slips(exercise):
        if len(made) == len(given) and all(equal(g, m, TOLERANCE) for g, m in zip(given, made)):
            return words
    # What is said first of a function shows this case: nothing below may speak of another one as if it were this.
    shown = next((i for i, (g, r) in enumerate(zip(given, right)) if not equal(g, r, exercise.tolerance)), 0)
    return (
        _truth(given, right)
        or _members(given[shown], right[shown])
        or _shape(exercise, given, right, shown)
        or _same(given, right)
        or _proportional(given, right)
    )


def natural(exercise: Exercise) -> Iterator[tuple[str, object]]:
    """Answers with a slip in them, each with its name; for a function, functions. Those that are right all the same are left out."""
    right = exercise.right_answers()
    for name, _, made in [*_slips(exercise), *_more(exercise, right)]:
        if len(made) != len(right) or all(equal(m, r, exercise.tolerance) for m, r in zip(made, right)):
            continue
        yield name, _replaying(exercise, made) if exercise.is_function else made[0]


def _replaying(exercise, made):
    """A function that answers the exercise's cases, in turn, with ``made``."""
    answers = iter(made)
    return lambda *case: next(answers)


def _slips(exercise) -> Iterator[tuple[str, str, list]]:
    """Every slip's name, its words, and what it makes of the right answers, case by case; those that change nothing are left out."""
    right = exercise.right_answers()
    for name, (change, words) in OUTPUT.items():
        if not exercise.is_function and name.startswith("clipped"):
            continue  # where a single answer stops is no pattern
        made = [_changed(change, y) for y in right]
        if all(m is not None for m in made) and not all(equal(m, y, TOLERANCE) for m, y in zip(made, right)):
            yield name, tr(words), made
    if not exercise.is_function:
        return
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
    """Slips without words of their own here, so that somebody sees whether the exercise has some."""
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
    """``change`` of a value that is made of real numbers or truth values; ``None`` where that has no meaning, or is not finite."""
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
    """The right answers to changed cases; empty where one cannot be answered, or not by finite numbers."""
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
    """The words for answers that are no truth values where the right ones are."""
    if all(isinstance(wanted, (bool, np.bool_)) for wanted in right):
        for mine in given:
            if np.size(plain(mine)) > 1:
                return tr(
                    "Asked is for one True or False, and yours is several: `.all()` or `.any()` makes one of them"
                )
            if not isinstance(mine, (bool, np.bool_)):
                return tr("Asked is for True or False")
    return ""


def _members(mine, wanted) -> str:
    """The words for a set, which may be told how much of it is right but not what."""
    if not isinstance(wanted, (set, frozenset)) or not isinstance(mine, (set, frozenset, list, tuple)):
        return ""
    mine = set(mine)
    said = "Of yours, right: {right}; too many: {more}; missing: {missing}"
    return tr(said, right=len(mine & wanted), more=len(mine - wanted), missing=len(wanted - mine))


def _same(given, right) -> str:
    """The words for answers that do not depend on what was asked."""
    if (
        len(given) > 1
        and all(equal(g, given[0], TOLERANCE) for g in given)
        and not all(equal(r, right[0], TOLERANCE) for r in right)
    ):
        return tr("Yours is the same for all {n} inputs that were tried: does it use them?", n=len(given))
    return ""


def _shape(exercise, given, right, shown) -> str:
    """The words for answers that are more, or fewer, numbers than the right ones; for another case than the one ``shown``, with that case."""
    for i in sorted(range(len(given)), key=lambda i: i != shown):
        a, b = numbers(given[i]), numbers(right[i])
        if a is None or b is None or a.shape == b.shape:
            continue
        spelled = {"wanted": _spelled(b.shape), "given": _spelled(a.shape)}
        if i == shown:
            return tr("Asked is for {wanted}, and yours is {given}", **spelled)
        case = ", ".join(map(short, exercise.cases[i]))
        return tr("For {case} the answer should be {wanted}, and yours is {given}", case=case, **spelled)
    return ""


def _spelled(shape) -> str:
    if not shape:
        return tr("one number")
    if len(shape) == 1:
        return tr("a list of {n}", n=shape[0])
    return tr("an array of {shape}", shape=" × ".join(map(str, shape)))


def _proportional(given, right) -> str:
    """The words for answers that are multiples of the right ones."""
    pairs = [(numbers(g), numbers(r)) for g, r in zip(given, right)]
    if any(part is None for pair in pairs for part in pair):
        return ""
    factors = []
    for mine, wanted in pairs:
        if not np.isfinite(mine).all() or not np.any(wanted) and np.any(mine):
            return ""
        if not np.any(wanted):
            continue
        factor = float((mine * wanted).sum() / (wanted**2).sum())
        if not np.allclose(mine, factor * wanted, rtol=TOLERANCE, atol=TOLERANCE) or abs(factor) < TOLERANCE:
            return ""
        factors.append(factor)
    if not factors:
        return ""
    several = len(factors) > 1 or pairs[0][0].size > 1
    if several and np.allclose(factors, factors[0], rtol=TOLERANCE):
        said = "Yours is always {factor} times the right answer: a constant factor is missing, or one too many"
        return tr(said, factor=f"{factors[0]:.4g}")
    if all(wanted.ndim and abs(wanted.sum() - 1) < TOLERANCE for _, wanted in pairs):
        return tr("The proportions are right: divide by their sum, so that it becomes one")
    if all(wanted.ndim for _, wanted in pairs) and min(factors) > 0:
        return tr("The direction is right, and the length is not: a factor differs from case to case")
    if not several and any(abs(factors[0] - simple) < TOLERANCE for simple in (0.5, 2.0, 0.25, 4.0)):
        return tr("Yours is {factor} times the right answer", factor=f"{factors[0]:g}")
    if not several and any(abs(factors[0] - tens) < TOLERANCE for tens in (0.1, 10.0)):
        said = "Yours is {factor} times the right answer: where does a ten get lost, or come in?"
        return tr(said, factor=f"{factors[0]:g}")
    return ""
