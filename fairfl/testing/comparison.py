"""How two answers of rules are compared: lengths and relative differences that never divide by zero."""

import torch


def length(vector: torch.Tensor) -> float:
    """The Euclidean length of ``vector``, summed in float64."""
    return float(torch.linalg.vector_norm(vector.double()))


def close(a: torch.Tensor, b: torch.Tensor, tolerance: float = 1e-8) -> bool:
    """Whether ``a`` and ``b`` differ by at most ``tolerance`` of the longer one's length."""
    return length(a - b) <= tolerance * max(length(a), length(b), 1e-300)


def different(what: str, a: torch.Tensor, b: torch.Tensor, tolerance: float = 1e-8) -> str:
    """Which two ``what`` are not close, as words; empty if they are."""
    if a.shape == b.shape and close(a, b, tolerance):
        return ""
    return f"{what} {_short(a)} and {_short(b)}"


def different_bits(what: str, a: torch.Tensor, b: torch.Tensor) -> str:
    """Which two ``what`` are not equal bit for bit, as words; empty if they are."""
    return "" if torch.equal(a, b) else f"{what} {_short(a)} and {_short(b)}"


def _short(values: torch.Tensor) -> str:
    return str(values.tolist()) if values.numel() <= 8 else f"{values.flatten()[:8].tolist()} …"
