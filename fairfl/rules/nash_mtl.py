"""Nash-MTL: the Nash bargaining solution among the clients."""

from fairfl.rules.fairgrad import FairGrad


class NashMTL(FairGrad):
    """``dir = Gᵀ λ`` with ``A λ = 1/λ`` (Navon et al. 2022, Algorithm 1): ``FairGrad`` at α = 1.

    Among all directions of its length it has the largest product of rates ``Π ρ_k``, so no client can gain one per cent
    unless others lose at least one per cent in total. A client that multiplies its loss changes nothing (``λ_k`` scales
    with ``1/‖g_k‖``), and the length is always ``√K``, so the step only depends on the server's η.

    The equations are solved exactly, as one convex problem. The authors solve a warm-started sequence of at most 20
    convex problems, on A divided by its norm, and clip the length of dir at 1. No settings, no state.

    Only Pareto-stationary updates have no solution, and a zero direction with a ``reason``; dependent updates have one.
    """

    def __init__(self) -> None:
        super().__init__(alpha=1.0)

    @property
    def name(self) -> str:
        return "Nash-MTL"
