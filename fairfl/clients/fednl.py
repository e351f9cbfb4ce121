"""FedNL: Newton's method with Hessians that the server learns from compressed corrections."""

from dataclasses import dataclass
from typing import Any

import torch

from fairfl._validation import boolean, integer, number
from fairfl.clients.second_order import SecondOrder, solved
from fairfl.errors import Refused

CONVEX = "FedNL is for convex losses, such as a logistic model's; raise ridge, or use project=True."


@dataclass(frozen=True, kw_only=True)
class FedNL(SecondOrder):
    """Newton's method with learned Hessians: the server and client k keep an estimate ``H_k`` of the client's Hessian.

    Each round the client sends its gradient, the compressed error ``S_k = C(∇²f_k(w_t) − H_k)``, and the size of the
    error, ``l_k = ‖∇²f_k(w_t) − H_k‖_F``:

    ``w_{t+1} = w_t − (Σ p_k H_k + Σ p_k l_k I)⁻¹ Σ p_k ∇f_k(w_t)``,  then  ``H_k ← H_k + step · S_k``,

    where ``p_k`` are the data shares (equal in the paper).

    - ``rank``: C keeps this number R of eigenvalues, the largest in absolute value, with their eigenvectors.
    - ``top``: instead, C keeps this number K of entries on and above the diagonal and mirrors them below it. If
      ``rank`` and ``top`` are both ``None``, nothing is lost, and the step uses the Hessian of the round before.
    - ``step``: α of the paper, 1 for such C.
    - ``project``: instead of adding the ``l_k``, raise the mean's eigenvalues to at least ``ridge`` (Option 1 of the
      paper; the default is Option 2).
    - ``warm``: start from ``H_k = ∇²f_k(w_0)``, which every client sends in full once, instead of 0.

    A client sends d + R (d + 1) + 1 numbers per round, or d + 2 K + 1 with ``top``. The rows are
    ``(Σ p_k H_k + Σ p_k l_k I)⁻¹ ∇f_k``, which the server computes from what is sent; their mean is the step.

    Source: Safaryan et al. 2022, Algorithm 1, from memory and checked against the authors' code
    (Rustem-Islamov/FedNL-Public, class FedNL); the paper's text was not available. That code uses the spectral norm for
    ``l_k``, and offers the smaller step α = 1 − √(1 − δ). Partial participation is a separate algorithm there, and is
    not implemented here.

    Raises ``Refused`` for settings out of range.
    """

    rank: int | None = 1
    top: int | None = None
    step: float = 1.0
    project: bool = False
    warm: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, parts in (("rank", "eigenvalues"), ("top", "entries")):
            if getattr(self, name) is not None:
                integer(name, getattr(self, name), 1, f"It is the number of {parts} of an error that a client sends.")
        if self.rank is not None and self.top is not None:
            raise Refused(
                f"rank is {self.rank} and top is {self.top}; allowed: one of them. Pass rank=None with top",
                "combination",
            )
        number("step", self.step, 0, 1, "It is how far an estimate moves towards the Hessian.", above=True)
        boolean("project", self.project)
        boolean("warm", self.warm)
        if self.project and not self.ridge:
            raise Refused(
                "project=True raises eigenvalues to ridge, and ridge is 0; pass a positive ridge", "combination"
            )

    def _rows(
        self, G: torch.Tensor, H: torch.Tensor | None, kept: dict[str, Any], shares: torch.Tensor
    ) -> torch.Tensor:
        assert H is not None  # ``rows`` ensures it
        first = H if self.warm else torch.zeros_like(H)
        estimates = kept.get("estimates", first)
        error = H - estimates
        mean, eye = torch.tensordot(shares, estimates, 1), torch.eye(H.shape[1]).to(H)
        if self.project:
            values, Q = torch.linalg.eigh(mean)
            out = G @ (Q / values.clamp(min=self.ridge)) @ Q.T
        else:
            size = shares @ torch.linalg.matrix_norm(error)
            out = solved(mean + size * eye, G.T, "FedNL's matrix Σ p_k (H_k + l_k I)", CONVEX).T
        kept["estimates"] = estimates + self.step * self.compressed(error)
        return out

    def compressed(self, errors: torch.Tensor) -> torch.Tensor:
        """Compress each of the symmetric ``errors`` (N, d, d) with C."""
        d = errors.shape[1]
        if self.rank is not None:
            values, Q = torch.linalg.eigh(errors)
            chosen = values.abs().argsort(dim=1, descending=True)[:, : self.rank]
            Q = Q.gather(2, chosen[:, None].expand(-1, d, -1))
            return (Q * values.gather(1, chosen)[:, None]) @ Q.mT
        if self.top is None:
            return errors
        upper = errors.triu().flatten(1)
        chosen = upper.abs().topk(min(self.top, d * (d + 1) // 2), dim=1).indices
        half = torch.zeros_like(upper).scatter(1, chosen, upper.gather(1, chosen)).view_as(errors)
        return half + half.triu(1).mT
