"""``LocalSGD``: the local training of a client in a round."""

import math
from dataclasses import dataclass

import torch

from fairfl._randomness import generator
from fairfl._validation import betas, integer, number
from fairfl.clients.correction import Bound, Correction
from fairfl.errors import Refused, refuse, unknown


@dataclass(frozen=True)
class LocalSGD:
    """Local training: ``epochs`` passes of SGD or Adam over the client's own rows, from the server's model.

    - ``lr``: the step size ℓ, multiplied by ``decay`` to the power of the round.
    - ``batch_size``: the number of rows per step; ``None`` takes all of the client's rows (full batch).
    - ``momentum``: heavy-ball momentum, which starts at zero every round.
    - ``proximal``: μ of FedProx, which adds ``(μ/2)‖w − w_t‖²`` to the client's loss.
    - ``steps``: the maximum number of steps per round; ``None`` sets no limit.
    - ``correct``: a ``Correction`` of your own, such as SCAFFOLD's control variates.
    - ``optimiser``: "sgd", or "adam" with ``betas`` and ``eps`` as in ``torch.optim.Adam``. Adam's moments and bias
      correction start anew every round, because clients that are rarely visited keep no state (as in Wang et al. 2021,
      "Local Adaptivity in Federated Learning"); the proximal term is part of the gradient. A pseudo-gradient is then
      not a multiple of a gradient, so ``train`` refuses rules that need one (DQN-Fed's rates).

    Raises ``Refused`` for values out of range, and for a setting that the optimiser does not use.
    """

    lr: float = 0.1
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

    def __post_init__(self) -> None:
        if self.optimiser not in ("sgd", "adam"):
            raise unknown("local optimiser", self.optimiser, ("sgd", "adam"))
        for name, usual, reader in (("momentum", 0, "sgd"), ("betas", (0.9, 0.999), "adam"), ("eps", 1e-8, "adam")):
            if getattr(self, name) != usual and self.optimiser != reader:
                raise Refused(
                    f"{name} is {getattr(self, name)!r}, and local optimiser {self.optimiser!r} does not use it; "
                    f"leave it out, or use {reader!r}",
                    "combination",
                )
        put = lambda name, value: object.__setattr__(self, name, value)
        put("betas", betas(self.betas))
        # NumPy numbers become Python numbers, because settings are compared as such; Python's stay as given.
        keep = lambda name, value: isinstance(getattr(self, name), (int, float)) or put(name, value)
        for name in ("epochs", "batch_size", "steps"):
            if getattr(self, name) is not None or name == "epochs":
                keep(name, integer(name, getattr(self, name), 1))
        # The largest step that float32 can hold; the bias correction of Adam's first step enlarges it.
        longest = 1e38 * (1 - self.betas[0] if self.optimiser == "adam" else 1)
        for name, high in (("lr", longest), ("momentum", 1), ("proximal", math.inf), ("decay", 1), ("eps", math.inf)):
            keep(
                name,
                number(
                    name, getattr(self, name), 0, high, above=name in ("lr", "decay", "eps"), below=name == "momentum"
                ),
            )
        if self.correct is not None and not isinstance(self.correct, Correction):
            raise refuse(
                "correct",
                self.correct,
                "a Correction",
                "Derive your class from fairfl.clients.Correction, and pass an instance.",
                "type",
            )

    def lr_at(self, round: int) -> float:
        """The step size of this round."""
        return self.lr * self.decay**round

    def moments(self, w: list[torch.Tensor]) -> list[list[torch.Tensor]]:
        """The optimiser's state for ``descend``, zero at the start of a round: lists shaped like ``w``."""
        count = 2 if self.optimiser == "adam" else bool(self.momentum)
        return [[torch.zeros_like(p) for p in w] for _ in range(count)]

    def descend(
        self,
        w: list[torch.Tensor],
        g: list[torch.Tensor],
        anchor: list[torch.Tensor] | None,
        moments: list[list[torch.Tensor]],
        lr: float,
        step: int,
        bound: Bound | None = None,
    ) -> None:
        """Take step number ``step``, counted from 1; it changes ``w`` and ``moments`` in place.

        ``w``, ``g`` and ``anchor`` are lists of stacks (S, ...), one per parameter or one for all of them. ``anchor``:
        the point that the proximal term pulls to. ``bound``: the correction of these S slots.
        """
        if bound is not None:
            flat = bound.gradient(*(torch.cat([p.flatten(1) for p in stacks], dim=1) for stacks in (g, w)))
            g = [piece.view_as(p) for piece, p in zip(flat.split([p[0].numel() for p in w], dim=1), w)]
        if anchor is not None:
            g = [d + self.proximal * (p - a) for d, p, a in zip(g, w, anchor)]
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

    def steps_of(self, size: int) -> int:
        """The number of steps that a client with ``size`` rows takes per round."""
        batch = size if self.batch_size is None else min(self.batch_size, size)
        steps = self.epochs * math.ceil(size / batch)
        return steps if self.steps is None else min(steps, self.steps)

    def pseudo_lr(self, size: int, round: int) -> float:
        """The sum of step sizes behind a pseudo-gradient: ``g_k ≈ pseudo_lr · ∇f_k(w_t)`` for small steps of SGD."""
        return self.lr_at(round) * self.steps_of(size)

    def orders(self, size: int, seed: int, round: int, client: int) -> list[torch.Tensor]:
        """For each epoch, the order of the client's rows; drawn by key, so every engine uses the same."""
        if self.batch_size is None or self.batch_size >= size:
            return [torch.arange(size)] * self.epochs
        g = generator(seed, "batches", round, client)
        return [torch.randperm(size, generator=g) for _ in range(self.epochs)]
