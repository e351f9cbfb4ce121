"""Secure aggregation in the plane: the sums that a server receives, the step that it can guarantee, and what the sums
reveal."""

import numpy as np

from fairfl.rules import min_norm
from fairfl_book.labs.controls import Choice, Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row

LAST, SHADOWS = "last sum", "all sums' shadows"
TIE, NOTHING = 1e-9, 1e-6


class WithoutSeeing(Lab):
    """Three gradients that the server does not see. It starts with equal weights and runs Frank–Wolfe: it moves towards
    the client with the smallest rate, with the step that makes the sum shortest.

    Its direction is the last sum or, from the same replies, the point nearest to the origin in the hull of the rows'
    projections on the span of the sums (chapter 15, Theorem 2). ``known``: how much of each row the weights reveal
    (Theorem 3).
    """

    view = "without_seeing"
    controls = {
        "step": Choice("step from the", (LAST, SHADOWS), LAST),
        "sums": Slider("secure sums", 1, 8, 1, 1),
        "tips": Points("tips of the gradients", 2.0, [[1.75, 0.7], [-1.6, 0.5], [1.1, 1.3]]),
    }
    tries = {
        "two sums, their shadows": {"step": SHADOWS, "sums": 2},
        "eight sums, the last": {"sums": 8},
        "one sum, its shadows": {"step": SHADOWS, "tips": [[1.75, 0.5], [-0.3, 1.4], [0.9, 1.5]]},
    }

    def compute(self, step: str, sums: int, tips: Placed) -> dict:
        G = np.array(tips, dtype=float)
        weights, heard, corners = np.full(3, 1 / 3), [], []
        for _ in range(sums):
            if heard:
                weights, corner = _frank_wolfe(G, weights, heard[-1])
                corners += [corner] if corner not in (None, *corners) else []
            heard.append(weights @ G)
        best = min_norm(G @ G.T).weights.numpy() @ G
        line, plane = _span(heard)
        direction = heard[-1] if step == LAST else best if plane else _on_line(G, line)
        return {
            "G": G,
            "heard": np.array(heard),
            "direction": direction,
            "rates": _per_length(G, direction),
            "hope": float(min(np.linalg.norm(d) for d in heard)),
            "best": best,
            "bestRates": _per_length(G, best),
            "known": np.array([1.0 if k in corners else 1 / (3 - len(corners)) for k in range(3)]),
        }

    def words(self, numbers: dict) -> list[str]:
        return [
            f"least rate a length  {min(numbers['rates']):6.2f}   no direction has more than {numbers['hope']:.2f}",
            f"known of each row    {row(numbers['known'])}",
        ]


def _frank_wolfe(G, weights, d):
    """(the next weights, the vertex that they moved towards, or ``None`` if they did not move)."""
    rates = G @ d
    corner = int(np.argmax(rates <= rates.min() + TIE))  # the first of equal ones, up to rounding
    way = G[corner] - d
    long = float(way @ way)
    t = min(1.0, max(0.0, -float(d @ way) / long)) if long > TIE else 0.0
    moved = (1 - t) * weights
    moved[corner] += t
    return (moved, corner) if t > TIE else (weights, None)


def _span(heard):
    """(a unit vector in the span of the sums, or zeros; whether the span is the whole plane)."""
    line = next((d / np.linalg.norm(d) for d in heard if np.linalg.norm(d) > NOTHING), np.zeros(2))
    return line, any(abs(line[0] * d[1] - line[1] * d[0]) > NOTHING for d in heard)


def _on_line(G, line):
    """The point nearest to the origin of the convex hull of the rows' projections on a line."""
    along = G @ line
    return (max(0.0, along.min()) + min(0.0, along.max())) * line


def _per_length(G, direction):
    length = np.linalg.norm(direction)
    return G @ direction / length if length > NOTHING else np.zeros(3)
