"""The pass over the rows that rules share which treat every coordinate on its own."""

from collections.abc import Iterator

import torch

# Numbers sorted at a time: a few float64 copies of a block stay far below 64 MB.
BLOCK = 2**19


def sorted_columns(rows: torch.Tensor) -> Iterator[tuple[slice, torch.Tensor]]:
    """Part by part, a slice of the coordinates and these columns of ``rows`` (K, d), sorted, in float64."""
    step = max(256, BLOCK // len(rows))
    for start in range(0, rows.shape[1], step):
        part = slice(start, start + step)
        yield part, rows[:, part].double().sort(dim=0).values
