"""ConFIG: the vector with equal angles to all updates, as long as their mean projection onto it."""

import torch

from fairfl.rules.base import GramRule, Weights, joined, of_nonzero
from fairfl.rules.gram import precise_resolution
from fairfl.rules.solvers.cosines import cosines
from fairfl.rules.solvers.least_norm import least_norm, least_squares
from fairfl.updates import Updates


class ConFIG(GramRule):
    """``dir = (1/K Σ_k g_k · u) u`` with u of length 1 along ``U⁺ 1``, U the unit updates (Liu et al. 2024, (2)).

    For independent updates all cosines with u are equal and positive, so every loss falls at the same rate per length
    of its gradient (the line is IMTL-G's). A client that multiplies its loss only changes the length of dir. ``λ_k`` is
    ``(C⁺ 1)_k / ‖g_k‖`` up to a factor, where C is the matrix of cosines. The paper takes the sum of the projections,
    K times this mean. No settings, no state.

    If no vector has equal cosines with all updates (more clients than parameters, opposite updates), those of ``U⁺ 1``
    are nearest to equal in least squares, and may include negative ones; ``reason`` says so. Zero updates are set
    aside. If ``U⁺ 1`` vanishes, the direction is zero.
    """

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return of_nonzero(gram, updates, lambda part, rows, _: self._equal(part, rows, len(updates)))

    @staticmethod
    def _equal(gram: torch.Tensor, rows: torch.Tensor, K: int) -> Weights:
        C, sizes = cosines(gram, rows)
        reason, tolerance = "", precise_resolution(rows.dtype)
        A = C * sizes * sizes[:, None]
        found = least_norm(A, sizes, tolerance, rows)
        if found is None:
            reason = "no vector has equal cosines with the updates; took the one with the nearest to equal"
            found = least_squares(A, sizes, tolerance)
        y = found * sizes
        squared = float(y @ C @ y)
        # Where U⁺ 1 vanishes, all of y is rounding, and 1 is what it is small against.
        if squared <= tolerance * max(1.0, abs(y).sum() ** 2):
            reason = joined(reason, "which is zero: the unit updates cancel")
            return Weights(torch.zeros(len(gram), dtype=torch.float64), reason=reason)
        return Weights(torch.from_numpy(y * (sizes @ (C @ y)) / K / squared / sizes), reason=reason)
