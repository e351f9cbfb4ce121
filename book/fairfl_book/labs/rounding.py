"""Numbers under a picture, with two decimals."""

from collections.abc import Iterable


def zero(value: float) -> float:
    """``value``, without a minus sign where two decimals show it as nothing."""
    return 0.0 if abs(value) < 5e-3 else value


def row(values: Iterable[float]) -> str:
    """Numbers beside one another, each six characters wide."""
    return " ".join(f"{zero(v):6.2f}" for v in values)
