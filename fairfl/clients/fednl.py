"""FedNL: Newton's method on Hessians that the server learns from compressed corrections."""

from dataclasses import dataclass
from typing import Any

import torch

from fairfl._validation import boolean, integer, number
from fairfl.clients.second_order import SecondOrder, solved
from fairfl.errors import Refused

CONVEX = "FedNL is for convex losses, such as a logistic model's: raise ridge, or use project=True."


@dataclass(frozen=True, kw_only=True)
class FedNL(SecondOrder):
    """Server and client k keep an estimate ``H_k`` of its Hessian, and each round it sends, with its gradient, the
    compressed error ``S_k = C(∇²f_k(w_t) − H_k)`` and the error's size ``l_k = ‖∇²f_k(w_t) − H_k‖_F``:

    ``w_{t+1} = w_t − (Σ p_k H_k + Σ p_k l_k I)⁻¹ Σ p_k ∇f_k(w_t)``,  then  ``H_k ← H_k + step · S_k``,

    with the data shares ``p_k`` (the paper has them equal). ``rank``: C keeps that many eigenvalues, those of largest
    size, with their vectors. ``top``: instead, that many entries on and above the diagonal, mirrored below it. With
    both ``None`` nothing is lost, and the step uses the Hessian of the round before. ``step``: α of the paper, 1 for
    such C. ``project``: instead of adding the ``l_k``, raise the mean's eigenvalues to at least ``ridge`` (Option 1;
    without, Option 2). ``warm``: begin with ``H_k = ∇²f_k(w_0)``, sent whole once, instead of 0.

    A client sends d + R (d + 1) + 1 numbers a round, or d + 2 K + 1 with ``top``. The rows are
    ``(Σ p_k H_k + Σ p_k l_k I)⁻¹ ∇f_k``, whose mean is the step: what the server makes of what is sent.

    Source: Safaryan et al. 2022, Algorithm 1, from memory and against the authors' code (Rustem-Islamov/FedNL-Public,
    class FedNL), of which the paper's text was not at hand. That code takes the spectral norm for ``l_k``, and for
    α = 1 − √(1 − δ) offers a smaller step. Partial participation is another algorithm there, and not here.

    Raises ``Refused`` for settings out of range.
    """

    rank: int | None = 1
    top: int | None = None
    step: float = 1.0
    project: bool = False
    warm: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, said in (("rank", "It is the number of eigenvalues"), ("top", "It is the number of entries")):
            if getattr(self, name) is not None:
                integer(name, getattr(self, name), 1, f"{said} of an error that a client sends.")
        if self.rank is not None and self.top is not None:
            raise Refused(f"rank is {self.rank} and top is {self.top}; allowed: one of them. Give top with rank=None")
        number("step", self.step, 0, 1, "It is how far an estimate follows what was sent.", above=True)
        boolean("project", self.project)
        boolean("warm", self.warm)
        if self.project and not self.ridge:
            raise Refused("project=True raises eigenvalues to ridge, which is 0; give a positive ridge")

    def _rows(
        self, G: torch.Tensor, H: torch.Tensor | None, kept: dict[str, Any], shares: torch.Tensor
    ) -> torch.Tensor:
        assert H is not None  # ``rows`` has seen to it
        first = H if self.warm else torch.zeros_like(H)
        estimates = kept.get("estimates", first)
        error = H - estimates
        mean, eye = torch.tensordot(shares, estimates, 1), torch.eye(H.shape[1]).to(H)
        if self.project:
            values, Q = torch.linalg.eigh(mean)
            out = G @ (Q / values.clamp(min=self.ridge)) @ Q.T
        else:
            size = shares @ torch.linalg.matrix_norm(error)
            out = solved(mean + size * eye, G.T, "FedNL's matrix, Σ p_k (H_k + l_k I),", CONVEX).T
        kept["estimates"] = estimates + self.step * self.compressed(error)
        return out

    def compressed(self, errors: torch.Tensor) -> torch.Tensor:
        """C of each of the symmetric ``errors`` (N, d, d)."""
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
