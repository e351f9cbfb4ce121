"""``LocalSGD``: local training by SGD or Adam, in both engines."""

import math
from dataclasses import dataclass, field

import torch

from fairfl._keywords import teaches_keywords
from fairfl._validation import betas, known, number
from fairfl.clients.correction import Bound, Correction
from fairfl.clients.local_method import (
    LocalMethod,
    Schedule,
    Tensors,
    check_schedule,
    scheduled,
    set_amounts,
    set_number,
)
from fairfl.errors import Refused

# Left out of a run's settings at its default, so that runs recorded before the field existed stay the same runs.
ADDED = {"left out at its default": True}


@teaches_keywords
@dataclass(frozen=True)
class LocalSGD(LocalMethod):
    """Local training: ``epochs`` passes of SGD or Adam over the client's own rows, from the server's model.

    - ``lr``: the step size ℓ, multiplied by ``decay`` to the power of the round. It may also be a function of the
      round, counted from 0, such as a schedule of your own. A checkpoint compares a named function or a frozen
      dataclass with ``__call__``, and refuses a lambda.
    - ``batch_size``: the number of rows per step; ``None`` takes all of the client's rows (full batch).
    - ``momentum``: heavy-ball momentum, which starts at zero every round.
    - ``proximal``: μ of FedProx, which adds ``(μ/2)‖w − w_t‖²`` to the client's loss.
    - ``steps``: the maximum number of steps per round; ``None`` sets no limit.
    - ``correct``: a ``Correction`` of your own, such as SCAFFOLD's control variates.
    - ``optimiser``: "sgd", or "adam" with ``betas`` and ``eps`` as in ``torch.optim.Adam``. Adam's moments and bias
      correction start anew every round, because clients that are rarely visited keep no state (as in Wang et al. 2021,
      "Local Adaptivity in Federated Learning"); the proximal term is part of the gradient. A pseudo-gradient is then
      not a multiple of a gradient, so ``train`` refuses rules that need one (DQN-Fed's rates).
    - ``weight_decay``: λ of the term ``λ w`` that is added to each step's gradient, before momentum and Adam's moments.
      So it is coupled (an L2 penalty), as in ``torch.optim.SGD`` and ``torch.optim.Adam``. For decoupled decay, use
      ``LocalOptimiser(torch.optim.AdamW, ...)``.
    - ``clip``: the largest L2 norm of each step's gradient, as in ``torch.nn.utils.clip_grad_norm_``. The gradient that
      is clipped includes correction and proximal term, but not the weight decay. ``train`` refuses it for rules that
      need multiples of a gradient.

    For another optimiser of ``torch.optim`` see ``LocalOptimiser``, for a method of your own ``LocalMethod``.

    Raises ``Refused`` for values out of range, and for a setting that the optimiser does not use. A schedule's values
    are checked in each round.
    """

    lr: float | Schedule = 0.1
    epochs: int = 1
    batch_size: int | None = None
    momentum: float = 0.0
    proximal: float = 0.0
    decay: float = 1.0
    steps: int | None = None
    correct: Correction | None = None
    optimiser: str = "sgd"
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = field(default=0.0, metadata=ADDED)
    clip: float | None = field(default=None, metadata=ADDED)

    def __post_init__(self) -> None:
        known("local optimiser", self.optimiser, ("sgd", "adam"))
        for name, usual, reader in (("momentum", 0, "sgd"), ("betas", (0.9, 0.999), "adam"), ("eps", 1e-8, "adam")):
            if getattr(self, name) != usual and self.optimiser != reader:
                raise Refused(
                    f"{name} is {getattr(self, name)!r}, and local optimiser {self.optimiser!r} does not use it; "
                    f"leave it out, or use {reader!r}",
                    "combination",
                )
        object.__setattr__(self, "betas", betas(self.betas))
        set_amounts(self)
        numbers = [("lr", self._longest), ("momentum", 1), ("decay", 1), ("eps", math.inf), ("weight_decay", math.inf)]
        if callable(self.lr):
            check_schedule(self.lr)
            del numbers[0]
        for name, high in numbers:
            above, below = name in ("lr", "decay", "eps"), name == "momentum"
            set_number(self, name, number(name, getattr(self, name), 0, high, above=above, below=below))

    @property
    def _longest(self) -> float:
        """The largest step that float32 can hold; the bias correction of Adam's first step enlarges it."""
        return 1e38 * (1 - self.betas[0] if self.optimiser == "adam" else 1)

    @property
    def sends_gradients(self) -> bool:
        return self.optimiser == "sgd" and self.clip is None

    def lr_at(self, round: int) -> float:
        """The step size of this round. Raises ``Refused``, which names the round, if a schedule's is out of range."""
        lr = scheduled(self.lr, round, self._longest) if callable(self.lr) else self.lr
        return lr * self.decay**round

    def moments(self, w: Tensors) -> list[Tensors]:
        """The optimiser's state for ``descend``, zero at the start of a round: lists shaped like ``w``."""
        count = 2 if self.optimiser == "adam" else bool(self.momentum)
        return [[torch.zeros_like(p) for p in w] for _ in range(count)]

    def descend(
        self,
        w: Tensors,
        g: Tensors,
        anchor: Tensors | None,
        moments: list[Tensors],
        lr: float,
        step: int,
        bound: Bound | None = None,
    ) -> None:
        """Take one step of SGD or Adam in place, as ``LocalMethod.descend`` says."""
        g = self.follows(w, g, anchor, bound)
        if self.weight_decay:
            g = [d + self.weight_decay * p for d, p in zip(g, w)]
        if self.optimiser == "adam":
            b1, b2 = self.betas
            for p, d, first, second in zip(w, g, *moments):
                first.lerp_(d, 1 - b1)
                second.mul_(b2).addcmul_(d, d, value=1 - b2)
                scale = (second.sqrt() / math.sqrt(1 - b2**step)).add_(self.eps)
                p.addcdiv_(first, scale, value=-lr / (1 - b1**step))
            return
        if moments:
            g = [v.mul_(self.momentum).add_(d) for v, d in zip(moments[0], g)]
        torch._foreach_sub_(w, g, alpha=lr)
