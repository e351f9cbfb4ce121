"""Nash-MTL: the direction on which bargaining clients would agree."""

from fairfl.rules.fairgrad import FairGrad


class NashMTL(FairGrad):
    """``dir = Gᵀ λ`` with ``A λ = 1/λ`` (Navon et al. 2022, Algorithm 1): ``FairGrad`` at α = 1.

    Of all directions of its length it has the largest product of rates ``Π ρ_k``, so that no client gains a per cent
    unless others lose more than one in sum. A client that multiplies its loss changes nothing (``λ_k ∝ 1/‖g_k‖``), and
    the length is ``√K`` whatever the updates are: the server's η alone says how far to go.

    The equations are solved exactly, by a convex problem; the authors take a sequence of convex ones, of 20 steps at
    most and warm-started, on A over its norm, and clip the length of dir at 1. No settings, no state.

    No answer, and a zero direction with ``exact=False``, at Pareto-stationary updates only; dependent updates have one.
    """

    def __init__(self) -> None:
        super().__init__(alpha=1.0)

    @property
    def name(self) -> str:
        return "Nash-MTL"
