"""Validation of a rule's other inputs in each round: numbers per client, and the sizes of its state."""

import math

import torch

from fairfl._validation import one_per_client
from fairfl.errors import refuse
from fairfl.rules.base import Rule
from fairfl.updates import Updates


def column(name: str, values: torch.Tensor, updates: Updates, low: float = -math.inf, remedy: str = "") -> torch.Tensor:
    """Validate one number per client, and return them as (K,) float64 on the CPU.

    Raises ``Refused`` for numbers below ``low``, or NaN; its ``clients`` names all clients that sent one.
    """
    values = torch.as_tensor(values).double().cpu()
    values = one_per_client(name, values, len(updates), "Give one number for each row of gradients.")
    bad = (values < low).nonzero().flatten()
    if len(bad):
        k, clients = int(bad[0]), updates.clients.tolist()
        bounds = f"finite numbers, {low:g} or more"
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
    """Validate that the number of ``what`` (clients, parameters) equals the one in ``rule``'s state."""
    if given != kept:
        raise refuse(
            f"the number of {what}",
            given,
            f"{kept}, as in {rule.name}'s state",
            "Start with a fresh rule, or load the state of a run with the same clients and model.",
            "state",
        )
