"""Time the weights from a given Gram matrix in fairfl and in TorchJD at equal accuracy: run ``python
benchmarks/peer_torchjd.py`` in TorchJD's environment.

TorchJD's MGDA uses Frank–Wolfe steps, fairfl's an active set. The number of TorchJD's steps is doubled until its gap,
(‖dir‖² − min_k ρ_k) / max_k A_kk, is small enough, and that call is timed. If 2^14 steps are not enough, the output
says so. The Gram matrix and the combination with the weights, which both need, are timed separately, in TorchJD's
float32.
"""

import importlib.metadata
import statistics
import time
from collections.abc import Callable

import torch

from fairfl import rules
from fairfl.rules.gram import combine, gram_matrix

GAPS, MOST = (1e-3, 1e-6), 2**14


def gap_of(gram: torch.Tensor, weights: torch.Tensor) -> float:
    rates = gram @ weights.to(gram)
    return float((weights.to(gram) @ rates - rates.min()) / gram.diagonal().max())


def cost(call: Callable, repeats: int) -> float:
    """Median processor milliseconds of a call, after one uncounted call."""
    times = []
    for _ in range(1 + repeats):
        begun = time.process_time()
        call()
        times.append(1e3 * (time.process_time() - begun))
    return statistics.median(times[1:])


def main() -> None:
    try:
        from torchjd.aggregation import MGDAWeighting
    except ImportError as error:
        print(f"TorchJD cannot be imported ({error}). Create its environment with: make .venv/torchjd/.ready")
        return
    torch.set_num_threads(1)
    version = importlib.metadata.version("torchjd")
    print(f"TorchJD {version}, torch {torch.__version__}, {time.strftime('%Y-%m-%d')}; one thread, processor ms")
    print("| clients | gap | TorchJD | its steps | here | here over there |\n| --- | --- | --- | --- | --- | --- |")
    for clients in (10, 100):
        g = torch.Generator().manual_seed(0)
        rows = torch.randn(clients, 100_000, generator=g) + 0.3 * torch.randn(100_000, generator=g)
        # Lengths differ, as in practice. With equal lengths the mean would nearly be the solution.
        rows *= torch.rand(clients, 1, generator=g) * 2 + 0.1
        gram = gram_matrix(rows)
        ours = rules.min_norm(gram)
        for asked in GAPS:
            steps = 16
            weighting = MGDAWeighting(epsilon=1e-300, max_iters=steps)
            while gap_of(gram, weighting(gram)) > asked and steps < MOST:
                steps *= 2
                weighting = MGDAWeighting(epsilon=1e-300, max_iters=steps)
            reached = gap_of(gram, weighting(gram))
            here, there = cost(lambda: rules.min_norm(gram), 31), cost(lambda: weighting(gram), 3)  # noqa: B023
            told = f"{there:.2f}" + ("" if reached <= asked else f", not reached: {reached:.0e}")
            print(
                f"| {clients} | {asked:.0e} (here {ours.gap:.0e}) | {told} | {steps} | {here:.2f} | {here / there:.4f} |",
                flush=True,
            )
        weights = ours.weights
        here = cost(lambda: (gram_matrix(rows), combine(rows, weights)), 9)  # noqa: B023
        there = cost(lambda: (rows @ rows.T, weights.float() @ rows), 9)  # noqa: B023
        print(
            f"| {clients} | product and combination, d = 100,000 | {there:.1f} | | {here:.1f} | {here / there:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
