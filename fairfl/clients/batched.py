"""The batched engine: all slots of a round as one stacked model.

Slots are sorted by their number of steps, so at every step the slots that are still training come first. A short
batch is padded, and padding has weight zero. Both engines visit the same rows in the same order; their results differ
only by rounding.
"""

from contextlib import nullcontext
from functools import partial

import torch
from torch.func import functional_call, vmap

from fairfl.clients.correction import Bound
from fairfl.clients.cuda_graphs import graphs
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.local_method import LocalMethod
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.round_work import RoundWork
from fairfl.clients.stacked_convolutions import AsProducts

# More stacked parameters than this do not fit into a CPU's caches, and stacking then costs more than it saves. Larger
# rounds are trained a few slots at a time (benchmarks/training.py).
CPU_STACK = 2_000_000
# On a CUDA device each step is recorded once and replayed (benchmarks/gpu.py); False launches every kernel by itself.
GRAPHS = True
# On a CUDA device, up to this many images a step, stacked convolutions are matrix products, which are faster. With more
# images the gain is small and their memory large (benchmarks/README.md), so cuDNN computes them in groups.
IMAGES_AS_PRODUCTS = 4096
NOTE = (
    "this happened in the batched engine, which trains all clients at once by torch.func.vmap. In a model or a loss, "
    "vmap cannot run .item(), an if on a tensor's values, or NumPy. Pass engine='sequential' to train one client after "
    "another"
)


def run(flat: FlatModel, work: RoundWork) -> torch.Tensor:
    """The pseudo-gradients (S, d) of ``work``'s slots, as ``sequential.run`` computes them."""
    flat.module.train()
    slots, local = work.slots, _method(work)
    order = sorted(range(len(slots)), key=lambda i: -local.steps_of(len(slots[i].rows)))
    if flat.device.type != "cpu" and order == list(range(len(slots))):
        return _train(flat, work)
    deltas = torch.empty(len(slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
    group = max(1, CPU_STACK // flat.vector.numel()) if flat.device.type == "cpu" else len(slots)
    for first in range(0, len(order), group):
        chosen = order[first : first + group]
        deltas[torch.tensor(chosen, device=deltas.device)] = _train(flat, work.part(chosen))
    return deltas


def _method(work: RoundWork) -> LocalMethod:
    """The local method that all slots share: ``engines`` calls this engine once for each method."""
    return work.local_of(work.slots[0])


def _train(flat: FlatModel, work: RoundWork) -> torch.Tensor:
    """The pseudo-gradients of slots that are sorted by decreasing number of steps."""
    slots, local, bound = work.slots, _method(work), work.bound
    of_run = torch.tensor([s.run for s in slots], device=work.starts.device) if len(work.starts) > 1 else slice(None)
    of_slots = lambda of_runs: flat.split(of_runs[of_run].expand(len(slots), -1)).items()
    start = work.starts[of_run]
    plan, weight = _plan(work)
    steps = [local.steps_of(len(s.rows)) for s in slots]
    # A graph needs fixed addresses. What a correction keeps moves from round to round; everything else can stay.
    held = graphs(flat) if GRAPHS and flat.device.type == "cuda" and bound is None else None
    kept = held.keep if held else lambda name, value: value
    # Always a copy, even where a view would be contiguous (one slot): the start is needed again at the end.
    copied = held.keep if held else lambda name, value: value.clone(memory_format=torch.contiguous_format)
    parameters = [copied(name, p) for name, p in of_slots(work.starts)]
    pull = None
    if local.proximal:
        pull = [kept(("pull", name), p.contiguous()) for name, p in of_slots(work.pulls_to)]
    moments = [
        [kept((i, name), m) for name, m in zip(flat.layout.names, of_all)]
        for i, of_all in enumerate(local.moments(parameters))
    ]
    lr = local.lr_at(work.round)
    for t in range(max(steps)):
        active = sum(s > t for s in steps)
        rows = kept("rows", plan[:, t])
        weights = None if weight is None else kept("weights", weight[:, t])
        first = lambda stacks, active=active: stacks and [stack[:active] for stack in stacks]
        step = partial(
            _step,
            flat,
            work,
            parameters=first(parameters),
            rows=rows[:active],
            weights=None if weights is None else weights[:active],
            anchors=first(pull),
            moments=[first(m) for m in moments],
            lr=lr,
            number=t + 1,
            bound=bound and bound.rows(slice(active)),
        )
        if held:
            # In SGD no kernel depends on the number of steps taken; in Adam the bias correction does.
            plain = isinstance(local, LocalSGD) and type(local).descend is LocalSGD.descend and local.optimiser == "sgd"
            number = 0 if plain else t + 1
            data = (work.data.inputs.data_ptr(), work.data.inputs.shape, work.loss)
            held.run((data, len(slots), active, rows.shape, weights is None, local, lr, number), step)
        else:
            step()
    ended = torch.cat([p.flatten(1) for p in parameters], dim=1)
    return start - ended


def _step(
    flat: FlatModel,
    work: RoundWork,
    *,
    parameters: list[torch.Tensor],
    rows: torch.Tensor,
    weights: torch.Tensor | None,
    anchors: list[torch.Tensor] | None,
    moments: list[list[torch.Tensor]],
    lr: float,
    number: int,
    bound: Bound | None,
) -> None:
    """One step of the stacked models, in place. ``rows`` (S, B): row numbers of the data; ``weights`` (S, B)."""

    def slot_loss(
        params: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor, w: torch.Tensor | None
    ) -> torch.Tensor:
        per_row = work.loss(functional_call(flat.module, params, (x,)), y)
        return per_row.mean() if w is None else (per_row * w).sum()

    products = flat.device.type == "cuda" and flat.has_convolutions and rows.numel() <= IMAGES_AS_PRODUCTS
    with torch.enable_grad(), AsProducts() if products else nullcontext():
        now = [p.detach().requires_grad_() for p in parameters]
        try:
            losses = vmap(slot_loss, in_dims=(0, 0, 0, None if weights is None else 0))(
                dict(zip(flat.layout.names, now)), work.data.inputs[rows], work.data.targets[rows], weights
            )
            # A parameter that the model does not use gets zeros, as ``backward`` leaves them in the other engine.
            grads = list(torch.autograd.grad(losses.sum(), now, materialize_grads=True))
        except Exception as error:
            error.add_note(NOTE)
            raise
    with torch.no_grad():
        _method(work).descend(parameters, grads, anchors, moments, lr, number, bound)


def _plan(work: RoundWork) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Row numbers (S, T, B) for every step of every slot, and weights (S, T, B): 1/n on rows, 0 on padding.

    The weights are ``None`` if nothing is padded.
    """
    slots, local, device = work.slots, _method(work), work.data.inputs.device
    sizes = torch.tensor([len(s.rows) for s in slots])
    B = int(sizes.max()) if local.batch_size is None else min(local.batch_size, int(sizes.max()))
    each = -(-sizes // B)
    limit = torch.tensor([local.steps_of(n) for n in sizes.tolist()])
    T = int(limit.max())
    t = torch.arange(T)
    ends_epoch = (t % each[:, None]) == each[:, None] - 1
    counts = torch.where(ends_epoch, (sizes - (each - 1) * B)[:, None], B) * (t < limit[:, None])

    # Epoch e of a slot fills the slot's row of the table from step e · each on; what stays empty is padding.
    first = sizes.cumsum(0) - sizes
    within = torch.arange(int(sizes.sum())) - torch.repeat_interleave(first, sizes)
    width = int((local.epochs * each).max()) * B
    table = torch.zeros(len(slots), width, dtype=torch.int64)
    orders = [local.orders(len(s.rows), s.seed, work.round, s.client) for s in slots]
    into = torch.repeat_interleave(torch.arange(len(slots)) * width, sizes) + within
    for e in range(local.epochs):
        drawn = torch.cat([o[e] for o in orders]) + torch.repeat_interleave(first, sizes)
        table.view(-1)[into + torch.repeat_interleave(e * each * B, sizes)] = drawn
    plan = torch.cat([s.rows for s in slots])[table[:, : T * B].to(device)].view(len(slots), T, B)
    inside = torch.arange(B) < counts[:, :, None]
    if bool(inside.all()):
        return plan, None
    return plan, (inside / counts.clamp(min=1)[:, :, None]).to(torch.float32).to(device)
