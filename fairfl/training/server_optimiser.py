"""``Server``: the server's step along a rule's direction."""

from dataclasses import dataclass, fields

import torch

from fairfl._keywords import teaches_keywords
from fairfl._validation import betas, known, number
from fairfl.errors import Refused

OPTIMISERS = ("sgd", "adam", "yogi", "adagrad")
READ_BY = {"momentum": ("sgd",), "betas": ("adam", "yogi"), "tau": ("adam", "yogi", "adagrad")}


@teaches_keywords
@dataclass(frozen=True)
class Server:
    """The server's step: ``w ← w − η_t dir``, or an adaptive step along ``dir``.

    - ``optimiser``: "sgd" (with heavy-ball ``momentum``), "adam", "yogi" or "adagrad" (FedAdam, FedYogi and FedAdagrad
      of Reddi et al. 2021: β = (0.9, 0.99), τ = ``tau``, v₀ = τ², no bias correction).
    - ``decay``: the factor by which the step size has decreased at the end of the run. It is applied every 100 rounds,
      as in FedMGDA+'s code: ``η_t = lr · decay^(100·⌊t/100⌋/T)``; 1 means no decay.

    Raises ``Refused`` for values out of range, and for a setting that the optimiser does not use.
    """

    lr: float = 1.0
    optimiser: str = "sgd"
    momentum: float = 0.0
    decay: float = 1.0
    betas: tuple[float, float] = (0.9, 0.99)
    tau: float = 1e-3

    def __post_init__(self) -> None:
        known("server optimiser", self.optimiser, OPTIMISERS)
        number(
            "lr",
            self.lr,
            0,
            torch.finfo(torch.float32).max,
            "It is a positive number that float32 can hold.",
            above=True,
        )
        number("momentum", self.momentum, 0, 1, below=True)
        number("decay", self.decay, 0, 1, "Papers that print decay 0 mean no decay, which is 1.", above=True)
        number("tau", self.tau, 0, 1e19, "Its square is where the second moment starts, in float32.", above=True)
        object.__setattr__(self, "betas", betas(self.betas))
        for field in fields(self):
            value, readers = getattr(self, field.name), READ_BY.get(field.name, OPTIMISERS)
            if value != field.default and self.optimiser not in readers:
                raise Refused(
                    f"{field.name} is {value!r}, and optimiser {self.optimiser!r} does not use it; leave it out, or "
                    f"use {' or '.join(map(repr, readers))}",
                    "combination",
                )

    def lr_at(self, round: int, rounds: int) -> float:
        """The step size η_t in round t of T."""
        return self.lr * self.decay ** (100 * (round // 100) / rounds)

    @property
    def depends_on_rounds(self) -> bool:
        """Whether the step sizes depend on the number of rounds, T."""
        return self.decay != 1 or type(self).lr_at is not Server.lr_at

    def begin(self, w: torch.Tensor) -> dict[str, torch.Tensor]:
        """The initial state: the model ``w`` (d,), and the ``first`` and ``second`` moments (d,) of the optimiser, if
        it has them.
        """
        state = {"w": w.clone()}
        if self.optimiser in ("adam", "yogi") or self.momentum:
            state["first"] = torch.zeros_like(w)
        if self.optimiser != "sgd":
            state["second"] = torch.full_like(w, self.tau**2)
        return state

    def step(self, state: dict[str, torch.Tensor], direction: torch.Tensor, lr: float) -> dict[str, torch.Tensor]:
        """The state after a step of size ``lr`` against ``direction`` (d,); ``state`` itself is not changed."""
        after = {name: value.clone() for name, value in state.items()}
        w = after["w"]
        if self.optimiser == "sgd":
            w.sub_(after["first"].mul_(self.momentum).add_(direction) if "first" in after else direction, alpha=lr)
            return after
        second, square = after["second"], direction * direction
        if self.optimiser == "adagrad":
            second.add_(square)
            w.sub_(direction / (second.sqrt() + self.tau), alpha=lr)
        else:
            first, (b1, b2) = after["first"], self.betas
            first.mul_(b1).add_(direction, alpha=1 - b1)
            if self.optimiser == "adam":
                second.mul_(b2).add_(square, alpha=1 - b2)
            else:
                second.sub_((1 - b2) * square * torch.sign(second - square))
            w.sub_(first / (second.sqrt() + self.tau), alpha=lr)
        return after
