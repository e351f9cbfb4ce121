"""``claim(statement, residual)``: test a statement on many random problems.

The residual, which is zero if the statement holds, is written in the reader's own cell. This module only repeats, bounds and
reports it.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairfl._randomness import numpy_generator
from fairfl.errors import refuse
from fairfl_book.exercises.compare import short
from fairfl_book.translation.sentences import tr

HOLDS = "{statement}: {held} of {tried} random cases, residual at most {bound}"
FAILS = "{statement}: fails in {failed} of {tried} random cases. Worst: {case}"
PLAINEST = ". Plainest: {case}"
RESIDUAL = "residual {size}"


@dataclass(frozen=True)
class Outcome:
    """The result of a claim: it ``held`` in that many of the ``tried`` cases.

    ``worst``: the largest residual. ``example``: the failing case with that residual, or ``None``. ``plainest``: the failing case
    with the shortest description, if that is shorter than the worst one's.
    """

    held: int
    tried: int
    worst: float
    example: str | None = None
    plainest: str | None = None


def try_claim(residual: Callable, n: int = 200, tolerance: float = 1e-8, seed: int = 0) -> Outcome:
    """Evaluate ``residual(rng)`` with ``n`` keyed NumPy generators.

    ``residual`` returns a number, which fails when it exceeds ``tolerance`` or is not finite, or a pair (number, case)
    where ``case`` describes the problem. For an inequality left ≤ right, return ``max(0, left − right)``.
    """
    if n < 1:
        raise refuse("n", n, "1 or more", "It is the number of random cases.")
    worst, held, failing = 0.0, 0, []
    for i in range(n):
        result = residual(numpy_generator(seed, "claim", round=i))
        size, case = result if isinstance(result, tuple) else (result, None)
        size = abs(float(size))
        size = size if math.isfinite(size) else math.inf
        worst = max(worst, size)
        if size <= tolerance:
            held += 1
        else:
            failing.append((size, _words(case)))
    if not failing:
        return Outcome(held, n, worst)
    largest, plainest = max(failing, key=lambda f: f[0]), min(failing, key=lambda f: len(f[1]))
    return Outcome(
        held, n, worst, _described(*largest), _described(*plainest) if len(plainest[1]) < len(largest[1]) else None
    )


def claim(statement: str, residual: Callable, n: int = 200, tolerance: float = 1e-8, seed: int = 0) -> None:
    """Print whether ``statement`` holds in ``n`` random cases: the count and a bound on all residuals, or the worst failing case.

    The printed bound is ``tolerance``, which is the same on every machine. How far below it the worst residual lies is rounding.
    """
    outcome, said = try_claim(residual, n, tolerance, seed), tr(statement)
    if outcome.held == outcome.tried:
        print(tr(HOLDS, statement=said, held=outcome.held, tried=outcome.tried, bound=_power(tolerance)))
        return
    failed = outcome.tried - outcome.held
    message = tr(FAILS, statement=said, failed=failed, tried=outcome.tried, case=outcome.example)
    print(message + (tr(PLAINEST, case=outcome.plainest) if outcome.plainest else ""))


def retold(line: str) -> str:
    """What ``claim`` printed in English, in the current language; any other line as it is."""
    if found := _shape(HOLDS).fullmatch(line):
        return tr(HOLDS, **{**found.groupdict(), "statement": tr(found["statement"])})
    if found := _shape(FAILS).fullmatch(line):
        worst, _, plainest = found["case"].partition(PLAINEST.partition("{")[0])
        values = {**found.groupdict(), "statement": tr(found["statement"]), "case": _sized(worst)}
        return tr(FAILS, **values) + (tr(PLAINEST, case=_sized(plainest)) if plainest else "")
    return line


def _shape(template):
    """A pattern that matches the English ``template`` with its places filled in."""
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(template)))


def _sized(case):
    """The description of a failing case, whose residual comes last."""
    before, found = case.rpartition(RESIDUAL.partition("{")[0])[::2]
    return before + tr(RESIDUAL, size=found)


def _described(size: float, words: str) -> str:
    return f"{words}{', ' if words else ''}" + tr(RESIDUAL, size=f"{size:.2g}")


def _power(number: float) -> str:
    """A number with a short exponent: 1e-8 instead of Python's 1e-08."""
    mantissa, e, exponent = f"{number:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def _words(case) -> str:
    if case is None:
        return ""
    if isinstance(case, dict):
        return ", ".join(f"{name} {short(value)}" for name, value in case.items())
    return case if isinstance(case, str) else short(np.asarray(case) if isinstance(case, list) else case)
