"""The sequential engine: one model that trains one slot after another."""

from functools import partial

import torch

from fairfl._randomness import GLOBAL_STREAM, key
from fairfl.clients.correction import Bound
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.round_work import RoundWork
from fairfl.clients.slots import Slot


def run(flat: FlatModel, work: RoundWork) -> torch.Tensor:
    """The pseudo-gradients (S, d) of ``work``'s slots."""
    flat.module.train()
    deltas = torch.empty(len(work.slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
    for i, (slot, delta) in enumerate(zip(work.slots, deltas)):
        bound = work.bound and work.bound.rows([i])
        start = work.starts[slot.run]
        flat.vector.copy_(start)
        if flat.has_dropout:
            devices = [flat.device] if flat.device.type == "cuda" else []
            with GLOBAL_STREAM, torch.random.fork_rng(devices=devices):
                torch.manual_seed(key(slot.seed, "dropout", work.round, slot.client))
                _descend(flat, work, slot, bound)
        else:
            _descend(flat, work, slot, bound)
        torch.sub(start, flat.vector, out=delta)
    return deltas


def _descend(flat: FlatModel, work: RoundWork, slot: Slot, bound: Bound | None) -> None:
    data, size = work.data, len(slot.rows)
    local = work.local_of(slot)
    batch = size if local.batch_size is None else local.batch_size
    take = local.begin(flat, work.round, work.pulls_to[slot.run] if local.proximal else None, bound)
    step, last = 0, local.steps_of(size)
    rows = slot.rows
    for order in local.orders(size, slot.seed, work.round, slot.client):
        if batch < size:
            rows = slot.rows[order.to(slot.rows.device, non_blocking=True)]
        # One gather per epoch, then views: cheaper than one gather per batch.
        inputs, targets = data.inputs[rows], data.targets[rows]
        for x, y in zip(inputs.split(batch), targets.split(batch)):
            if step == last:
                return
            step += 1
            take(partial(_gradient, flat, work, x, y))


def _gradient(flat: FlatModel, work: RoundWork, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Write the batch's gradient at the current model into ``flat.gradient``, and return the mean loss."""
    with torch.enable_grad():
        flat.gradient.zero_()
        loss = work.loss(flat.module(x), y).mean()
        loss.backward()
    return loss
