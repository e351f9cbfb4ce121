"""Checks of what a rule is given: its settings once, and each round the numbers that clients sent beside updates."""

import math

import torch

from fairfl.errors import refuse, unknown
from fairfl.given import one_each, tensor  # noqa: F401  (as the next line: for the rules, which find all their checks here)
from fairfl.numbers import number, whole, yes_or_no  # noqa: F401
from fairfl.rules.base import Rule
from fairfl.updates import Updates


def one_of(name: str, value: str, *allowed: str) -> str:
    """``value`` if it is one of the ``allowed`` words."""
    if value not in allowed:
        raise unknown(name, value, allowed)
    return value


def column(name: str, values: torch.Tensor, updates: Updates, low: float = -math.inf, remedy: str = "") -> torch.Tensor:
    """One number per client, (K,) float64 on the CPU; ``Refused`` names the clients whose is below ``low``."""
    values = torch.as_tensor(values).double().cpu()
    values = one_each(name, values, len(updates), "Hand over one number for each row of gradients.")
    bad = (values < low).nonzero().flatten()
    if len(bad):
        k, clients = int(bad[0]), updates.clients.tolist()
        bounds = f"finite numbers from {low:g} on"
        refusal = refuse(
            f"client {clients[k]}'s entry in {name} (round {updates.round})",
            float(values[k]),
            bounds,
            remedy or "Check the client's data or drop the client.",
        )
        refusal.clients = {clients[k]: f"sent {name!r} = {float(values[k])!r}; allowed: {bounds}" for k in bad.tolist()}
        raise refusal
    return values


def same_size(rule: Rule, what: str, given: object, kept: object) -> None:
    """Refuse updates whose ``what`` (clients, parameters) is not the one that ``rule`` remembers."""
    if given != kept:
        raise refuse(
            f"the number of {what}",
            given,
            f"{kept}, as in {rule.name}'s state",
            "Start with a fresh rule, or load the state of a run with the same clients and model.",
        )
