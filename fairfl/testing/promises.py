"""Properties that some rules promise: convex weights, descent, prescribed rates, and what scaling does."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from fairfl.rules import Direction, Rule
from fairfl.testing.case import Case
from fairfl.testing.comparison import close, length
from fairfl.testing.property import MakeRule, Property
from fairfl.testing.rounds import draws, round_of
from fairfl.updates import Updates

Scales = Callable[[Updates], torch.Tensor]


def _plain_cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, _ in draws():
        yield Case((round_of(rule, gradients, losses, seed=seed),), note="rule.direction(updates)")


def _convex_fault(make: MakeRule, case: Case, value: None) -> str:
    weights = make().direction(case.rounds[0]).weights
    if weights is None:
        return "the direction has no weights"
    if bool((weights >= -1e-12).all()) and abs(float(weights.sum()) - 1) <= 1e-9:
        return ""
    return f"the weights are {weights.tolist()}, with the sum {float(weights.sum())!r}"


def _descent_cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, rng in draws():
        readable = bool((gradients == gradients.round()).all())
        sizes = rng.choice([1.0, 1.0, 10.0], len(gradients)) if readable else 10 ** rng.uniform(-1, 1, len(gradients))
        yield Case((round_of(rule, gradients * sizes[:, None], losses, seed=seed),), note="rule.direction(updates)")


def _rates(direction: Direction, updates: Updates) -> torch.Tensor:
    return updates.gradients @ direction.vector


def _descent_fault(make: MakeRule, case: Case, value: None) -> str:
    (updates,) = case.rounds
    direction = make().direction(updates)
    least = -1e-9 * length(direction.vector) * updates.gradients.norm(dim=1)
    rates = _rates(direction, updates) if direction.rates is None else direction.rates
    if bool((rates >= least).all()):
        return ""
    return f"the direction {direction.vector.tolist()} gives the rates {rates.tolist()}"


def _ratios(make: MakeRule, updates: Updates, scales: Scales | None) -> tuple[Direction, torch.Tensor]:
    """A rule's answer, and each client's rate divided by its scale (K,)."""
    direction = make().direction(updates)
    wanted = torch.ones(len(updates), dtype=torch.float64) if scales is None else scales(updates)
    return direction, _rates(direction, updates) / wanted


def _rates_fault(make: MakeRule, case: Case, scales: Scales | None) -> str:
    _, ratios = _ratios(make, case.rounds[0], scales)
    common = ratios.mean()
    if bool(((ratios - common).abs() <= 1e-7 * common.abs()).all()):
        return ""
    return f"the rates, divided by their scales, are {ratios.tolist()}"


def _least_rates_fault(make: MakeRule, case: Case, scales: Scales | None) -> str:
    direction, ratios = _ratios(make, case.rounds[0], scales)
    equal = torch.ones(len(ratios), dtype=torch.bool) if direction.weights is None else direction.weights > 1e-9
    common = ratios[equal].mean() if bool(equal.any()) else ratios.mean()
    slack = 1e-7 * common.abs()
    if bool(((ratios[equal] - common).abs() <= slack).all()) and bool((ratios >= common - slack).all()):
        return ""
    weights = "" if direction.weights is None else f", with the weights {direction.weights.tolist()}"
    return f"the rates, divided by their scales, are {ratios.tolist()}{weights}"


def _stationary_cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, rng in draws(least=2):
        gradients = gradients.copy()
        if bool((gradients == gradients.round()).all()):
            gradients[-1] = -rng.integers(1, 3, len(gradients) - 1) @ gradients[:-1]
        else:
            gradients[-1] = -rng.dirichlet(np.ones(len(gradients) - 1)) @ gradients[:-1] * rng.uniform(0.1, 10)
        yield Case((round_of(rule, gradients, losses, seed=seed),), note="rule.direction(updates)")


def _stationary_fault(make: MakeRule, case: Case, value: None) -> str:
    (updates,) = case.rounds
    vector = make().direction(updates).vector
    if length(vector) <= 1e-8 * float(updates.gradients.norm(dim=1).max()):
        return ""
    return f"the direction is {vector.tolist()}"


def _homogeneous_cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, rng in draws():
        factor = float(rng.choice([2.0, 10.0]) if len(gradients) <= 2 else 10.0 ** rng.uniform(-6, 6))
        base, scaled = (round_of(rule, c * gradients, losses, seed=seed) for c in (1, factor))
        note = f"# Ask a fresh rule the same round with all gradients times {factor!r}."
        yield Case((base,), (scaled,), note, {"factor": factor})


def _homogeneous_fault(make: MakeRule, case: Case, power: float) -> str:
    one, two = (make().direction(rounds[0]).vector for rounds in (case.rounds, case.other))
    factor = case.values["factor"]
    if close(one * factor**power, two):
        return ""
    ratio = length(two) / length(one) if length(one) else float("nan")
    return (
        f"gradients times {factor!r} change the direction from {one.tolist()} to {two.tolist()}: its length by the "
        f"factor {ratio:.6g}, where the power {power:g} gives {factor**power:.6g}"
    )


def _inflation_cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, rng in draws(least=2):
        client = int(rng.integers(len(gradients)))
        factor = float(rng.choice([2.0, 10.0]) if len(gradients) <= 4 else 10.0 ** rng.uniform(-3, 3))
        base = round_of(rule, gradients, losses, seed=seed)
        by = np.ones(len(gradients))
        by[client] = factor
        newton = {"newton_rates": base.extras["newton_rates"] * torch.as_tensor(by)}
        inflated = round_of(rule, gradients * by[:, None], losses * by, seed=seed, extras=newton)
        note = f"# Ask a fresh rule the same round with client {client}'s loss, and so its update, times {factor!r}."
        yield Case((base,), (inflated,), note, {"client": client, "factor": factor})


def _inflation_fault(make: MakeRule, case: Case, value: None) -> str:
    one, two = (make().direction(rounds[0]).vector for rounds in (case.rounds, case.other))
    if close(one, two):
        return ""
    return f"the direction changes from {one.tolist()} to {two.tolist()}"


def _promise(
    name: str, description: str, cases: Callable[[Rule], Iterator[Case]], fault: Any, value: Any = None
) -> Property:
    return Property(name, description, "Check the rule's formula on this round by hand.", cases, fault, True, value)


PROMISES = (
    _promise("convex", "the weights are not negative and sum to 1", _plain_cases, _convex_fault),
    _promise(
        "descent", "no client's loss rises to first order: all rates are at least 0", _descent_cases, _descent_fault
    ),
    _promise(
        "rates",
        "for linearly independent updates, all rates ρ_k / s_k are equal; s_k is 1, or what the promise's function "
        "updates → (K,) gives",
        _plain_cases,
        _rates_fault,
    ),
    _promise(
        "least_rates",
        "all rates ρ_k / s_k are equal where the weight is positive, and not below that elsewhere; s_k as for 'rates'",
        _plain_cases,
        _least_rates_fault,
    ),
    _promise(
        "stationary",
        "the direction is zero if a convex combination of the updates is zero",
        _stationary_cases,
        _stationary_fault,
    ),
    _promise(
        "homogeneous",
        "all gradients times c give the direction times c to the power p; p is 1, or the promise's number",
        _homogeneous_cases,
        _homogeneous_fault,
        1,
    ),
    _promise(
        "inflation",
        "a client that multiplies its loss, and so its update, changes nothing",
        _inflation_cases,
        _inflation_fault,
    ),
)
