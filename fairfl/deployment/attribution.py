"""Find the replies that made a rule refuse a round, so the round can go on without them."""

import torch

from fairfl.errors import Refused
from fairfl.updates import Updates

# A number is blamed only if it is more than this many times the median (or 1, if that is larger). Numbers that carry a
# computation out of the range of float32 or float64 are far larger; honest ones differ by less.
FAR = 1e6


def culprits(refusal: Refused, updates: Updates) -> dict[int, str]:
    """The clients whose replies are to blame, and what each sent, in words that follow "it".

    These are the clients that the refusal names. If it names none, it is the one client that sent a far larger number
    than the others. Empty if the round itself was refused.
    """
    present = set(updates.clients.tolist())
    return {k: why for k, why in refusal.clients.items() if k in present} or _outsized(updates)


def far_rows(updates: Updates) -> dict[int, tuple[float, float, str]]:
    """The clients whose row is more than ``FAR`` times as long as the median row (or than 1), each with its length, the
    median, and what the client sent, in words that follow "it".

    Of two rows, the shorter one is the median. A single row is never far.
    """
    lengths = torch.linalg.vector_norm(updates.gradients, dim=1, dtype=torch.float64).cpu()
    lengths = lengths.clamp(max=torch.finfo(torch.float64).max)
    sizes = updates.gradients.abs().amax(1).double().cpu()
    median, usual = float(lengths.median()), float(sizes.median())
    far = (lengths > FAR * max(1.0, median)).nonzero().flatten().tolist()
    words = {
        row: f"sent an update with an entry of size {sizes[row]:.3g} (median over clients: {usual:.3g})" for row in far
    }
    return {int(updates.clients[row]): (float(lengths[row]), median, words[row]) for row in far}


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
        int(updates.clients[sizes.argmax()]): f"sent {what} {most:.3g} (median over clients: {median:.3g}), and "
        "the rule refused the round with it"
    }
