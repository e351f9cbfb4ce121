"""``backward``: a rule's direction for the losses of a multi-task model, in a training loop without a federation."""

from collections.abc import Iterable, Mapping, Sequence

import torch

from fairfl._validation import integer
from fairfl.errors import Diverged, Refused, refuse
from fairfl.rules import Direction, Rule, as_rule
from fairfl.updates import Layout, Updates, Vector

# What ``backward`` gives a rule beside the gradients.
PROVIDED = frozenset({"losses", "shares", "layout", "pseudo_lr"})


def backward(
    losses: Sequence[torch.Tensor] | torch.Tensor,
    parameters: Iterable[torch.Tensor],
    rule: Rule | str = "FedMGDA",
    *,
    heads: Sequence[Iterable[torch.Tensor]] | None = None,
    shares: Vector | None = None,
    extras: Mapping[str, Vector] = {},
    round: int | None = None,
    retain_graph: bool = False,
) -> Direction:
    """Differentiate K losses and add the rule's direction to the parameters' ``.grad``, ready for an optimiser's step.

    >>> import torch, fairfl
    >>> model = torch.nn.Linear(2, 2, bias=False)
    >>> optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> outputs = model(torch.tensor([1.0, 2.0]))
    >>> direction = fairfl.backward([outputs[0] ** 2, (outputs[1] - 1) ** 2], model.parameters(), "FedMGDA")
    >>> optimiser.step()
    >>> bool((direction.rates > 0).all()), torch.equal(direction.vector, model.weight.grad.flatten())
    (True, True)

    Each loss plays the part of a client whose update is the loss's gradient. It takes one backward pass per loss, each
    the same as ``torch.autograd.grad``, and memory for K gradients.

    Parameters:

    - ``losses``: K losses, each a tensor with one number; or a tensor (K,).
    - ``parameters``: those that the losses share, such as ``model.parameters()``. Frozen ones are skipped. The order
      is that of ``Direction.vector`` (d,). A parameter that does not affect a loss has a gradient of zero there.
    - ``rule``: a rule, or its name. A rule that keeps a state between calls, or draws random numbers, has to be an
      instance, which you make before the loop and pass in every step.
    - ``heads``: K lists of parameters, those that belong to one loss alone. They get the gradient of their loss and are
      no part of the direction, as with ``mtl_backward`` of TorchJD.
    - ``shares`` (K,): the losses' a-priori weights, with sum 1, for rules that read them. Uniform by default.
    - ``extras``: other numbers that the rule needs, by name, each with K entries along the first axis.
    - ``round``: the number of this step, from 0. The default counts the calls with this instance.
    - ``retain_graph``: whether to keep the graph after the last loss, as in ``torch.Tensor.backward``.

    Like ``torch.Tensor.backward`` and TorchJD it *adds* to ``.grad``, so call ``optimiser.zero_grad()`` in every step.
    The direction points uphill, as a gradient does. Rules that take a mean over clients take it over losses; where a
    multi-task paper sums, its step size η is K η here. A server's ``observe`` and ``report`` are not called.

    Returns the ``Direction``, with the weights of the losses and the rates at which they fall.

    Raises ``Refused`` for a rule that needs what only a federation has and ``extras`` lack, for a loss that is not one
    number or that no parameter affects, and for parameters that cannot have a gradient; and ``Diverged`` for a loss or
    a gradient that is not finite. No ``.grad`` has changed then.
    """
    decides = as_rule(rule)
    if isinstance(rule, str) and (decides.remembers or hasattr(decides, "seed")):
        what = f"{decides.name} by its name, but it keeps a state or draws random numbers"
        remedy = f"Make it once, before the loop: rule = rules.make({rule!r})."
        raise refuse("rule", what, "an instance, which lasts from call to call", remedy, "state")
    _check_needs(decides, extras)
    losses = _losses(losses)
    shared = _trainable("parameters", parameters)
    own = _heads(heads, len(losses), shared)
    rows, gradients = _rows(losses, shared, own, retain_graph)
    calls = vars(decides).get("_backward_calls", 0)
    updates = Updates(
        rows,
        losses=torch.stack([loss.detach().double().cpu() for loss in losses]),
        shares=shares,
        round=calls if round is None else integer("round", round, 0, "It is the number of this step."),
        layout=Layout(tuple(map(str, range(len(shared)))), tuple(tuple(p.shape) for p in shared)),
        extras={"pseudo_lr": torch.ones(len(losses)), **extras},
    )
    direction = decides.direction(updates)
    if direction.vector.shape != rows.shape[1:]:
        raise refuse(
            f"the shape of {decides.name}'s vector",
            tuple(direction.vector.shape),
            f"({rows.shape[1]},), one number per parameter",
            "Correct the rule's combine.",
            "shape",
        )
    # Not a field: a rule may be a frozen dataclass.
    object.__setattr__(decides, "_backward_calls", calls + 1)
    for parameter, piece in zip(shared, direction.vector.split([p.numel() for p in shared])):
        _accumulate(parameter, piece.reshape(parameter.shape))
    for head, found in zip(own, gradients):
        for parameter, gradient in zip(head, found):
            _accumulate(parameter, gradient)
    return direction


def _check_needs(rule: Rule, extras: Mapping[str, Vector]) -> None:
    """Raise ``Refused`` if the rule needs what only a federation has, and ``extras`` do not hold it."""
    if not isinstance(extras, Mapping):
        example = "Pass a dictionary, such as extras={'accuracies': [0.5, 0.75]}."
        raise refuse("extras", extras, "numbers by name", example, "type")
    for name in sorted(rule.needs - PROVIDED - set(extras)):
        raise Refused(
            f"{rule.name} needs {name!r}, which train computes for a federation's clients and backward cannot; pass "
            f"extras={{{name!r}: ...}} with an entry per loss, or take a rule that needs only losses and gradients, "
            f"such as FedMGDA, UPGrad or PCGrad",
            "missing",
        )


def _losses(given: Sequence[torch.Tensor] | torch.Tensor) -> list[torch.Tensor]:
    """The losses as a list of tensors of shape ()."""
    if not isinstance(given, (list, tuple)) and not (isinstance(given, torch.Tensor) and given.ndim == 1):
        what = f"a tensor of shape {tuple(given.shape)}" if isinstance(given, torch.Tensor) else type(given).__name__
        raise refuse("losses", what, "a list of losses, or a tensor (K,)", "Put them in a list.", "type")
    if len(given) == 0:
        raise Refused("losses is empty; allowed: one loss or more. Give one for each task", "missing")
    out = []
    for k, loss in enumerate(given):
        if not isinstance(loss, torch.Tensor):
            remedy = "Do not call .item() on it."
            raise refuse(f"loss {k}", type(loss).__name__, "a tensor with a graph", remedy, "type")
        if loss.numel() != 1:
            remedy = "Reduce it first: loss.mean()."
            raise refuse(f"the shape of loss {k}", tuple(loss.shape), "one number", remedy, "shape")
        if not bool(torch.isfinite(loss.detach()).all()):
            raise Diverged(f"loss {k} is {loss.item()}; lower the learning rate, or check the batch")
        out.append(loss.reshape(()))
    return out


def _trainable(name: str, given: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """The parameters that require a gradient; all of them have to be different leaves on one device."""
    if isinstance(given, (torch.nn.Module, torch.Tensor)) or not isinstance(given, Iterable):
        what = type(given).__name__
        raise refuse(name, what, "an iterable of parameters", "Pass model.parameters(), for example.", "type")
    held = list(given)
    for parameter in held:
        if not isinstance(parameter, torch.Tensor) or not parameter.is_leaf:
            what = "the result of an operation" if isinstance(parameter, torch.Tensor) else type(parameter).__name__
            remedy = "Only such tensors have a .grad. For named parameters, pass dict(...).values()."
            raise refuse(f"an entry of {name}", what, "a parameter, which is a leaf of the graph", remedy, "type")
    held = [parameter for parameter in held if parameter.requires_grad]
    if not held:
        raise Refused(f"{name} has no entry that requires a gradient; pass at least one that does", "missing")
    if len({id(parameter) for parameter in held}) < len(held):
        raise refuse(name, "a list with a parameter twice", "each parameter once", "Remove the second one.")
    devices = sorted({str(parameter.device) for parameter in held})
    if len(devices) > 1:
        remedy = "A rule reads each gradient as one vector: move the parameters to one device."
        raise refuse(f"the devices of {name}", devices, "one device", remedy, "combination")
    return held


def _heads(
    given: Sequence[Iterable[torch.Tensor]] | None, count: int, shared: list[torch.Tensor]
) -> list[list[torch.Tensor]]:
    """The parameters of each loss alone; empty lists without heads."""
    if given is None:
        return [[] for _ in range(count)]
    if not isinstance(given, (list, tuple)) or len(given) != count:
        what = f"{len(given)} lists" if isinstance(given, (list, tuple)) else type(given).__name__
        raise refuse("heads", what, f"{count} lists of parameters, one per loss", "A list may be empty.", "shape")
    own = [held if not (held := list(head)) else _trainable(f"heads[{k}]", held) for k, head in enumerate(given)]
    common = {id(parameter) for parameter in shared}
    for k, head in enumerate(own):
        if any(id(parameter) in common for parameter in head):
            remedy = "Leave the heads out of parameters: pass model.trunk.parameters(), for example."
            raise refuse(f"heads[{k}]", "a list with one of parameters", "other parameters", remedy, "combination")
    return own


def _rows(
    losses: list[torch.Tensor], shared: list[torch.Tensor], own: list[list[torch.Tensor]], retain_graph: bool
) -> tuple[torch.Tensor, list[list[torch.Tensor]]]:
    """The losses' gradients by the shared parameters as rows (K, d), and each loss's by its own head."""
    kind = shared[0].dtype
    for parameter in shared:
        kind = torch.promote_types(kind, parameter.dtype)
    rows = torch.zeros(len(losses), sum(p.numel() for p in shared), dtype=kind, device=shared[0].device)
    sizes = [p.numel() for p in shared]
    heads = []
    for k, (loss, head) in enumerate(zip(losses, own)):
        keep = retain_graph or k < len(losses) - 1
        wanted = [*shared, *head] if loss.requires_grad else []
        found = torch.autograd.grad(loss, wanted, retain_graph=keep, allow_unused=True) if wanted else ()
        if all(gradient is None for gradient in found[: len(shared)]):
            raise Refused(
                f"loss {k} does not depend on any of the parameters; pass the parameters of the model that computed "
                f"it, compute it with gradients enabled, or leave the loss out",
                "missing",
            )
        for piece, gradient in zip(rows[k].split(sizes), found):
            if gradient is not None:
                piece.copy_((gradient.to_dense() if gradient.layout != torch.strided else gradient).reshape(-1))
        if not bool(torch.isfinite(rows[k].sum())) and not bool(torch.isfinite(rows[k]).all()):
            raise Diverged(f"the gradient of loss {k} is not finite; lower the learning rate, or check the loss")
        heads.append([torch.zeros_like(p) if g is None else g for p, g in zip(head, found[len(shared) :])])
    return rows, heads


def _accumulate(parameter: torch.Tensor, gradient: torch.Tensor) -> None:
    """Add ``gradient`` to ``parameter.grad``, which never shares its memory with another tensor."""
    if parameter.grad is None:
        parameter.grad = gradient.detach().to(parameter.dtype).clone(memory_format=torch.preserve_format)
    else:
        parameter.grad.add_(gradient)
