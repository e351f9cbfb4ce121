"""``LocalOptimiser``: local training by any optimiser of ``torch.optim``, in the sequential engine."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from fairfl._keywords import teaches_keywords
from fairfl._validation import number
from fairfl.clients.correction import Bound, Correction
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.local_method import LocalMethod, Schedule, Step, check_schedule, scheduled, set_amounts, set_number
from fairfl.errors import Refused, refuse

LONGEST = 1e38


@teaches_keywords
@dataclass(frozen=True)
class LocalOptimiser(LocalMethod):
    """Local training by an optimiser of ``torch.optim``, or by one of your own with the same interface.

    - ``make``: the optimiser's class, or a ``functools.partial`` of it with further settings. It is called as
      ``make(parameters, lr=lr)`` at the start of each client's round, so its state starts anew every round.
    - ``lr``: the step size, or a function of the round, counted from 0 (as for ``LocalSGD``).
    - ``epochs``, ``batch_size``, ``steps``, ``clip``, ``proximal``, ``correct``: see ``LocalMethod``.

    Clients train one after another: ``train`` takes the sequential engine and refuses the batched one. A
    pseudo-gradient is not a multiple of a gradient, so ``train`` refuses rules that need one (DQN-Fed's rates). A
    checkpoint compares ``make`` by its public name and settings; a lambda is refused there.

    An optimiser that evaluates the gradient several times per step, such as ``torch.optim.LBFGS``, works as well: every
    step is called as ``optimiser.step(closure)``.

    Raises ``Refused`` for values out of range, for a ``make`` that is not a function, and during training for one that
    does not return an optimiser, or whose optimiser replaces parameters instead of changing them in place.

    >>> import functools
    >>> import torch
    >>> from fairfl.clients import LocalOptimiser
    >>> adamw = functools.partial(torch.optim.AdamW, weight_decay=0.1)
    >>> LocalOptimiser(adamw, lr=1e-3, epochs=2, batch_size=16, clip=1.0).steps_of(40)
    6
    """

    make: Callable[..., torch.optim.Optimizer]
    lr: float | Schedule
    epochs: int = 1
    batch_size: int | None = None
    steps: int | None = None
    clip: float | None = None
    proximal: float = 0.0
    correct: Correction | None = None

    stacks = False
    sends_gradients = False

    def __post_init__(self) -> None:
        if not callable(self.make) or isinstance(self.make, torch.optim.Optimizer):
            remedy = "Pass the class itself, torch.optim.AdamW, or functools.partial(torch.optim.AdamW, ...)."
            raise refuse("make", self.make, "a class of torch.optim, or a partial of one", remedy, "type")
        if isinstance(self.make, functools.partial) and "lr" in self.make.keywords:
            remedy = "Pass it to LocalOptimiser(make, lr=...) instead."
            raise refuse("make's lr", self.make.keywords["lr"], "no lr in the partial", remedy, "combination")
        set_amounts(self)
        if callable(self.lr):
            check_schedule(self.lr)
        else:
            set_number(self, "lr", number("lr", self.lr, 0, LONGEST, above=True))

    def lr_at(self, round: int) -> float:
        """The step size of this round. Raises ``Refused``, which names the round, if a schedule's is out of range."""
        return scheduled(self.lr, round, LONGEST) if callable(self.lr) else self.lr

    def begin(self, flat: FlatModel, round: int, anchor: torch.Tensor | None, bound: Bound | None) -> Step:
        """A client's round with a new optimiser, as ``LocalMethod.begin`` says."""
        parameters = [p for p in flat.module.parameters() if p.requires_grad]
        optimiser: Any = self.make(parameters, lr=self.lr_at(round))
        if not callable(getattr(optimiser, "step", None)):
            remedy = "Return an optimiser of torch.optim, or an object with step(closure)."
            raise refuse("the result of make(parameters, lr=...)", type(optimiser).__name__, remedy[7:], remedy, "type")
        pull = None if anchor is None else [anchor[None]]

        def step(closure: Callable[[], torch.Tensor]) -> None:
            def followed() -> torch.Tensor:
                flat.bind_gradients()
                loss = closure()
                with torch.no_grad():
                    g = self.follows([flat.vector[None]], [flat.gradient[None]], pull, bound)
                    if g[0].data_ptr() != flat.gradient.data_ptr():
                        flat.gradient.copy_(g[0][0])
                return loss

            optimiser.step(followed)
            if not flat.is_bound:
                raise Refused(
                    f"{type(optimiser).__name__} replaced a parameter's tensor; a local optimiser has to change "
                    f"parameters in place, as those of torch.optim do: p.add_(...) instead of p.data = ...",
                    "combination",
                )

        return step
