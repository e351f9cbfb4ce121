"""``claim(statement, residual)``: a statement tried on many random problems.

The residual, what would be zero if the statement held, is written in the reader's own cell; this file only
repeats, bounds and reports.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairfl.errors import refuse
from fairfl.exercises.compare import short
from fairfl.randomness import numpy_generator


@dataclass(frozen=True)
class Outcome:
    """``held`` of ``tried`` cases; ``worst`` residual; ``example``: the plainest failing case, or ``None``."""

    held: int
    tried: int
    worst: float
    example: object = None


def try_claim(residual: Callable, n: int = 200, tolerance: float = 1e-8, seed: int = 0) -> Outcome:
    """Call ``residual(rng)`` with ``n`` keyed ``numpy`` generators.

    ``residual`` returns a number, which fails when it exceeds ``tolerance`` or is not finite, or a pair (number, case)
    where ``case`` describes what was tried. Inequalities: return ``max(0, left − right)``.
    """
    if n < 1:
        raise refuse("n", n, "1 or more", "It is the number of random cases.")
    worst, held, failing = 0.0, 0, []
    for i in range(n):
        result = residual(numpy_generator(seed, "claim", round=i))
        size, case = result if isinstance(result, tuple) else (result, None)
        size = abs(float(size))
        if math.isfinite(size) and size <= tolerance:
            held, worst = held + 1, max(worst, size)
        else:
            failing.append((size, case))
            worst = max(worst, size) if math.isfinite(size) else math.inf
    example = None
    if failing:
        size, case = min(failing, key=lambda f: len(_words(f[1])))
        example = f"{_words(case)}{', ' if case is not None else ''}residual {size:.2g}"
    return Outcome(held, n, worst, example)


def claim(statement: str, residual: Callable, n: int = 200, tolerance: float = 1e-8, seed: int = 0) -> None:
    """Print how ``statement`` fares on ``n`` random cases: a count and a power of ten, or the plainest case that fails."""
    outcome = try_claim(residual, n, tolerance, seed)
    if outcome.held == outcome.tried:
        print(f"{statement}: {outcome.held} of {outcome.tried} random cases, residual {_below(outcome.worst)}")
    else:
        print(f"{statement}: fails in {outcome.tried - outcome.held} of {outcome.tried} random cases. "
              f"Smallest case found: {outcome.example}")


def _below(worst: float) -> str:
    """A power of ten that another machine's rounding will not change: one decade above, and never below 1e-12."""
    exponent = -12 if worst <= 1e-13 else math.ceil(math.log10(worst)) + 1
    return f"below 1e{exponent:+03d}".replace("e+00", "").replace("e+0", "e").replace("e-0", "e-")


def _words(case) -> str:
    if case is None:
        return ""
    if isinstance(case, dict):
        return ", ".join(f"{name} {short(value)}" for name, value in case.items())
    return case if isinstance(case, str) else short(np.asarray(case) if isinstance(case, list) else case)
