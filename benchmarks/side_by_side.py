"""fairfl beside its peers, each in an environment of its own, all in one go: ``python benchmarks/side_by_side.py``.

The task is that of ``peers.py``. Both sides run in turn in one process of the peer's environment, which holds fairfl at the same versions of torch
and NumPy; what is compared is the median round of each run. ``make .venv/NAME/.ready`` makes an environment; where it cannot be made,
the reason stands in the table. ``--environments FOLDER`` takes those that stand there instead.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the package is called, and the parts of its round that a round here may cost.
PEERS = {"flgo": {"MLP": 0.05, "CNN": 0.6}, "pfl": {}, "flwr": {}}
MODULES = {"flgo": "peer_flgo", "pfl": "peer_pfl", "flwr": "peer_flower"}
FOLDERS = {"flwr": "flower"}
HEAD = (
    "| peer | model | processor seconds a round there | here | ratio (each pair) | ratio on the wall | goal |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)


def inside(name: str, models: list[str], pairs: int, rounds: int) -> None:
    """Time the peer that this environment holds, and print what was found, one line of JSON a model among the peer's own words."""
    import torch

    torch.set_num_threads(1)
    peer = importlib.import_module(MODULES[name])
    for model in models:
        found = [[each(run(model, rounds).rounds()) for run in (peer.ours, peer.theirs)] for _ in range(pairs)]
        note = peer.note(model) if hasattr(peer, "note") else ""
        print(
            "\n"
            + json.dumps({"model": model, "version": importlib.metadata.version(name), "pairs": found, "note": note})
        )


def each(rounds: list[tuple[float, float]]) -> tuple[float, ...]:
    """The median seconds of a round, on the wall and of processors."""
    return tuple(statistics.median(column) for column in zip(*rounds))


def environment(name: str, folder: Path | None) -> tuple[Path, str]:
    """The Python of the peer's environment, and why there is none (or nothing)."""
    kept = FOLDERS.get(name, name)
    python = (folder.absolute() if folder else ROOT / ".venv") / kept / "bin" / "python"
    if folder is None:
        made = subprocess.run(
            [os.environ.get("MAKE", "make"), f".venv/{kept}/.ready"], cwd=ROOT, capture_output=True, text=True
        )
        if made.returncode:
            said = [line for line in (made.stdout + made.stderr).splitlines() if "ERROR" in line]
            return python, (said or ["make ended with an error"])[0]
    return python, "" if python.exists() else f"{python} is not there"


def asked(python: Path, name: str, given: argparse.Namespace) -> tuple[list[dict], str]:
    """What ``inside`` prints there, and why that is not all (or nothing)."""
    command = [str(python), str(Path(__file__).resolve()), "--inside", name, "--models", *given.models]
    command += ["--pairs", str(given.pairs), "--rounds", str(given.rounds)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    ran = subprocess.run(
        command,
        env=os.environ | threads | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        cwd=ROOT / "benchmarks",
    )
    found = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith('{"model"')]
    said = [line for line in ran.stderr.splitlines() if line.strip()] or [f"it ended with {ran.returncode}"]
    return found, said[-1] if ran.returncode else ""


def row(name: str, told: dict) -> str:
    model, goal = told["model"], PEERS[name].get(told["model"])
    walls, spent = ([(here[i], there[i]) for here, there in told["pairs"]] for i in (0, 1))
    ratios = sorted(here / there for here, there in spent)
    middle = statistics.median(ratios)
    here, there = (statistics.median(column) for column in zip(*spent))
    wall = statistics.median(h / t for h, t in walls)
    met = "" if goal is None else f"{goal:g}: {'met' if middle <= goal else 'missed'}"
    note = f", {told['note']}" if told["note"] else ""
    every = ", ".join(f"{r:.3f}" for r in ratios)
    return f"| {name} {told['version']}{note} | {model} | {there:.2f} | {here:.2f} | {middle:.3f} ({every}) | {wall:.3f} | {met} |"


def main(given: argparse.Namespace) -> None:
    load = lambda: ", ".join(f"{part:.1f}" for part in os.getloadavg())
    print(
        f"{time.strftime('%Y-%m-%d')}; Python {sys.version.split()[0]}; {os.cpu_count()} processors, one thread a process; "
        f"niceness {os.nice(0)} for all; load before: {load()}\n"
    )
    print(*HEAD, sep="\n", flush=True)
    reasons = []
    for name in given.peers:
        python, missing = environment(name, given.environments)
        found, missing = ([], missing) if missing else asked(python, name, given)
        print(*(row(name, told) for told in found), sep="\n", end="\n" * bool(found), flush=True)
        reasons += [f"{name} did not run: {missing}"] * bool(missing)
    print(f"\nload after: {load()}", *reasons, sep="\n")


if __name__ == "__main__":
    asks = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asks.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    asks.add_argument("--models", nargs="+", choices=("MLP", "CNN"), default=["MLP", "CNN"])
    asks.add_argument("--pairs", type=int, default=3, help="how often both sides run in turn")
    asks.add_argument("--rounds", type=int, default=3, help="rounds of each run, of which the first is not counted")
    asks.add_argument("--environments", type=Path, help="a folder with an environment for each peer")
    asks.add_argument("--inside", choices=PEERS, help=argparse.SUPPRESS)
    given = asks.parse_args()
    if given.inside:
        inside(given.inside, given.models, given.pairs, given.rounds)
    else:
        main(given)
