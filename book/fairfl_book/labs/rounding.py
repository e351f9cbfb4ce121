"""Format the numbers under a picture, with two decimals."""

from collections.abc import Iterable


def zero(value: float) -> float:
    """``value``, without the minus sign if it rounds to 0.00."""
    return 0.0 if abs(value) < 5e-3 else value


def row(values: Iterable[float]) -> str:
    """Numbers in one line, each six characters wide."""
    return " ".join(f"{zero(v):6.2f}" for v in values)
