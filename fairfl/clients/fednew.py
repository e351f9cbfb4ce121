"""FedNew: one pass of ADMM per round towards Newton's step; no Hessian leaves its client."""

from dataclasses import dataclass
from typing import Any

import torch

from fairfl._validation import integer, number, tensor
from fairfl.clients.second_order import SecondOrder, solved
from fairfl.errors import Diverged, Refused, refuse


@dataclass(frozen=True, kw_only=True)
class FedNew(SecondOrder):
    """ADMM for Newton's step: client k sends its own solution of ``(H + α I) y = g``, with a multiplier ``λ_k``:

    ``y_k = (∇²f_k(w_t) + (α + ρ) I)⁻¹ (∇f_k(w_t) − λ_k + ρ y)``,  ``y ← Σ p_k y_k``,  ``w_{t+1} = w_t − y``,
    ``λ_k ← λ_k + ρ (y_k − y)``,

    where ``λ_k`` and ``y`` are 0 before the first round and ``p_k`` are the data shares (equal in the paper; with any
    shares ``Σ p_k λ_k`` stays 0). ``alpha``: α, the damping of Newton's step. ``rho``: ρ, the penalty that keeps the
    clients' solutions together. ``every``: the number of rounds between two Hessians; ``None`` keeps the first one
    (the paper's r is 1 / ``every``, or 0). If gradients and Hessians were constant, ``y`` would converge to
    ``(Σ p_k ∇²f_k + α I)⁻¹ Σ p_k ∇f_k``, the step of the mean loss.

    A client sends d numbers per round: its row ``y_k``. It receives the server's direction, which is ``y`` under
    ``FedAvg``.

    Source: Elgabli et al. 2022, Algorithm 1 (without Q-FedNew's quantisation), from memory and checked against the
    authors' code (aelgabli/FedNew, newton_ADMM.m and newton_ADMM_Hk.m); the paper's text was not available. That code
    sums the losses over a client's rows, so its values α = 1 and ρ = 50 are not on the scale of means.

    Raises ``Refused`` for settings out of range.
    """

    alpha: float = 0.1
    rho: float = 0.1
    every: int | None = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        number("alpha", self.alpha, 0, remedy="It is α, the damping of Newton's step.")
        number("rho", self.rho, 0, remedy="It is ρ, which keeps the clients' solutions together.", above=True)
        if self.every is not None:
            integer("every", self.every, 1, "It is the number of rounds between two Hessians; None keeps the first.")

    def reads_hessians(self, kept: dict[str, Any]) -> bool:
        return "hessians" not in kept or self.every is not None and kept["rounds"] % self.every == 0

    def _rows(
        self, G: torch.Tensor, H: torch.Tensor | None, kept: dict[str, Any], shares: torch.Tensor
    ) -> torch.Tensor:
        hessians = H if H is not None and self.reads_hessians(kept) else kept["hessians"]
        multipliers = kept.get("multipliers", torch.zeros_like(G))
        common = kept.get("common", torch.zeros_like(G[0]))
        shift = (self.alpha + self.rho) * torch.eye(G.shape[1]).to(G)
        own = [
            solved(
                h + shift,
                right[:, None],
                f"client {k}'s Hessian + (α + ρ) I",
                "FedNew is for convex losses, such as a logistic model's; raise alpha, rho or ridge.",
            )[:, 0]
            for k, (h, right) in enumerate(zip(hessians, G - multipliers + self.rho * common))
        ]
        kept.update(hessians=hessians, multipliers=multipliers, own=torch.stack(own), rounds=kept.get("rounds", 0) + 1)
        return kept["own"]

    def heard(self, direction: torch.Tensor, kept: dict[str, Any]) -> None:
        if "own" not in kept:
            raise Refused("FedNew received a direction before any client sent a row; call rows first", "missing")
        common = tensor("the direction", direction).double().to(kept["own"])
        if common.shape != kept["own"].shape[1:]:
            raise refuse(
                "the shape of the direction",
                tuple(common.shape),
                str(tuple(kept["own"].shape[1:])),
                "It is one flat vector, like a row.",
                "shape",
            )
        if not bool(torch.isfinite(common).all()):
            raise Diverged("FedNew received a direction with non-finite entries; every later row would be NaN")
        kept.update(common=common, multipliers=kept["multipliers"] + self.rho * (kept["own"] - common))
