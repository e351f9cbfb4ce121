"""``SecondOrder``: what FedNL and FedNew have in common, clients that read their own Hessians instead of descending."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import ArrayLike

from fairfl._validation import number, tensor
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.hessians import derivatives
from fairfl.clients.round_work import RoundWork
from fairfl.errors import Diverged, Refused, refuse

# Bytes that one Hessian a client may fill, all runs together; a method holds up to four such stacks at a time.
LARGEST = 2**31


@dataclass(frozen=True, kw_only=True)
class SecondOrder:
    """A method for ``train(local=...)`` that makes a row of every client's gradient and Hessian at w_t.

    ``ridge``: μ of ``μ/2 ‖w‖²``, which ``train`` adds to every client's loss, as the papers do; it makes a logistic
    loss strongly convex. Everybody takes part in every round. The mean of the rows by data shares, ``FedAvg``'s
    direction, is the method's step; a row is no multiple of a gradient, so that DQN-Fed's rates are refused.

    ``kept`` is what clients and server remember: a dict, empty before the first round, filled by ``rows`` and
    ``heard``.
    """

    ridge: float = 1e-3

    def __post_init__(self) -> None:
        number("ridge", self.ridge, 0, remedy="It is μ, which makes every client's loss strongly convex.")

    def rows(
        self,
        gradients: ArrayLike | torch.Tensor,
        hessians: ArrayLike | torch.Tensor | None,
        kept: dict[str, Any],
        shares: ArrayLike | torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The round's rows, (N, d) float64, from ``gradients`` (N, d) and ``hessians`` (N, d, d) at w_t.

        ``hessians`` may be ``None`` where ``reads_hessians`` says so. ``shares`` (N,): the clients' weights, which sum
        to 1; equal if left out. Raises ``Refused`` for what is no real numbers, shapes that do not fit (each other, or
        what is kept) and a system that is not positive definite, ``Diverged`` for numbers that are not finite, with
        ``clients`` naming whose where they are a client's; ``kept`` is then as it was.
        """
        G = tensor("gradients", gradients).double()
        if G.ndim != 2 or 0 in G.shape:
            raise refuse("the shape of gradients", tuple(G.shape), "(N, d) with N ≥ 1 and d ≥ 1", "One row a client.")
        N, d = G.shape
        if hessians is None and self.reads_hessians(kept):
            raise Refused(f"{type(self).__name__} reads every client's Hessian in this round, and there are none")
        H = None if hessians is None else tensor("hessians", hessians).double()
        if H is not None and H.shape != (N, d, d):
            raise refuse("the shape of hessians", tuple(H.shape), f"({N}, {d}, {d})", "One matrix a client.")
        for name, value in kept.items():
            if isinstance(value, torch.Tensor) and value.ndim > 1 and value.shape[:2] != (N, d):
                told = f"those of the rounds before, whose {name} are {tuple(value.shape)}"
                raise refuse("the shape of gradients", (N, d), told, "Begin another problem with an empty kept.")
        p = torch.full((N,), 1 / N, dtype=G.dtype) if shares is None else tensor("shares", shares).double()
        # Said so that NaN is not what is wanted.
        if p.shape != (N,) or not bool((p >= 0).all()) or not abs(float(p.sum()) - 1) <= 1e-4:
            raise refuse("shares", p.tolist(), f"{N} numbers from 0 that sum to 1", "Divide sizes by their sum.")
        self._check_finite(G, H)
        return self._rows(G, H, kept, p.to(G))

    def _rows(
        self, G: torch.Tensor, H: torch.Tensor | None, kept: dict[str, Any], shares: torch.Tensor
    ) -> torch.Tensor:
        raise NotImplementedError

    def heard(self, direction: torch.Tensor, kept: dict[str, Any]) -> None:
        """What clients do when they learn the server's ``direction`` (d,), made of the rows of this round.

        Where they keep it, raises ``Refused`` for another shape and ``Diverged`` for entries that are not finite.
        """

    def reads_hessians(self, kept: dict[str, Any]) -> bool:
        """Whether the next round needs Hessians."""
        return True

    def check(self, flat: FlatModel, clients: int) -> None:
        """Refuse a model without an exact Hessian, or with one too large for ``clients``, counted over all runs."""
        name, d = type(self).__name__, flat.vector.numel()
        if flat.has_dropout:
            raise Refused(f"{name} needs a loss with a Hessian, and this model draws random numbers; use 'logistic'")
        size = clients * d * d * 8
        if size > LARGEST:
            raise Refused(
                f"{name} keeps a Hessian of {d} × {d} numbers for each of {clients} clients, {size / 2**30:.3g} GiB; "
                f"allowed: {LARGEST / 2**30:g} GiB. Use a model with fewer parameters, such as 'logistic', or fewer "
                f"clients or seeds at a time"
            )

    def work(self, flat: FlatModel, work: RoundWork, kept: Sequence[dict[str, Any]]) -> torch.Tensor:
        """The rows (S, d) of ``work``'s slots, each run's clients together, in the model's own type.

        ``kept``: for each run what it remembers; it is changed in place.
        """
        out = torch.empty(len(work.slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
        for r, held in enumerate(kept):
            places = [i for i, slot in enumerate(work.slots) if slot.run == r]
            slots, reads = [work.slots[i] for i in places], self.reads_hessians(held)
            found = [derivatives(flat, work.data, s.rows, work.starts[r], work.loss, self.ridge, reads) for s in slots]
            G, H = (
                torch.stack([g for g, _ in found]),
                torch.stack([h for _, h in found if h is not None]) if reads else None,
            )
            sizes = torch.tensor([len(s.rows) for s in slots], dtype=G.dtype, device=G.device)
            out[places] = self.rows(G, H, held, sizes / sizes.sum()).to(out)
        return out

    def _check_finite(self, G: torch.Tensor, H: torch.Tensor | None) -> None:
        """``Diverged``, naming every client that sent what is not finite."""
        finite = (
            torch.isfinite(G).all(1) if H is None else torch.isfinite(G).all(1) & torch.isfinite(H).flatten(1).all(1)
        )
        bad = (~finite).nonzero().flatten().tolist()
        if bad:
            named = f"client {bad[0]}'s" if len(bad) == 1 else f"clients {', '.join(map(str, bad))}'s"
            error = Diverged(
                f"{named} gradient or Hessian has non-finite entries; {type(self).__name__} has no line search: start "
                f"nearer to a minimum (some rounds of LocalSGD first), raise ridge, or drop whom this names"
            )
            error.clients = dict.fromkeys(bad, "sent a gradient or a Hessian with entries that are not finite")
            raise error


def solved(matrix: torch.Tensor, right: torch.Tensor, what: str, remedy: str) -> torch.Tensor:
    """``matrix⁻¹ right`` for symmetric positive definite ``matrix`` (d, d) and columns ``right`` (d, n).

    ``Refused``, with the lowest eigenvalue, if ``what`` is not positive definite; ``Diverged`` if it is not finite.
    """
    if not bool(torch.isfinite(matrix).all()):
        raise Diverged(f"{what} has entries that are not finite, although the Hessians' are; lower ridge")
    factor, failed = torch.linalg.cholesky_ex(matrix)
    if int(failed):
        low = float(torch.linalg.eigvalsh(matrix)[0])
        raise Refused(f"{what} has {low:.3g} as lowest eigenvalue; allowed: positive ones. {remedy}")
    return torch.cholesky_solve(right, factor)
