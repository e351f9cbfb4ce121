"""Compile the jobs' files into the tables in ``data/results``, and read these tables.

``NAME.csv`` has one line per job: the table's columns, and how far accuracies swing at the end. ``NAME.clients.csv`` has one line per job
and client, ``NAME.curves.csv`` one per job and evaluation (at most ``POINTS`` of them); with training losses, it also has the share of
them that rose since the line before. ``NAME.json`` has the settings and the machine. A job
that is no longer declared keeps its lines, with ``EARLIER`` appended to its row's label.
"""

import csv
import io
import json
from pathlib import Path

import numpy as np

from fairfl import metrics
from fairfl.errors import Refused
from fairfl.training import History
from reproductions import catalogue, journal, locks
from reproductions.experiment import Experiment, Row
from reproductions.jobs import Job, select
from reproductions.measures import ROSE, losses_that_rose, measure
from reproductions.runner import load_run, where

POINTS = 40
SWING = 10  # evaluations: the swing is largest minus smallest accuracy over the last ones
EARLIER = " [earlier declaration, {key}]"
CLIENTS = ["row", "seed", "client", "test_size", "accuracy", "swing"]
PROVENANCE = ("job", "group", "started", "cpu_seconds", "versions", "processor", "machine", "engine", "federation")
SHARED = (
    "group",
    "versions",
    "processor",
    "machine",
    "federation",
)  # ``NAME.json`` has these once for all jobs that share them
CURVES = ["row", "seed", "round", "mean", "std", "worst_10", "best_10", "improved"]


def names(experiment: Experiment) -> list[str]:
    """The columns of ``NAME.csv``."""
    return ["row", "seed", *(c.metric for c in experiment.columns), "swing", "rounds", "seconds", "failed", "key"]


def curves(experiment: Experiment) -> list[str]:
    """The columns of ``NAME.curves.csv``."""
    return [*CURVES, "rose"] if experiment.training_losses else CURVES


def compile(experiment: Experiment, runs: Path, results: Path) -> None:
    """Update ``NAME.*`` in ``results`` with the finished jobs in ``runs``. Without finished jobs, nothing is written.

    No recorded line is lost: jobs that are not in ``runs`` keep theirs, declared or not. After a kill at any moment, the next call
    completes the work and gives the same files. Raises ``Refused``, and changes nothing, while another process compiles the same table,
    and if a job's file is damaged or holds another run.
    """
    jobs = select(experiment)
    found, broken_off = [job for job in jobs if where(runs, job).exists()], journal.left(results, experiment.name)
    if not found and not broken_off:
        return
    with locks.take(runs / "locks", [f"report-{experiment.name}"]) as free:
        if not free:
            raise Refused(
                f"{experiment.name} is being compiled by another process; try again when it has finished", "state"
            )
        held = _held(_texts(experiment, results)) | _held(journal.left(results, experiment.name))
        for job in found:
            held[job.key] = _lines(experiment, job, load_run(runs, job))
        declared = {job.key for job in jobs}
        done = [_called(held[job.key], job.row.label) for job in jobs if job.key in held]
        done += [_earlier(lines) for key, lines in held.items() if key not in declared]
        contents = {"title": experiment.title, "jobs": {d["key"]: d["provenance"] for d in done if d["provenance"]}}
        results.mkdir(parents=True, exist_ok=True)
        # NAME.csv is written last, so the other files have all jobs that it names.
        journal.write(
            results,
            experiment.name,
            {
                ".json": json.dumps(_folded(contents), indent=1, ensure_ascii=False) + "\n",
                ".clients.csv": _table(CLIENTS, [line for d in done for line in d["clients"]]),
                ".curves.csv": _table(curves(experiment), [line for d in done for line in d["curves"]]),
                ".csv": _table(names(experiment), [line for d in done for line in d["job"]]),
            },
        )


def load(experiment: Experiment, results: Path) -> list[dict]:
    """The recorded lines of the declared jobs, including reprinted rows, with numbers as floats; empty if nothing is recorded."""
    reprints = [line for row in experiment.rows if row.reprints for line in _reprinted(experiment, row, results)]
    return _own(experiment, results) + reprints


def _own(experiment: Experiment, results: Path) -> list[dict]:
    """``load`` without the reprinted rows."""
    labels: dict[str, list[str]] = {}
    for job in select(experiment):
        labels.setdefault(job.key, []).append(job.row.label)
    lines = [line for line in _recorded(experiment, results) if line["key"] in labels]
    # Lines are found by key, and take the label that their row has now.
    return [line if line["row"] in (known := labels[line["key"]]) else line | {"row": known[0]} for line in lines]


def finals(experiment: Experiment, results: Path) -> dict[tuple[str, int], tuple[np.ndarray, np.ndarray]]:
    """The final accuracies (N,), from 0 to 1, and the test sizes (N,) of each declared and recorded run.

    The result is keyed by row label and seed. Reprinted rows have the runs of the row that they reprint. Diverged runs are left out.
    """
    clients: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for line in _read(_texts(experiment, results, (".clients.csv",)).get(".clients.csv", "")):
        clients.setdefault((line["row"], int(line["seed"])), []).append(
            (float(line["accuracy"]) / 100, float(line["test_size"]))
        )
    called = {line["key"]: line["row"] for line in _recorded(experiment, results)}  # a row may have been renamed since
    out = {}
    for line in _own(experiment, results):
        if not line["failed"]:
            accuracies, sizes = np.array(clients[called[line["key"]], line["seed"]]).T
            out[line["row"], line["seed"]] = _of_counts(accuracies, sizes), sizes
    for row in experiment.rows:
        if row.reprints:
            name, there = row.reprinted
            known = finals(catalogue.load(name), results)
            out |= {(row.label, seed): final for (mark, seed), final in known.items() if mark == there}
    return out


def _of_counts(accuracies: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """``accuracies``, recorded to a millionth, as exact quotients of counts; averages of several evaluations stay as recorded."""
    counts = (accuracies * sizes).round()
    return np.where(abs(accuracies * sizes - counts) <= 1e-6 * sizes, counts / sizes, accuracies)


def _reprinted(experiment: Experiment, row: Row, results: Path) -> list[dict]:
    """The lines of the row that ``row`` reprints, with this experiment's columns."""
    name, label = row.reprinted
    other = catalogue.load(name)
    mark, final = other.row(label).label, finals(other, results)
    return [
        {name: line[name] for name in ("seed", "swing", "rounds", "seconds", "failed", "key")}
        | {"row": row.label}
        | {
            c.metric: measure(c.of, *final[mark, line["seed"]])
            for c in experiment.columns
            if (mark, line["seed"]) in final and c.of != ROSE
        }
        for line in load(other, results)
        if line["row"] == mark
    ]


def earlier(experiment: Experiment, results: Path) -> list[dict]:
    """The recorded lines of jobs that are no longer declared, in the form of ``load``."""
    declared = {job.key for job in select(experiment)}
    return [line for line in _recorded(experiment, results) if line["key"] not in declared]


def provenance(experiment: Experiment, results: Path) -> dict[str, dict]:
    """The settings and the machine of each recorded job, by its key. Records of earlier versions have fewer entries."""
    return _provenance(_texts(experiment, results, (".json",)))


def _lines(experiment: Experiment, job: Job, history: History) -> dict:
    """All lines that are kept of one job."""
    mark = {"row": job.row.label, "seed": job.seed}
    final = history.accuracy[-experiment.last :].mean(0)
    last = 100 * history.accuracy[-SWING:]
    swings = last.max(0) - last.min(0)
    number = lambda of: losses_that_rose(history) if of == ROSE else measure(of, final, history.test_sizes)
    values = {c.metric: f"{number(c.of):.4f}" for c in experiment.columns}
    settings = history.settings
    clients = [
        mark | {"client": k, "test_size": int(n), "accuracy": f"{100 * a:.4f}", "swing": f"{s:.4f}"}
        for k, (n, a, s) in enumerate(zip(history.test_sizes, final, swings))
    ]
    return {
        "key": job.key,
        "job": [
            mark
            | values
            | {
                "swing": f"{swings.max():.4f}",
                "rounds": int(history.rounds[-1]),
                "seconds": f"{history.seconds:.1f}",
                "failed": settings.get("failed", ""),
                "key": job.key,
            }
        ],
        "clients": clients,
        "curves": _curve(mark, history),
        "provenance": {name: settings[name] for name in PROVENANCE if name in settings},
    }


def _curve(mark: dict, history: History) -> list[dict]:
    at = np.unique(np.linspace(0, len(history.rounds) - 1, min(POINTS, len(history.rounds))).round().astype(int))
    out = []
    for before, i in zip([0, *at], at):
        a = history.accuracy[i]
        # The last losses of a diverged run are not finite; its accuracies are.
        known = i > 0 and np.isfinite(history.loss[i - 1 : i + 1]).all()
        improved = f"{100 * metrics.improved(history.loss[i - 1], history.loss[i]):.2f}" if known else ""
        out.append(
            mark
            | {
                "round": int(history.rounds[i]),
                "mean": f"{100 * a.mean():.3f}",
                "std": f"{100 * a.std():.3f}",
                "worst_10": f"{100 * metrics.worst(a, 10):.3f}",
                "best_10": f"{100 * metrics.best(a, 10):.3f}",
                "improved": improved,
            }
            | ({"rose": f"{losses_that_rose(history, before, i):.2f}"} if i and history.train_loss is not None else {})
        )
    return out


def _texts(
    experiment: Experiment, results: Path, suffixes=(".json", ".clients.csv", ".curves.csv", ".csv")
) -> dict[str, str]:
    """The contents of the table's files, by suffix, without missing ones."""
    paths = {suffix: results / f"{experiment.name}{suffix}" for suffix in suffixes}
    return {suffix: path.read_text(encoding="utf-8") for suffix, path in paths.items() if path.exists()}


def _held(texts: dict[str, str]) -> dict[str, dict]:
    """The records in the files' ``texts``, by job key."""
    origin, held, keys = _provenance(texts), {}, {}
    for line in _read(texts.get(".csv", "")):
        if line["key"] not in held:
            keys[line["row"], line["seed"]] = line["key"]
            held[line["key"]] = {
                "key": line["key"],
                "job": [line],
                "clients": [],
                "curves": [],
                "provenance": origin.get(line["key"]),
            }
    for part in ("clients", "curves"):
        for line in _read(texts.get(f".{part}.csv", "")):
            if (line["row"], line["seed"]) in keys:
                held[keys[line["row"], line["seed"]]][part].append(line)
    return held


def _called(lines: dict, label: str) -> dict:
    """A job's ``lines``, with ``label`` as their row."""
    return lines | {part: [line | {"row": label} for line in lines[part]] for part in ("job", "clients", "curves")}


def _earlier(lines: dict) -> dict:
    mark, label = EARLIER.format(key=lines["key"]), lines["job"][0]["row"]
    return _called(lines, label if label.endswith(mark) else label + mark)


def _folded(contents: dict) -> dict:
    """``contents`` with the ``SHARED`` entries in a list of their own, and their indices in the jobs."""
    shared: list = []

    def fold(value):
        if value not in shared:
            shared.append(value)
        return shared.index(value)

    jobs = {
        key: {name: fold(value) if name in SHARED else value for name, value in job.items()}
        for key, job in contents["jobs"].items()
    }
    return contents | {"shared": shared, "jobs": jobs}


def _provenance(texts: dict[str, str]) -> dict[str, dict]:
    contents = json.loads(texts.get(".json", '{"jobs": {}}'))
    return {
        key: {name: contents["shared"][value] if name in SHARED else value for name, value in job.items()}
        for key, job in contents["jobs"].items()
    }


def _recorded(experiment: Experiment, results: Path) -> list[dict]:
    return [_numbers(line) for line in _read(_texts(experiment, results, (".csv",)).get(".csv", ""))]


def _read(text: str) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text)))


def _table(columns: list[str], lines: list[dict]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore", restval="")
    table.writeheader()
    table.writerows(lines)
    return text.getvalue()


def _numbers(line: dict) -> dict:
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text

    out = {name: number(text) if name not in ("row", "key", "failed") else text for name, text in line.items()}
    return out | {"seed": int(out["seed"])}
