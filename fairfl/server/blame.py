"""Whose reply made a rule refuse a round, so that the round can go on without it."""

from fairfl.errors import Refused
from fairfl.updates import Updates

# How many times the median (or 1, if that is more) a number must be before it is blamed for what it does to the others.
# Numbers that carry a computation out of float32 or float64 are larger by far; honest ones differ by less.
FAR = 1e6


def culprits(refusal: Refused, updates: Updates) -> dict[int, str]:
    """Clients whose replies are to blame, and what each sent in words that follow "it".

    Those whom the refusal names; if it names nobody, the one client that sent something far larger than the others did.
    Empty where the round as such was refused.
    """
    present = set(updates.clients.tolist())
    return {k: why for k, why in refusal.clients.items() if k in present} or _outsized(updates)


def _outsized(updates: Updates) -> dict[int, str]:
    columns = {"an update with an entry of size": updates.gradients.abs().amax(1)}
    columns |= {f"{name!r} of size": values.abs() for name, values in updates.extras.items()}
    if updates.losses is not None:
        columns["'losses' of size"] = updates.losses.abs()
    columns = {what: sizes.double().cpu() for what, sizes in columns.items()}
    excess, what = max((float(sizes.max() / sizes.median().clamp(min=1)), what) for what, sizes in columns.items())
    if excess <= FAR:
        return {}
    sizes = columns[what]
    most, median = float(sizes.max()), float(sizes.median())
    return {
        int(updates.clients[sizes.argmax()]): f"sent {what} {most:.3g} (everybody's median: {median:.3g}), and the "
        "rule refused the round with it"
    }
