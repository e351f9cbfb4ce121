"""How the benchmarks time: turn by turn in one process, medians, ratios."""

import statistics
import time
from collections.abc import Callable


def alternate(tasks: dict[str, Callable], repeats: int = 5, warmup: int = 1) -> dict[str, float]:
    """Median seconds of each task, run in turn A B C A B C …, so that a drifting machine slows all alike."""
    times = {name: [] for name in tasks}
    for i in range(warmup + repeats):
        for name, task in tasks.items():
            begun = time.perf_counter()
            task()
            if i >= warmup:
                times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(values) for name, values in times.items()}
