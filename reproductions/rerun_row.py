"""``on_cuda``: rerun one recorded row on the reader's own graphics card, from inside a notebook."""

import tempfile
from pathlib import Path

import torch

from fairfl.errors import Refused
from reproductions import catalogue, result_folders, results, runner
from reproductions.jobs import select


def on_cuda(table: str, row: str, *, seeds: int = 1) -> str:
    """Train ``row`` of ``table`` on this machine's CUDA card, and return the results beside the recorded ones, as text.

    Without a card, the text says so. ``seeds``: the number of recorded seeds to train. The numbers are a new draw, because a card
    does not give the same bits as a processor. Raises ``Refused`` for an unknown table or row.
    """
    experiment = catalogue.load(table)
    jobs = select(experiment, [experiment.row(row).label])[:seeds]
    if not torch.cuda.is_available():
        return f"No CUDA card here; on a machine with one this cell trains {row!r} of {table} and sets it beside the record."
    recorded = {
        line["seed"]: line for line in results.load(experiment, result_folders.find().results) if line["row"] == row
    }
    with tempfile.TemporaryDirectory() as folder:
        try:
            outcome = runner.run(jobs, Path(folder), device="cuda", report=lambda line: None)
        except Refused as error:  # the page continues without the data
            return str(error)
        if outcome.refused:
            return f"{outcome.refused[0][0]} cannot run: {outcome.refused[0][1]}"
        results.compile(experiment, Path(folder), Path(folder) / "results")
        fresh = {line["seed"]: line for line in results.load(experiment, Path(folder) / "results")}
    lines = [f"{torch.cuda.get_device_name()}, {row!r} of {table}:"]
    for seed, now in fresh.items():
        held = recorded.get(seed, {})
        numbers = [
            f"{c.metric} {now[c.metric]:.2f} ({held[c.metric]:.2f} recorded)"
            if c.metric in held
            else f"{c.metric} {now[c.metric]:.2f}"
            for c in experiment.columns
        ]
        lines.append(f"seed {seed}, {now['seconds']:.0f} s: " + ", ".join(numbers))
    return "\n".join(lines)
