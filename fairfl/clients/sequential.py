"""The sequential engine: one resident model, one slot after the other."""

import torch

from fairfl.clients.correction import Bound
from fairfl.clients.flat import FlatModel
from fairfl.clients.local import LocalSGD
from fairfl.clients.loss import Loss
from fairfl.clients.slots import Examples, Slot
from fairfl.randomness import key


def run(
    flat: FlatModel,
    data: Examples,
    slots: list[Slot],
    starts: torch.Tensor,
    local: LocalSGD,
    round: int,
    loss: Loss,
    anchors: torch.Tensor | None = None,
    bound: Bound | None = None,
) -> torch.Tensor:
    """The pseudo-gradients (S, d) of ``slots``; slot i starts from ``starts[slots[i].run]``.

    The proximal term pulls towards the start, or towards ``anchors[slots[i].run]`` where these are given. ``bound``:
    the correction of ``slots``.

    ``loss(outputs, targets)`` gives one loss a row.
    """
    flat.module.train()
    deltas = torch.empty(len(slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
    lr = local.lr_at(round)
    for i, (slot, delta) in enumerate(zip(slots, deltas)):
        mine = bound and bound.rows([i])
        start = starts[slot.run]
        anchor = start if anchors is None else anchors[slot.run]
        flat.vector.copy_(start)
        if flat.has_dropout:
            with torch.random.fork_rng(devices=[flat.device] if flat.device.type == "cuda" else []):
                torch.manual_seed(key(slot.seed, "dropout", round, slot.client))
                _descend(flat, data, slot, anchor, local, lr, round, loss, mine)
        else:
            _descend(flat, data, slot, anchor, local, lr, round, loss, mine)
        torch.sub(start, flat.vector, out=delta)
    return deltas


def _descend(
    flat: FlatModel,
    data: Examples,
    slot: Slot,
    anchor: torch.Tensor,
    local: LocalSGD,
    lr: float,
    round: int,
    loss: Loss,
    bound: Bound | None,
) -> None:
    size = len(slot.rows)
    batch = size if local.batch_size is None else local.batch_size
    pull = [anchor[None]] if local.proximal else None
    w, g = [flat.vector[None]], [flat.gradient[None]]
    moments, step, last = local.moments(w), 0, local.steps_of(size)
    rows = slot.rows
    for order in local.orders(size, slot.seed, round, slot.client):
        if batch < size:
            rows = slot.rows[order.to(slot.rows.device, non_blocking=True)]
        # One gather an epoch, then views: cheaper than one gather a batch.
        inputs, targets = data.inputs[rows], data.targets[rows]
        for x, y in zip(inputs.split(batch), targets.split(batch)):
            if step == last:
                return
            step += 1
            flat.gradient.zero_()
            loss(flat.module(x), y).mean().backward()
            local.descend(w, g, pull, moments, lr, step, bound)
