"""q-FedAvg: weights that are powers of the losses, with the step size built in."""

import torch

from fairfl._validation import number
from fairfl.errors import Refused, refuse
from fairfl.rules.base import GramRule, Weights
from fairfl.rules.inputs import column
from fairfl.updates import Updates


class QFedAvg(GramRule):
    """``dir = Σ_k f_k^q G_k / Σ_k (q f_k^(q−1) ‖G_k‖² + L f_k^q)`` with ``G_k = L g_k`` (Li et al. 2020, Algorithm 2).

    So ``λ_k = L f_k^q / Σ_j (q f_j^(q−1) L² A_jj + L f_j^q)``; the norm is squared, and q = 0 is the uniform mean.
    The denominator is the method's own step size: the server's η is 1.

    ``q ≥ 0``; papers' grids {0.001, 0.01, 0.1, 1, 2, 5, 15}. ``L`` turns a row back into a gradient; ``None`` takes
    the paper's 1 / local step size (``updates.local_lr``), which is for plain SGD. It raises an error if the clients
    use Adam, momentum, clipping or another optimiser, or if their step sizes differ.
    FedMGDA+ tunes it over 0.1, 1, 10. No state.

    In released code, f is a mean loss, a sum of batch means, or the loss after training, so values of q cannot be
    compared. Here f is the mean training loss at w_t. A client with loss 0 (q > 0) adds nothing to either sum: this is
    the limit for a smooth, non-negative loss, whose squared gradient is at most 2 L f. Negative losses raise an error
    (q > 0).
    """

    needs = frozenset({"losses"})

    def __init__(self, q: float = 1.0, L: float | None = None):
        self.q = number("q", q, low=0)
        self.L = None if L is None else number("L", L, low=1e-30, remedy="L is 1 / local step size, and positive.")

    @property
    def name(self) -> str:
        return "q-FedAvg"

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        losses = updates.losses
        if self.q > 0:
            losses = column(
                "losses",
                losses,
                updates,
                low=0.0,
                remedy="Powers need losses that are never negative; TERM accepts any loss.",
            )
        if self.q == 0:
            return torch.full((len(updates),), 1 / len(updates), dtype=torch.float64)
        L = self._lipschitz(updates)
        weights, lossy = torch.zeros(len(updates), dtype=torch.float64), losses > 0
        if not bool(lossy.any()):
            return Weights(weights, reason="every loss is zero, so there is nothing to lower")
        # Numerator and denominator are both divided by L · largest^q, so no power overflows float64.
        largest = losses.max()
        share, square = losses[lossy] / largest, gram.diagonal()[lossy]
        curvature = torch.where(square > 0, self.q * share ** (self.q - 1) * (L * square / largest), 0.0)
        weights[lossy] = share**self.q / (curvature + share**self.q).sum()
        return weights

    def _lipschitz(self, updates: Updates) -> float:
        if self.L is not None:
            return self.L
        if updates.local_lr is None:
            raise Refused(
                f"{self.name} takes L = 1 / local step size, and the clients have no common step size of plain SGD "
                f"(round {updates.round}): their step sizes differ, or they use another optimiser, momentum or "
                f"clipping; pass L to q-FedAvg, such as QFedAvg(q={self.q:g}, L=10), or give all clients "
                f"LocalSGD with one lr",
                "combination",
            )
        if updates.local_lr < 1e-30:
            raise refuse(
                f"the updates' local_lr (round {updates.round})",
                updates.local_lr,
                f"1e-30 or more, because {self.name} takes L = 1 / local_lr",
                "Pass L to q-FedAvg, or pass the updates the step size of local training.",
            )
        return 1 / updates.local_lr
