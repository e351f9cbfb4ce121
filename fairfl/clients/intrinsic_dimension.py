"""Local intrinsic dimension: the number of directions in which the points around a point spread."""

import torch
from numpy.typing import ArrayLike

from fairfl._validation import integer, number, tensor
from fairfl.errors import refuse


def intrinsic_dimensions(points: ArrayLike | torch.Tensor, neighbours: int = 20, slack: float = 1e-6) -> torch.Tensor:
    """The local intrinsic dimension ``(mean_i log((r_k + slack) / r_i))⁻¹`` at each of ``points`` (n, m): (n,) float64.

    ``r_1 ≤ … ≤ r_k`` are the distances from a point to its nearest ``neighbours`` among the others, or to all others if
    there are fewer; a distance of 0 counts as 1e-12. Points much closer to each other than ``slack`` count as one
    place, of low dimension, where the formula with ``slack=0`` would divide by zero. The result is NaN for fewer than
    two neighbours and, with ``slack=0``, if all neighbours are equally far away.

    Source: Amsaleg et al. 2015, the maximum likelihood estimator (``slack=0``). The slack is that of FedCorr's released
    code (Xu-Jingyi/FedCorr, ``lid_term``), which adds 1e-6 to the sum as well.

    Raises ``Refused`` if ``points`` are not finite real numbers or not two-dimensional, for ``neighbours`` below 2, and
    for a negative ``slack``.
    """
    integer("neighbours", neighbours, 2, "A dimension compares at least two distances.")
    number("slack", slack, 0, remedy="It is a distance below which points count as one.")
    points = tensor("points", points).double()
    if points.ndim != 2 or 0 in points.shape:
        raise refuse(
            "the shape of points", tuple(points.shape), "(n, m), n and m ≥ 1", "Pass one row per point.", "shape"
        )
    if not bool(torch.isfinite(points).all()):
        bad = (~torch.isfinite(points)).any(1).nonzero().flatten().tolist()
        raise refuse("the points with non-finite entries", bad[:10], "none", "Drop these points.")
    n = len(points)
    if n < 3:
        return torch.full((n,), torch.nan, dtype=torch.float64)
    # From differences, because the faster way, from products, loses the digits of close points.
    apart = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist").cpu()
    apart.fill_diagonal_(torch.inf)
    r = apart.topk(min(neighbours, n - 1), dim=1, largest=False).values.clamp(min=1e-12)
    logs = ((r[:, -1:] + slack) / r).log().mean(1)
    return torch.where(logs > 0, 1 / logs, torch.nan)
