"""Compiling: from the jobs' files to the tables that are kept in ``data/results``.

``NAME.csv`` has a line a job: the table's columns and how far accuracies swing at the end. ``NAME.clients.csv`` has a line a job
and client, ``NAME.curves.csv`` one a job and evaluation (at most ``POINTS`` of them), ``NAME.json`` what was set and where it ran.
"""

import csv
import io
import json
from pathlib import Path

import numpy as np

from fairfl import atomic, metrics
from fairfl.experiments.experiment import Experiment
from fairfl.experiments.jobs import Job, select
from fairfl.experiments.measures import measure
from fairfl.experiments.runner import where
from fairfl.training import History

POINTS = 40
SWING = 10  # evaluations over which the accuracies' swing is taken
CLIENTS = ["row", "seed", "client", "test_size", "accuracy", "swing"]
SHARED = ("group", "versions", "machine", "federation")  # what ``NAME.json`` writes once for all jobs that have it in common
CURVES = ["row", "seed", "round", "mean", "std", "worst_10", "best_10", "improved"]


def names(experiment: Experiment) -> list[str]:
    """The columns of ``NAME.csv``."""
    return ["row", "seed", *(c.metric for c in experiment.columns), "swing", "rounds", "seconds", "failed", "key"]


def compile(experiment: Experiment, runs: Path, results: Path) -> list[dict]:
    """Bring ``NAME.*`` in ``results`` up to date with the finished jobs in ``runs``, and return the lines of ``NAME.csv``.

    Lines of jobs that are not in ``runs`` stay, as long as the experiment still has such a job.
    """
    jobs = select(experiment)
    held = {key: lines for key, lines in _held(experiment, results).items() if key in {job.key for job in jobs}}
    for job in jobs:
        if where(runs, job).exists():
            held[job.key] = _lines(experiment, job, History.load(where(runs, job)))
    done = [held[job.key] for job in jobs if job.key in held]
    if done:
        results.mkdir(parents=True, exist_ok=True)
        for suffix, columns, part in ((".csv", names(experiment), "job"), (".clients.csv", CLIENTS, "clients"), (".curves.csv", CURVES, "curves")):
            _write(results / f"{experiment.name}{suffix}", columns, [line for d in done for line in d[part]])
        told = {"title": experiment.title, "jobs": {d["key"]: d["provenance"] for d in done}}
        atomic.write(results / f"{experiment.name}.json", (json.dumps(_folded(told), indent=1, ensure_ascii=False) + "\n").encode())
    return [line for d in done for line in d["job"]]


def load(experiment: Experiment, results: Path) -> list[dict]:
    """The recorded lines of ``NAME.csv`` with numbers as numbers; empty if nothing is recorded."""
    path = results / f"{experiment.name}.csv"
    return [] if not path.exists() else [_numbers(line) for line in _read(path)]


def provenance(experiment: Experiment, results: Path) -> dict[str, dict]:
    """What was set and where it ran, for each recorded job, by its key."""
    path = results / f"{experiment.name}.json"
    return _unfolded(json.loads(path.read_text(encoding="utf-8")))["jobs"] if path.exists() else {}


def _lines(experiment: Experiment, job: Job, history: History) -> dict:
    """Everything that is kept of one job."""
    mark = {"row": job.row.label, "seed": job.seed}
    final = history.accuracy[-experiment.last:].mean(0)
    last = 100 * history.accuracy[-SWING:]
    swings = last.max(0) - last.min(0)
    values = {c.metric: f"{measure(c.of, final, history.test_sizes):.4f}" for c in experiment.columns}
    told = history.settings
    clients = [mark | {"client": k, "test_size": int(n), "accuracy": f"{100 * a:.4f}", "swing": f"{s:.4f}"}
               for k, (n, a, s) in enumerate(zip(history.test_sizes, final, swings))]
    return {
        "key": job.key,
        "job": [mark | values | {"swing": f"{swings.max():.4f}", "rounds": int(history.rounds[-1]), "seconds": f"{history.seconds:.1f}",
                                 "failed": told.get("failed", ""), "key": job.key}],
        "clients": clients, "curves": _curve(mark, history),
        "provenance": {"job": told["job"], "group": told["group"], "started": told["started"], "versions": told["versions"],
                       "machine": told["machine"], "engine": told["engine"], "federation": told["federation"]},
    }


def _curve(mark: dict, history: History) -> list[dict]:
    at = np.unique(np.linspace(0, len(history.rounds) - 1, min(POINTS, len(history.rounds))).round().astype(int))
    out = []
    for i in at:
        a = history.accuracy[i]
        # A run that diverged ends in losses that are no numbers; its accuracies still are.
        known = i > 0 and np.isfinite(history.loss[i - 1:i + 1]).all()
        improved = f"{100 * metrics.improved(history.loss[i - 1], history.loss[i]):.2f}" if known else ""
        out.append(mark | {"round": int(history.rounds[i]), "mean": f"{100 * a.mean():.3f}", "std": f"{100 * a.std():.3f}",
                           "worst_10": f"{100 * metrics.worst(a, 10):.3f}", "best_10": f"{100 * metrics.best(a, 10):.3f}", "improved": improved})
    return out


def _held(experiment: Experiment, results: Path) -> dict[str, dict]:
    """What is recorded already, by job."""
    told, held, keys = provenance(experiment, results), {}, {}
    path = results / f"{experiment.name}.csv"
    for line in _read(path) if path.exists() else []:
        keys[line["row"], line["seed"]] = line["key"]
        held[line["key"]] = {"key": line["key"], "job": [line], "clients": [], "curves": [], "provenance": told[line["key"]]}
    for part in ("clients", "curves") if held else ():
        for line in _read(results / f"{experiment.name}.{part}.csv"):
            held[keys[line["row"], line["seed"]]][part].append(line)
    return held


def _folded(told: dict) -> dict:
    """``told`` with what several jobs share written once, and numbers in its place."""
    shared: list = []

    def fold(value):
        if value not in shared:
            shared.append(value)
        return shared.index(value)

    jobs = {key: {name: fold(value) if name in SHARED else value for name, value in job.items()} for key, job in told["jobs"].items()}
    return told | {"shared": shared, "jobs": jobs}


def _unfolded(told: dict) -> dict:
    jobs = {key: {name: told["shared"][value] if name in SHARED else value for name, value in job.items()} for key, job in told["jobs"].items()}
    return told | {"jobs": jobs}


def _read(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _write(path: Path, columns: list[str], lines: list[dict]) -> None:
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore", restval="")
    table.writeheader()
    table.writerows(lines)
    atomic.write(path, text.getvalue().encode())


def _numbers(line: dict) -> dict:
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text

    out = {name: number(text) if name not in ("row", "key", "failed") else text for name, text in line.items()}
    return out | {"seed": int(out["seed"])}
