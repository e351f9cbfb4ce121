"""Whose reply made a rule refuse a round, so that the round can go on without it."""

import torch

from fairfl.errors import Refused
from fairfl.updates import Updates

# How many times the median (or 1, if that is more) a number must be before it is blamed for what it does to the others.
# Numbers that carry a computation out of float32 or float64 are larger by far; honest ones differ by less.
FAR = 1e6


def culprits(refusal: Refused, updates: Updates) -> dict[int, str]:
    """Clients whose replies are to blame and what each sent, in words that follow "it"; empty where the round as such was refused.

    Those whom the refusal names; if it names nobody, the one client that sent something far larger than the others did.
    """
    present = set(updates.clients.tolist())
    return {k: why for k, why in refusal.clients.items() if k in present} or _outsized(updates)


def _outsized(updates: Updates) -> dict[int, str]:
    numbers = {"losses": updates.losses, **updates.extras}
    columns = {"an update with an entry of size": updates.gradients.abs().amax(1).double().cpu(),
               **{f"{name!r} of size": values.double().abs().cpu() for name, values in numbers.items() if values is not None}}
    excess, what = max((float(sizes.max() / sizes.median().clamp(min=1)), what) for what, sizes in columns.items())
    if excess <= FAR:
        return {}
    sizes = columns[what]
    return {int(updates.clients[sizes.argmax()]): f"sent {what} {float(sizes.max()):.3g} (the others' median: "
                                                  f"{float(sizes.median()):.3g}), and the rule refused the round with it"}
