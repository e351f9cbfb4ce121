"""``collect`` turns a round's replies into ``Updates`` and refuses by name those that cannot be used.

``Updates`` itself raises at the first bad row, which is right for a simulation, where a bad row is a bug. On a network
bad rows are normal, and one client must not be able to stop the others.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import torch

from fairfl.deployment.caps import Caps
from fairfl.deployment.reply import NotFinite, Refusal, Reply
from fairfl.deployment.reply_checks import against_name, against_numbers, against_size, claims, replies_of
from fairfl.deployment.sanitise import printable, quoted
from fairfl.updates import Layout, Updates

# At most this many unknown parameter names are listed in a message.
LISTED = 5


@dataclass(frozen=True)
class Sound:
    """The contents of a reply that passed all checks: ``gradient`` (d,) is w_t minus the client's model."""

    who: str
    gradient: torch.Tensor
    size: float
    numbers: Mapping[str, float]


def collect(
    replies: Iterable[Reply],
    start: torch.Tensor,
    layout: Layout,
    population: int,
    *,
    round: int = 0,
    needs: Iterable[str] = (),
    local_lr: float = 1.0,
) -> tuple[Updates | None, list[Refusal]]:
    """The ``Updates`` of a round's sound replies (``None`` if there are none), and the refusals of the others.

    ``start`` (d,): w_t, from which the replies' models are subtracted. ``needs``: the numbers that every reply must
    carry in addition to its model and its size. Rows are in the order of the clients' numbers, and shares refer to the
    replies that are left. A bad reply never raises an exception.
    """
    needs = sorted(set(needs))
    sound, refused = sift(replies, start, layout, population, needs)
    return gather(sound, layout, population, round=round, needs=needs, local_lr=local_lr) if sound else None, refused


def sift(
    replies: Iterable[Reply],
    start: torch.Tensor,
    layout: Layout,
    population: int,
    needs: Iterable[str] = (),
    asked: Container[int] | None = None,
    caps: Caps = Caps(),  # noqa: B008 (frozen)
) -> tuple[dict[int, Sound], list[Refusal]]:
    """The sound replies by client number, in increasing order, and the refusals of the others.

    ``asked``: the clients that were asked; ``None`` means all of them. ``caps``: limits on sizes and numbers.
    """
    replies, refused = replies_of(replies)
    claimed = claims(replies, population)
    sound: dict[int, Sound] = {}
    for reply in replies:
        reason = against_name(reply, claimed, population, asked)
        reason = reason or against_size(reply.size) or against_numbers(reply.numbers, needs)
        reason = reason or caps.against(cast(float, reply.size), {name: reply.numbers[name] for name in needs})
        gradient, reason = (None, reason) if reason else _gradient(reply.arrays, layout, start)
        if gradient is None:
            refused.append(Refusal(reply.who, reason))
        else:
            numbers = {name: float(reply.numbers[name]) for name in needs}
            sound[cast(int, reply.client)] = Sound(reply.who, gradient, float(cast(float, reply.size)), numbers)
    return dict(sorted(sound.items())), refused


def gather(
    sound: Mapping[int, Sound],
    layout: Layout,
    population: int,
    *,
    round: int = 0,
    needs: Iterable[str] = (),
    local_lr: float | None = 1.0,
    inclusion: Mapping[int, float] | None = None,
) -> Updates:
    """The ``Updates`` of one or more sound replies.

    ``inclusion``: the clients' inclusion probabilities, if the rule reads them.
    """
    held = list(sound.values())
    sizes = torch.tensor([reply.size for reply in held], dtype=torch.float64)
    numbers = {name: torch.tensor([reply.numbers[name] for reply in held], dtype=torch.float64) for name in needs}
    if inclusion is not None:
        numbers["inclusion"] = torch.tensor([inclusion[k] for k in sound], dtype=torch.float64)
    return Updates(
        torch.stack([reply.gradient for reply in held]),
        losses=numbers.pop("losses", None),
        shares=sizes / sizes.sum(),
        clients=torch.tensor(list(sound)),
        population=population,
        round=round,
        layout=layout,
        extras=numbers,
        local_lr=local_lr,
    )


def _gradient(arrays: object, layout: Layout, start: torch.Tensor) -> tuple[torch.Tensor | None, str]:
    """``start`` minus the arrays as one row (d,), or ``None`` and the reason why they cannot be used."""
    row, reason = flattened(arrays, layout, start)
    if row is None:
        return None, reason
    gradient = start - row
    # The difference of two finite models can overflow.
    if not bool(torch.isfinite(gradient).all()):
        return None, NotFinite(f"sent a model so far away that the difference overflows {start.dtype}")
    return gradient, ""


def flattened(arrays: object, layout: Layout, like: torch.Tensor) -> tuple[torch.Tensor | None, str]:
    """The arrays as one row (d,) with the dtype and device of ``like``, or ``None`` and why they cannot be used."""
    if not isinstance(arrays, Mapping):
        return None, f"sent its model as {quoted(arrays)}; allowed: arrays by parameter name"
    known = set(layout.names)
    lacking = [name for name in layout.names if name not in arrays]
    foreign = [name for name in arrays if name not in known]
    if lacking or foreign:
        faults = [f"lacks {', '.join(lacking)}"] * bool(lacking) + [f"has {_listed(foreign)}"] * bool(foreign)
        return None, f"sent another model's parameters: it {' and '.join(faults)}; expected {', '.join(layout.names)}"
    pieces = []
    for name, shape in zip(layout.names, layout.shapes):
        try:
            piece = torch.as_tensor(arrays[name]).detach()
            if tuple(piece.shape) != shape:
                return None, f"sent {name} of shape {quoted(tuple(piece.shape))}; expected {shape}"
            if not piece.is_floating_point():
                return None, f"sent {name} as {piece.dtype}; expected floating-point numbers"
            pieces.append(torch.empty_like(like[: piece.numel()]).copy_(piece.reshape(-1)))
        except Exception as error:  # a foreign array can make torch raise anything, and only this reply is refused
            return None, f"sent {name} in a form that is not an array ({printable(str(error))})"
    row = torch.cat(pieces)
    bad = int((~torch.isfinite(row)).sum())
    if bad:
        return None, NotFinite(f"sent {bad} non-finite {'entry' if bad == 1 else 'entries'}")
    return row, ""


def _listed(names: list) -> str:
    listed = [printable(name, 60) if isinstance(name, str) else quoted(name) for name in names[:LISTED]]
    return ", ".join(listed) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
