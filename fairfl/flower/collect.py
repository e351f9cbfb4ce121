"""``collect``: a round's replies become ``Updates``; those that cannot are refused by name, and the rest go on.

``Updates`` itself raises at the first bad row, which is right for a simulation: there a bad row is a bug. On a network it is a
Tuesday, and one client must not be able to stop the others.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import torch

from fairfl.flower.reply import Refusal, Reply
from fairfl.updates import Layout, Updates


def collect(replies: Iterable[Reply], start: torch.Tensor, layout: Layout, population: int, *, round: int = 0,
            needs: Iterable[str] = (), local_lr: float = 1.0) -> tuple[Updates | None, list[Refusal]]:
    """The ``Updates`` of a round's sound replies (``None`` if there are none), and who was refused and why.

    ``start`` (d,): w_t, which the replies' models are subtracted from. ``needs``: the numbers that every reply must carry
    beside its model and its size. Rows are in the order of the clients' numbers, shares are of the replies that are left.
    Raises nothing for a bad reply.
    """
    replies, needs = list(replies), sorted(set(needs))
    claimed = Counter(reply.client for reply in replies if not reply.error)
    sound, refused = {}, []
    for reply in replies:
        reason = _why_not(reply, claimed, population, needs)
        row, reason = (None, reason) if reason else _flat(reply.arrays, layout, start)
        if reason:
            refused.append(Refusal(reply.who, reason))
        else:
            sound[int(reply.client)] = reply, row
    if not sound:
        return None, refused
    order = sorted(sound)
    sizes = torch.tensor([float(sound[k][0].size) for k in order], dtype=torch.float64)
    numbers = {name: torch.tensor([float(sound[k][0].numbers[name]) for k in order], dtype=torch.float64) for name in needs}
    gradients = torch.stack([start - sound[k][1] for k in order])
    return Updates(gradients, numbers.pop("losses", None), sizes / sizes.sum(), torch.tensor(order), population, round, layout,
                   numbers, local_lr), refused


def _why_not(reply: Reply, claimed: Counter, population: int, needs: list[str]) -> str:
    """What is wrong with a reply beside its arrays; "" if nothing is."""
    if reply.error:
        return f"sent no answer: {reply.error}"
    if type(reply.client) is not int or not 0 <= reply.client < population:
        return f"gives its number as {reply.client!r}; allowed: 0 to {population - 1}"
    if claimed[reply.client] > 1:
        # Nothing tells the true one from the other, and counting both would give this client two votes.
        return f"is one of {claimed[reply.client]} replies that call themselves client {reply.client}, and none of them is used"
    if not _finite(reply.size) or reply.size <= 0:
        return f"gives its size as {reply.size!r}; allowed: a positive number of rows"
    for name in needs:
        if name not in reply.numbers:
            return f"sent no {name!r}, which the rule reads; it sent {sorted(reply.numbers) or 'no numbers'}"
        if not _finite(reply.numbers[name]):
            return f"sent {name!r} = {reply.numbers[name]!r}; allowed: a finite number"
    return ""


def _finite(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _flat(arrays: Mapping, layout: Layout, start: torch.Tensor) -> tuple[torch.Tensor | None, str]:
    """The arrays as one row (d,) like ``start``, or what is wrong with them."""
    lacking = [name for name in layout.names if name not in arrays]
    foreign = [str(name) for name in arrays if name not in layout.names]
    if lacking or foreign:
        said = [f"lacks {', '.join(lacking)}"] * bool(lacking) + [f"has {', '.join(foreign)}"] * bool(foreign)
        return None, f"sent another model's parameters: it {' and '.join(said)}; expected {', '.join(layout.names)}"
    pieces = []
    for name, shape in zip(layout.names, layout.shapes):
        try:
            piece = torch.as_tensor(arrays[name])
        except (TypeError, ValueError, RuntimeError) as error:
            return None, f"sent {name} in a form that is no array ({error})"
        if tuple(piece.shape) != shape:
            return None, f"sent {name} of shape {tuple(piece.shape)}; expected {shape}"
        if not piece.is_floating_point():
            return None, f"sent {name} as {piece.dtype}; expected floating-point numbers"
        pieces.append(piece.reshape(-1).to(start))
    row = torch.cat(pieces)
    bad = int((~torch.isfinite(row)).sum())
    if bad:
        return None, f"sent {bad} non-finite {'entry' if bad == 1 else 'entries'}"
    # Two finite models can be farther apart than the dtype reaches.
    if not bool(torch.isfinite(start - row).all()):
        return None, f"sent a model so far away that the difference overflows {start.dtype}"
    return row, ""
