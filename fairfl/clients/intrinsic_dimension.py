"""Local intrinsic dimension: in how many directions points scatter. In: points. Out: one number a point."""

import torch
from numpy.typing import ArrayLike

from fairfl._validation import integer, number, tensor
from fairfl.errors import refuse


def intrinsic_dimensions(points: ArrayLike | torch.Tensor, neighbours: int = 20, slack: float = 1e-6) -> torch.Tensor:
    """``(mean_i log((r_k + slack) / r_i))⁻¹`` for each of ``points`` (n, m), (n,) float64.

    ``r_1 ≤ … ≤ r_k`` are the distances to its nearest ``neighbours`` among the others, or to all of them where these
    are fewer; a distance of 0 counts as 1e-12. ``slack`` makes points that are much nearer than it to each other count
    as one place, of low dimension, where the formula with 0 would divide by zero. NaN with fewer than two neighbours,
    and, for ``slack=0``, where all are equally far.

    Source: Amsaleg et al. 2015, the maximum likelihood estimator (``slack=0``); the slack is that of FedCorr's released
    code (Xu-Jingyi/FedCorr, ``lid_term``), where 1e-6 is added to the sum as well. Raises ``Refused`` for what
    is no finite real numbers, another shape, ``neighbours`` below 2 and a negative ``slack``.
    """
    integer("neighbours", neighbours, 2, "With one neighbour there are no two distances to compare.")
    number("slack", slack, 0, remedy="It is a distance that is taken for none.")
    points = tensor("points", points).double()
    if points.ndim != 2 or 0 in points.shape:
        raise refuse("the shape of points", tuple(points.shape), "(n, m), n and m ≥ 1", "Give one row a point.")
    if not bool(torch.isfinite(points).all()):
        bad = (~torch.isfinite(points)).any(1).nonzero().flatten().tolist()
        raise refuse("the points with entries that are not finite", bad[:10], "none", "Drop them; they lie nowhere.")
    n = len(points)
    if n < 3:
        return torch.full((n,), torch.nan, dtype=torch.float64)
    # Differences, since the faster way over products loses the digits of points that are close.
    apart = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist").cpu()
    apart.fill_diagonal_(torch.inf)
    r = apart.topk(min(neighbours, n - 1), dim=1, largest=False).values.clamp(min=1e-12)
    logs = ((r[:, -1:] + slack) / r).log().mean(1)
    return torch.where(logs > 0, 1 / logs, torch.nan)
