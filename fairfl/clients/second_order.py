"""``SecondOrder``: the common base of FedNL and FedNew, whose clients compute Hessians instead of taking steps."""

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

# Maximum bytes of a stack with one Hessian per client, over all runs; a method holds up to four such stacks at a time.
LARGEST = 2**31


@dataclass(frozen=True, kw_only=True)
class SecondOrder:
    """A method for ``train(local=...)`` that computes each client's row from its gradient and Hessian at w_t.

    ``ridge``: μ of ``μ/2 ‖w‖²``, which ``train`` adds to every client's loss, as the papers do; it makes a logistic
    loss strongly convex. Every client takes part in every round. The mean of the rows weighted by data shares, which is
    ``FedAvg``'s direction, is the method's step. A row is not a multiple of a gradient, so ``train`` refuses rules that
    need one (DQN-Fed's rates).

    ``kept`` is the state of clients and server: a dict, empty before the first round, filled by ``rows`` and ``heard``.
    """

    ridge: float = 1e-3

    def __post_init__(self) -> None:
        number("ridge", self.ridge, 0, remedy="It is μ of the term μ/2 ‖w‖² in every client's loss.")

    def rows(
        self,
        gradients: ArrayLike | torch.Tensor,
        hessians: ArrayLike | torch.Tensor | None,
        kept: dict[str, Any],
        shares: ArrayLike | torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The round's rows, (N, d) float64, from ``gradients`` (N, d) and ``hessians`` (N, d, d) at w_t.

        ``hessians`` may be ``None`` if ``reads_hessians`` returns ``False``. ``shares`` (N,): the clients' weights,
        which sum to 1; equal by default.

        Raises ``Refused`` for values that are not real numbers, for shapes that do not fit each other or ``kept``, and
        for a system that is not positive definite; ``Diverged`` for non-finite numbers, whose ``clients`` names the
        clients that sent them. ``kept`` is then unchanged.
        """
        G = tensor("gradients", gradients).double()
        if G.ndim != 2 or 0 in G.shape:
            given, allowed = tuple(G.shape), "(N, d) with N ≥ 1 and d ≥ 1"
            raise refuse("the shape of gradients", given, allowed, "Pass one row per client.", "shape")
        N, d = G.shape
        if hessians is None and self.reads_hessians(kept):
            raise Refused(
                f"hessians is None, and {type(self).__name__} needs every client's Hessian in this round; pass them",
                "missing",
            )
        H = None if hessians is None else tensor("hessians", hessians).double()
        if H is not None and H.shape != (N, d, d):
            remedy = "Pass one matrix per client."
            raise refuse("the shape of hessians", tuple(H.shape), f"({N}, {d}, {d})", remedy, "shape")
        for name, value in kept.items():
            if isinstance(value, torch.Tensor) and value.ndim > 1 and value.shape[:2] != (N, d):
                allowed = f"the shape of earlier rounds, whose {name} are {tuple(value.shape)}"
                raise refuse(
                    "the shape of gradients", (N, d), allowed, "Start a new problem with an empty kept.", "shape"
                )
        p = torch.full((N,), 1 / N, dtype=G.dtype) if shares is None else tensor("shares", shares).double()
        # Each condition is written such that NaN fails it.
        if p.shape != (N,) or not bool((p >= 0).all()) or not abs(float(p.sum()) - 1) <= 1e-4:
            raise refuse(
                "shares",
                p.tolist(),
                f"{N} non-negative numbers that sum to 1",
                "Divide sizes by their sum.",
                "value" if p.shape == (N,) else "shape",
            )
        self._check_finite(G, H)
        return self._rows(G, H, kept, p.to(G))

    def _rows(
        self, G: torch.Tensor, H: torch.Tensor | None, kept: dict[str, Any], shares: torch.Tensor
    ) -> torch.Tensor:
        raise NotImplementedError

    def heard(self, direction: torch.Tensor, kept: dict[str, Any]) -> None:
        """Update ``kept`` with the server's ``direction`` (d,), computed from the rows of this round.

        A method that keeps it raises ``Refused`` for another shape and ``Diverged`` for non-finite entries.
        """

    def reads_hessians(self, kept: dict[str, Any]) -> bool:
        """Whether the next round needs Hessians."""
        return True

    def check(self, flat: FlatModel, clients: int) -> None:
        """Raise ``Refused`` if the model has no exact Hessian, or one too large for ``clients``, over all runs."""
        name, d = type(self).__name__, flat.vector.numel()
        if flat.has_dropout:
            raise Refused(
                f"the model draws random numbers, and {name} needs a loss with a Hessian; use 'logistic'", "combination"
            )
        size = clients * d * d * 8
        if size > LARGEST:
            raise Refused(
                f"{name} keeps a Hessian of {d} × {d} numbers for each of {clients} clients, {size / 2**30:.3g} GiB in "
                f"all; allowed: {LARGEST / 2**30:g} GiB. Use a model with fewer parameters, such as 'logistic', or "
                f"fewer clients or seeds at a time"
            )

    def work(self, flat: FlatModel, work: RoundWork, kept: Sequence[dict[str, Any]]) -> torch.Tensor:
        """The rows (S, d) of ``work``'s slots, computed run by run, in the model's own type.

        ``kept``: the state of each run; it is changed in place.
        """
        out = torch.empty(len(work.slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
        for r, held in enumerate(kept):
            places = [i for i, slot in enumerate(work.slots) if slot.run == r]
            if not places:  # the run was stopped
                continue
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
        """Raise ``Diverged``, which names every client with non-finite entries."""
        finite = (
            torch.isfinite(G).all(1) if H is None else torch.isfinite(G).all(1) & torch.isfinite(H).flatten(1).all(1)
        )
        bad = (~finite).nonzero().flatten().tolist()
        if bad:
            named = f"client {bad[0]}'s" if len(bad) == 1 else f"clients {', '.join(map(str, bad))}'s"
            error = Diverged(
                f"{named} gradient or Hessian has non-finite entries; {type(self).__name__} has no line search. Start "
                f"nearer to a minimum (some rounds of LocalSGD first), raise ridge, or drop these clients"
            )
            error.clients = dict.fromkeys(bad, "sent a gradient or a Hessian with non-finite entries")
            raise error


def solved(matrix: torch.Tensor, right: torch.Tensor, what: str, remedy: str) -> torch.Tensor:
    """``matrix⁻¹ right`` for a symmetric positive definite ``matrix`` (d, d) and columns ``right`` (d, n).

    Raises ``Refused``, with the smallest eigenvalue, if the matrix is not positive definite, and ``Diverged`` if it is
    not finite. ``what`` is its name in the message.
    """
    if not bool(torch.isfinite(matrix).all()):
        raise Diverged(f"{what} has non-finite entries, although the Hessians are finite; lower ridge")
    factor, failed = torch.linalg.cholesky_ex(matrix)
    if int(failed):
        low = float(torch.linalg.eigvalsh(matrix)[0])
        raise Refused(f"the smallest eigenvalue of {what} is {low:.3g}; allowed: positive ones. {remedy}")
    return torch.cholesky_solve(right, factor)
