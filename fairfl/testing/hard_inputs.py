"""Inputs on which a formula can break: the answer must be finite, and the rule must not raise an error."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from fairfl.rules import Rule
from fairfl.testing.answers import usable_in_every_round
from fairfl.testing.case import Case
from fairfl.testing.property import Property
from fairfl.testing.rounds import round_of, small_rows

SIZES = ((2, 2), (3, 3), (5, 40))


def _rows(K: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(K)
    return small_rows(rng, K, d) if d <= 4 else rng.normal(size=(K, d))


def _cases(inputs: Callable[[], Iterator[Any]]) -> Callable[[Rule], Iterator[Case]]:
    """Cases of the rows, or the pairs of rows and losses, that ``inputs`` yields; each is asked two rounds in a row."""

    def cases(rule: Rule) -> Iterator[Case]:
        for given in inputs():
            rows, losses = given if isinstance(given, tuple) else (given, None)
            for dtype in (torch.float64, torch.float32):
                updates = round_of(rule, rows, losses, dtype=dtype)
                yield Case((updates, updates), note="for updates in rounds:\n    rule.direction(updates)")

    return cases


def _one_client() -> Iterator[np.ndarray]:
    yield np.array([[2.0]])
    yield np.array([[1.0, -2.0]])
    yield _rows(5, 40)[:1]


def _more_clients_than_parameters() -> Iterator[np.ndarray]:
    yield np.array([[1.0], [2.0]])
    yield np.array([[1.0], [-1.0], [2.0]])
    yield np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    yield np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0], [1.0, -1.0]])
    rows = np.random.default_rng(0).normal(size=(12, 4))
    yield rows
    yield rows + [3, 0, 0, 0]


def _zero_updates() -> Iterator[np.ndarray]:
    yield np.zeros((1, 1))
    for K, d in SIZES:
        rows = _rows(K, d)
        rows[-1] = 0
        yield rows
        yield 0 * rows


def _linearly_dependent() -> Iterator[np.ndarray]:
    for K, d in SIZES:
        rows = _rows(K, d)
        yield np.vstack([rows[0], rows[0]])
        yield np.vstack([rows[0], -rows[0]])
        yield np.vstack([rows, rows[:1]])
        yield np.vstack([rows, rows.sum(0)])
        yield np.vstack([rows, -rows.sum(0)])


def _extreme_lengths() -> Iterator[np.ndarray]:
    for factor in (1e12, 1e-12):
        for K, d in ((1, 1), *SIZES):
            rows = _rows(K, d)
            yield factor * rows
            rows[0] *= factor
            yield rows


def _extreme_losses() -> Iterator[tuple[np.ndarray, list[float]]]:
    for K, d in SIZES:
        rows, losses = _rows(K, d), [1.0, 2.0, 0.5, 3.0, 1.5][:K]
        yield rows, [0.0, *losses[1:]]
        yield rows, [0.0] * K
        yield rows, [1.0] * K
        for factor in (1e12, 1e-12):
            yield rows, [factor * losses[0], *losses[1:]]
            yield rows, [factor * loss for loss in losses]


SAY_WHY = "Return a finite direction (the zero vector, if nothing else is right) and say why in its reason."


def _property(name: str, description: str, remedy: str, inputs: Callable[[], Iterator[Any]]) -> Property:
    return Property(name, f"finite answers {description}", f"{remedy} {SAY_WHY}", _cases(inputs), usable_in_every_round)


HARD_INPUTS = (
    _property("one_client", "for a single client", "Do not divide by K - 1 or by a spread.", _one_client),
    _property(
        "more_clients_than_parameters",
        "for more clients than parameters (K > d)",
        "The Gram matrix is singular: do not invert it.",
        _more_clients_than_parameters,
    ),
    _property(
        "zero_updates",
        "if some or all updates are zero",
        "Do not divide by an update's length; set zero updates aside.",
        _zero_updates,
    ),
    _property(
        "linearly_dependent",
        "for copies, opposites and sums of other updates",
        "The Gram matrix is singular: do not invert it.",
        _linearly_dependent,
    ),
    _property(
        "extreme_lengths",
        "for updates 1e12 times longer or shorter, all or one of them",
        "Divide by the largest length first, and use no absolute tolerance.",
        _extreme_lengths,
    ),
    _property(
        "extreme_losses",
        "for losses that are zero, equal, or 1e12 times larger or smaller",
        "Do not divide by a loss, and subtract the largest before an exponential.",
        _extreme_losses,
    ),
)
