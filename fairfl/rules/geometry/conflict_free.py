"""ConFIG: the vector that has the same angle with every update, as long as their mean projection on it."""

import torch

from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.gram import precise_resolution
from fairfl.rules.solvers.cosines import cosines
from fairfl.rules.solvers.least_norm import least_norm, least_squares
from fairfl.updates import Updates


class ConFIG(GramRule):
    """``dir = (1/K Σ_k g_k · u) u`` with u of length 1 along ``U⁺ 1``, U the unit updates (Liu et al. 2024, (2)).

    For independent updates all cosines with u are equal and positive, so every loss falls, at the same rate per length
    of its gradient (IMTL-G's line); a client that multiplies its loss changes the length of dir alone. ``λ_k`` is
    ``(C⁺ 1)_k / ‖g_k‖`` up to a factor, with C the matrix of cosines. The paper takes the sum
    of projections, K times this mean. No settings, no state.

    Where no vector has equal cosines with all (more clients than parameters, opposite updates), ``U⁺ 1`` has those
    nearest to equal in the sense of least squares, and may conflict with somebody: ``exact=False``. Zero updates are
    set aside and named; where nothing is left of ``U⁺ 1`` the direction is zero.
    """

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        if len(keep) == 0:
            return Weights(weights, False, reason)
        rows = updates.gradients if len(keep) == len(gram) else updates.gradients[keep]
        C, sizes = cosines(gram[keep][:, keep], rows)
        reasons, tolerance = [reason] if reason else [], precise_resolution(rows.dtype)
        A = C * sizes * sizes[:, None]
        found = least_norm(A, sizes, tolerance, rows)
        if found is None:
            reasons.append("no vector has equal cosines with the updates; took the one with the nearest to equal")
            found = least_squares(A, sizes, tolerance)
        y = found * sizes
        squared = float(y @ C @ y)
        if squared <= tolerance * abs(y).sum() ** 2:
            reasons.append("which is zero: the unit updates cancel")
            return Weights(weights, False, "; ".join(reasons))
        weights[keep] = torch.from_numpy(y * (sizes @ (C @ y)) / len(gram) / squared / sizes)
        return Weights(weights, not reasons, "; ".join(reasons))
