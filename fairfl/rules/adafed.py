"""AdaFed: every loss falls at a rate that follows the loss itself."""

import torch

from fairfl._validation import number, one_of
from fairfl.errors import refuse
from fairfl.rules.base import GramRule, Weights, joined, nonzero, part
from fairfl.rules.inputs import column
from fairfl.rules.solvers.prescribed import prescribed
from fairfl.updates import Updates


class AdaFed(GramRule):
    """``dir = Gᵀ A⁻¹ s / (sᵀ A⁻¹ s)`` with ``s_k = |f_k|^γ`` (Hamidi & Yang 2024, equations (5) to (14)).

    It is the only vector in the span of independent updates with rates ``ρ_k = s_k ‖dir‖²`` (Theorem 4.1). The paper
    orthogonalises the updates one after the other, and weights the results by their inverse squared norms. That gives
    the same vector (to 4e-16), but takes K² passes over d numbers instead of two. λ may have negative entries: the
    weights that the paper proves positive belong to its orthogonal vectors.

    ``gamma`` = γ: the papers' grid is {0, 0.01, 0.1, 1, 5, 10}; best are 5 on CIFAR-10, 0.1 on Shakespeare, 1
    elsewhere. ``losses``: ``"before"`` takes f at w_t, as in Theorem 4.1; ``"after"`` takes the losses after local
    training, as line 9 of Algorithm 1 sends them (``extras["losses_after"]``). No state.

    If updates are dependent and no vector has these rates, the rule takes the convex hull's point, with
    ``ρ_k ≥ s_k ‖dir‖²`` and a ``reason``. Zero updates are set aside. A loss of zero prescribes the rate zero (γ > 0);
    if all losses are zero, so is the direction. Nearly parallel updates make dir short without Pareto-stationarity.
    """

    def __init__(self, gamma: float = 1.0, losses: str = "before"):
        self.gamma = number("gamma", gamma, low=0)
        self.losses = one_of("losses", losses, "before", "after")
        self.needs = frozenset({"losses" if losses == "before" else "losses_after"})

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        losses = (
            updates.losses
            if self.losses == "before"
            else column("losses_after", updates.extras["losses_after"], updates)
        )
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        # Powers relative to the largest: |f|^10 of 1e30 fits into float64, its square does not.
        sizes = losses[keep].abs()
        if len(keep) == 0 or (self.gamma > 0 and not bool(sizes.any())):
            return Weights(weights, reason=reason or "every loss is zero, so every prescribed rate is zero")
        largest = sizes.max() if self.gamma > 0 else torch.ones((), dtype=torch.float64)
        top = largest**self.gamma
        if not 0 < float(top) < float("inf"):
            refusal = refuse(
                f"the largest |loss| to the power gamma = {self.gamma:g}",
                float(top),
                "1e-308 to 1e308, the range of float64",
                "Choose a smaller gamma, or scale the losses.",
            )
            over = torch.isinf(sizes**self.gamma)
            refusal.clients = {
                int(k): f"sent a loss whose power gamma = {self.gamma:g} is beyond float64: {float(f):g}"
                for k, f in zip(updates.clients[keep][over], losses[keep][over])
            }
            raise refusal
        s = (sizes / largest) ** self.gamma
        live, rows = part(gram, updates, keep)
        point = prescribed(live, s, rows)
        weights[keep] = point.weights / top
        return Weights(weights, reason=joined(reason, point.reason))
