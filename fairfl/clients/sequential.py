"""The sequential engine: one resident model, one slot after the other."""

import torch

from fairfl.clients.flat import FlatModel
from fairfl.clients.local import LocalSGD
from fairfl.clients.slots import Slot
from fairfl.randomness import key


def run(flat: FlatModel, data, slots: list[Slot], starts: torch.Tensor, local: LocalSGD, round: int, loss,
        anchors: torch.Tensor | None = None) -> torch.Tensor:
    """The pseudo-gradients (S, d) of ``slots``; slot i starts from ``starts[slots[i].run]``.

    The proximal term pulls towards the start, or towards ``anchors[slots[i].run]`` where these are given.

    ``data`` has ``inputs`` and ``targets`` on the model's device. ``loss(outputs, targets)`` gives one loss a row.
    """
    flat.module.train()
    deltas = torch.empty(len(slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
    lr = local.lr_at(round)
    for slot, delta in zip(slots, deltas):
        start = starts[slot.run]
        anchor = start if anchors is None else anchors[slot.run]
        flat.vector.copy_(start)
        if flat.has_dropout:
            with torch.random.fork_rng(devices=[flat.device] if flat.device.type == "cuda" else []):
                torch.manual_seed(key(slot.seed, "dropout", round, slot.client))
                _descend(flat, data, slot, anchor, local, lr, round, loss)
        else:
            _descend(flat, data, slot, anchor, local, lr, round, loss)
        torch.sub(start, flat.vector, out=delta)
    return deltas


def _descend(flat, data, slot, anchor, local, lr, round, loss):
    size = len(slot.rows)
    batch = size if local.batch_size is None else local.batch_size
    velocity = torch.zeros_like(flat.vector) if local.momentum else None
    left = local.steps_of(size)
    rows = slot.rows
    for order in local.orders(size, slot.seed, round, slot.client):
        if batch < size:
            rows = slot.rows[order.to(slot.rows.device, non_blocking=True)]
        # One gather an epoch, then views: cheaper than one gather a batch.
        inputs, targets = data.inputs[rows], data.targets[rows]
        for x, y in zip(inputs.split(batch), targets.split(batch)):
            if left == 0:
                return
            left -= 1
            flat.gradient.zero_()
            loss(flat.module(x), y).mean().backward()
            step = flat.gradient
            if local.proximal:
                step = step + local.proximal * (flat.vector - anchor)
            if velocity is not None:
                step = velocity.mul_(local.momentum).add_(step)
            flat.vector.sub_(step, alpha=lr)
