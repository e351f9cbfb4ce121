"""Run by test_kill_runner.py in its own process: runs a declaration with kills at many moments, and compares with an undisturbed run."""

import random
import sys
from pathlib import Path

import own
import strike
import torch
import torch.fx.experimental.symbolic_shapes

from fairfl.training import History
from reproductions import catalogue, provenance, results, runner
from reproductions.jobs import select

FIELDS = ("accuracy", "loss", "direction_norm", "smallest_rate", "participants")


def running(jobs, folder: Path, together: str):
    """A function that runs or continues the ``jobs`` in ``folder`` to the end, and compiles the table."""

    def work():
        runner.run(jobs, folder / "runs", together=together, device="cpu", report=lambda line: None)
        results.compile(jobs[0].experiment, folder / "runs", folder / "results")

    return work


def differing(jobs, a: Path, b: Path) -> int:
    """The number of the jobs' arrays and batches that differ."""
    count = 0
    for job in jobs:
        one, two = (History.load(runner.where(folder / "runs", job)) for folder in (a, b))
        count += sum(getattr(one, name).tobytes() != getattr(two, name).tobytes() for name in FIELDS)
        count += one.settings["group"] != two.settings["group"]
    columns = [name for name in results.names(jobs[0].experiment) if name != "seconds"]
    tables = [
        [[line[name] for name in columns] for line in results.load(jobs[0].experiment, folder / "results")]
        for folder in (a, b)
    ]
    return count + (tables[0] != tables[1])


def main(declared: Path, folder: Path, together: str) -> None:
    torch.set_num_threads(1)
    own.offices(0), provenance.versions()  # loaded here, so no child waits for the dataset's library or for git
    experiment = catalogue.load(declared)
    jobs = select(experiment, seeds=None if together == "rows" else [0])
    whole, moments, kills, differ = folder / "whole", random.Random(0), 0, 0
    events = strike.finish(running(jobs, whole, together))
    for event in strike.EVENTS:
        # Early kills, each continuing after the last one; and a late one, among the last files.
        for name, struck in (
            ("early", [moments.randint(1, max(1, events[event] // 5)) for _ in range(3)]),
            ("late", [events[event] - moments.randint(0, events[event] // 4)]),
        ):
            place = folder / f"{event} {name}"
            for n in struck:
                strike.kill(running(jobs, place, together), event, n)
                kills += 1
            left = strike.finish(running(jobs, place, together))
            assert name == "early" or left["round"] < events["round"], "nothing was continued"
            differ += differing(jobs, whole, place)
            stray = [
                path
                for path in place.rglob("*")
                if path.suffix in (".pt", ".part", ".journal") or "unfinished" in path.parts and path.is_file()
            ]
            assert not stray, stray
    print(f"kills={kills} differ={differ}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
