"""Checks of what a rule is given: its settings once, and each round the numbers that clients sent beside updates."""

import math
from numbers import Integral

import numpy as np
import torch

from fairfl.errors import refuse, unknown


def one_of(name: str, value: str, *allowed: str) -> str:
    if value not in allowed:
        raise unknown(name, value, allowed)
    return value


def number(name: str, value: float, low: float = -math.inf, high: float = math.inf, remedy: str = "") -> float:
    """``value`` as a float, refused unless it is finite and ``low ≤ value ≤ high``."""
    bounds = "any finite number" if low == -math.inf else \
        f"{low:g} or more" if high == math.inf else f"{low:g} to {high:g}"
    try:
        as_float = math.nan if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError):
        as_float = math.nan
    if not (math.isfinite(as_float) and low <= as_float <= high):
        raise refuse(name, value if math.isnan(as_float) else as_float, bounds,
                     remedy or "Choose a value in this range.")
    return as_float


def whole(name: str, value: int, low: int | None = None) -> int:
    """``value`` as an int, refused unless it is a whole number of at least ``low``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or (low is not None and value < low):
        raise refuse(name, value, "a whole number" if low is None else f"a whole number, {low} or more",
                     "Choose such a number.")
    return int(value)


def yes_or_no(name: str, value: bool) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(name, value, "True or False", "A text or a number would count as True, whatever it says.")
    return bool(value)


def column(name: str, values: torch.Tensor, updates, low: float = -math.inf, remedy: str = "") -> torch.Tensor:
    """One finite number per client, (K,) float64 on the CPU; ``Refused`` names the clients that sent another."""
    values = torch.as_tensor(values).double().cpu()
    if values.shape != (len(updates),):
        raise refuse(f"the shape of {name}", tuple(values.shape), f"({len(updates)},), one number per client",
                     "Hand over one number for each row of gradients.")
    bad = (~(torch.isfinite(values) & (values >= low))).nonzero().flatten()
    if len(bad):
        k, clients = int(bad[0]), updates.clients.tolist()
        bounds = "finite numbers" if low == -math.inf else f"finite numbers from {low:g} on"
        refusal = refuse(f"client {clients[k]}'s entry in {name} (round {updates.round})", float(values[k]),
                         bounds, remedy or "Check the client's data or drop the client.")
        refusal.clients = {clients[k]: f"sent {name!r} = {float(values[k])!r}; allowed: {bounds}" for k in bad.tolist()}
        raise refusal
    return values


def same_size(rule, what: str, given, kept) -> None:
    """Refuse updates whose ``what`` (clients, parameters) is not the one that ``rule`` remembers."""
    if given != kept:
        raise refuse(f"the number of {what}", given, f"{kept}, as in {rule.name}'s state",
                     "Start with a fresh rule, or load the state of a run with the same clients and model.")
