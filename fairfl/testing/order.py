"""The order of the clients' rows does not matter."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch

from fairfl.rules import Rule
from fairfl.testing.case import Case
from fairfl.testing.comparison import different
from fairfl.testing.property import MakeRule, Property
from fairfl.testing.rounds import draws, round_of
from fairfl.updates import Updates


def reordered(updates: Updates, order: np.ndarray) -> Updates:
    """The same round with its rows in another order."""
    rows = torch.as_tensor(order.copy())
    return replace(
        updates,
        gradients=updates.gradients[rows],
        losses=updates.losses[rows],
        shares=updates.shares[rows],
        clients=updates.clients[rows],
        extras={name: values[rows] for name, values in updates.extras.items()},
    )


def _cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, rng in draws(least=2):
        K = len(gradients)
        # The second round finds a memory that is kept by row instead of by client.
        rounds = tuple(round_of(rule, np.roll(gradients, t, axis=0), losses, seed=seed, round=t) for t in range(2))
        orders = [rng.permutation(K) if K > 2 else np.arange(K)[::-1], rng.permutation(K)]
        other = tuple(reordered(updates, order) for updates, order in zip(rounds, orders))
        shown = [order.tolist() for order in orders]
        note = f"# Ask a fresh rule the same rounds with their rows in the orders {shown[0]} and {shown[1]}."
        yield Case(rounds, other, note, {"orders": shown})


def _fault(make: MakeRule, case: Case, value: None) -> str:
    one, two = make(), make()
    for updates, other, order in zip(case.rounds, case.other, case.values["orders"]):
        a, b = one.direction(updates), two.direction(other)
        if fault := different(f"round {updates.round} gives the directions", a.vector, b.vector):
            return fault
        for what, tolerance in (("weights", 1e-7), ("rates", 1e-6)):
            of_rows, of_others = getattr(a, what), getattr(b, what)
            if of_rows is None or len(of_rows) != len(updates):
                continue
            if fault := different(f"in the same order, the {what} are", of_rows[order], of_others, tolerance):
                return fault
    return ""


ORDER = Property(
    "order",
    "the order of the clients' rows changes nothing but the order of weights and rates",
    "Treat all rows alike, and find what the rule remembers of a client, or draws for it, by updates.clients.",
    _cases,
    _fault,
)
