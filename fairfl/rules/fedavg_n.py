"""FedAvg-n: the mean of the clients' unit updates."""

import torch

from fairfl._validation import one_of
from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class FedAvgN(GramRule):
    """``dir = Σ_k p_k g_k / ‖g_k‖``, that is ``λ_k = p_k / √A_kk`` (Hu et al. 2022, the ablation of FedMGDA+).

    ``weighting="uniform"`` (1/K, as in the authors' code) or ``"shares"``. No state.

    A zero update has no direction: its client gets weight 0, with a ``reason``, and the others keep their weights. The
    paper's step size ``η β^⌊t/100⌋`` with ``β = decay^(100/T)`` is a setting of the server optimiser.
    """

    def __init__(self, weighting: str = "uniform"):
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    @property
    def name(self) -> str:
        return "FedAvg-n"

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        weights[keep] = a_priori(self.weighting, updates)[keep] / gram.diagonal()[keep].sqrt()
        return Weights(weights, reason=reason)
