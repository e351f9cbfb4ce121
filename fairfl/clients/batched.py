"""The batched engine: all slots of a round as one stacked model.

Slots are sorted by their number of steps, so that at every step the slots still at work are the first few. A batch
that is short is padded, and padding has weight zero. Both engines visit the same rows in the same order; what
differs is rounding.
"""

import torch
from torch.func import functional_call, vmap

from fairfl.clients.flat import FlatModel
from fairfl.clients.local import LocalSGD
from fairfl.clients.slots import Slot


def run(flat: FlatModel, data, slots: list[Slot], starts: torch.Tensor, local: LocalSGD, round: int, loss) -> torch.Tensor:
    """As ``sequential.run``: the pseudo-gradients (S, d) of ``slots``."""
    flat.module.train()
    order = sorted(range(len(slots)), key=lambda i: -local.steps_of(len(slots[i].rows)))
    ranked = [slots[i] for i in order]
    start = starts[torch.tensor([s.run for s in ranked], device=starts.device)]
    plan, weight = _plan(ranked, local, round, data.inputs.device)
    steps = [local.steps_of(len(s.rows)) for s in ranked]
    parameters = [p.contiguous() for p in flat.split(start).values()]
    anchors = [p.clone() for p in parameters] if local.proximal else None
    velocity = [torch.zeros_like(p) for p in parameters] if local.momentum else None
    names, lr, ragged = flat.layout.names, local.lr_at(round), weight is not None

    def slot_loss(params, x, y, w):
        per_row = loss(functional_call(flat.module, params, (x,)), y)
        return (per_row * w).sum() if ragged else per_row.mean()

    with torch.enable_grad():
        for t in range(max(steps)):
            active = sum(s > t for s in steps)
            now = [p[:active].detach().requires_grad_() for p in parameters]
            rows = plan[:active, t]
            losses = vmap(slot_loss, in_dims=(0, 0, 0, 0 if ragged else None))(
                dict(zip(names, now)), data.inputs[rows], data.targets[rows], weight[:active, t] if ragged else None)
            grads = list(torch.autograd.grad(losses.sum(), now))
            with torch.no_grad():
                if anchors is not None:
                    grads = [g + local.proximal * (p - a[:active]) for g, p, a in zip(grads, now, anchors)]
                if velocity is not None:
                    grads = [v[:active].mul_(local.momentum).add_(g) for v, g in zip(velocity, grads)]
                torch._foreach_sub_([p[:active] for p in parameters], grads, alpha=lr)
    ended = torch.cat([p.flatten(1) for p in parameters], dim=1)
    deltas = torch.empty_like(ended)
    deltas[torch.tensor(order, device=ended.device)] = start - ended
    return deltas


def _plan(slots, local, round, device):
    """Row numbers (S, T, B) of every step of every slot, and weights (S, T, B): 1/n on rows, 0 on padding."""
    sizes = [len(s.rows) for s in slots]
    B = max(sizes) if local.batch_size is None else min(local.batch_size, max(sizes))
    T = max(local.steps_of(n) for n in sizes)
    places = torch.zeros(len(slots), T, B, dtype=torch.int64)
    counts = torch.zeros(len(slots), T, dtype=torch.int64)
    for i, (slot, n) in enumerate(zip(slots, sizes)):
        each = -(-n // B)
        limit = local.steps_of(n)
        for epoch, order in enumerate(local.orders(n, slot.seed, round, slot.client)):
            first, last = epoch * each, min((epoch + 1) * each, limit)
            if first >= last:
                break
            padded = torch.nn.functional.pad(order, (0, each * B - n)).view(each, B)
            places[i, first:last] = padded[:last - first]
            counts[i, first:last] = torch.tensor([B] * (each - 1) + [n - (each - 1) * B])[:last - first]
    rows = torch.nn.utils.rnn.pad_sequence([s.rows for s in slots], batch_first=True)
    plan = rows.gather(1, places.flatten(1).to(device)).view(len(slots), T, B)
    inside = torch.arange(B) < counts[:, :, None]
    if bool(inside.all()):
        return plan, None
    return plan, (inside / counts.clamp(min=1)[:, :, None]).to(torch.float32).to(device)
