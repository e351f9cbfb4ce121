"""The inequality among the clients of recorded runs, row by row: indices of the spread, and how many clients lost by joining.

Computed from every client's final accuracy (``results.finals``), so no run is needed. The gain compares with each client's own model:
the row in which every client trains alone (``Experiment.alone``), on the same seed, with the same split and initial weights.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fairfl import metrics
from fairfl.errors import Refused
from reproductions import results
from reproductions.experiment import Experiment
from reproductions.measures import measure

OF = ("mean", "std", "std by test rows", "worst 10 %", "CVaR 10 %", "Jain", "Gini")
READ = (
    "Last table: each row's spread over its clients, the mean over its runs, in points (Jain and Gini without unit). Plain std and CVaR count clients, "
    '"std by test rows" counts test rows. Gain: final accuracy minus that of the client\'s own model, trained alone on the same seed.'
)


@dataclass(frozen=True)
class Spread:
    """How unequal the clients of a ``row`` are.

    - ``numbers``: each measure in ``OF``, the mean over the row's ``runs``, in points of accuracy (Jain and Gini without unit).
    - ``gain``: points that a client gains by joining, the mean over clients and runs. ``worst_gain``: the smallest gain of a client, the
      mean over runs. ``losers``: the number of clients, out of ``clients``, that lose, the mean over runs. All three are ``None`` if no
      clients were trained alone on the row's seeds.
    - ``lacking``: the runs without final accuracies, each with the reason.
    """

    row: str
    runs: int
    clients: int = 0
    numbers: dict[str, float] = field(default_factory=dict)
    gain: float | None = None
    worst_gain: float | None = None
    losers: float | None = None
    lacking: tuple[str, ...] = ()


def spreads(experiment: Experiment, folder: Path) -> list[Spread]:
    """The ``Spread`` of each row with records in ``folder``, in the declaration's order."""
    finals, lines = results.finals(experiment, folder), results.load(experiment, folder)
    own = experiment.alone
    alone = {seed: final for (row, seed), final in finals.items() if row == own}
    out = []
    for row in experiment.rows:
        lacking = tuple(
            f"{row.label}, seed {line['seed']}: {line['failed'] or 'no accuracies are recorded'}"
            for line in lines
            if line["row"] == row.label and (row.label, line["seed"]) not in finals
        )
        joint = {seed: final for (label, seed), final in finals.items() if label == row.label}
        if joint:
            numbers = {of: _mean(joint, lambda a, n, of=of: measure(of, a, n)) for of in OF}
            clients = len(next(iter(joint.values()))[0])
            out.append(
                Spread(row.label, len(joint), clients, numbers, **_gains(row.label, joint, alone), lacking=lacking)
            )
        elif lacking:
            out.append(Spread(row.label, 0, lacking=lacking))
    return out


def _mean(finals: dict[int, tuple[np.ndarray, np.ndarray]], of: Callable[[np.ndarray, np.ndarray], float]) -> float:
    return float(np.mean([of(*final) for final in finals.values()]))


def _gains(row: str, joint: dict, alone: dict) -> dict[str, float]:
    """Points gained by joining, over the seeds that both have; empty if there are none."""
    both = sorted(joint.keys() & alone.keys())
    if not both:
        return {}
    for seed in both:
        if not np.array_equal(joint[seed][1], alone[seed][1]):
            raise Refused(
                f"{row}, seed {seed}: the clients' test sizes differ from those of the clients trained alone; a gain compares the same test "
                "rows. Record both with one declaration",
                "combination",
            )
    gain = metrics.collaboration_gain([joint[seed][0] for seed in both], [alone[seed][0] for seed in both])
    return {
        "gain": float(100 * gain.gains.mean()),
        "worst_gain": float(100 * gain.gains.min(-1).mean()),
        "losers": float(gain.losers.mean()),
    }


def table(spreads: Sequence[Spread]) -> list[list[str]]:
    """The spreads as lines of a table, header first; gains are "not run" if no clients were trained alone."""
    out = [["row", "runs", *OF, "gain by joining", "least gain", "losers"]]
    for one in spreads:
        if not one.runs:
            continue
        numbers = [f"{one.numbers[of]:.3f}" if of in ("Jain", "Gini") else f"{one.numbers[of]:.2f}" for of in OF]
        gains = (
            ["not run"] * 3
            if one.gain is None
            else [f"{one.gain:+.2f}", f"{one.worst_gain:+.2f}", f"{one.losers:g} of {one.clients}"]
        )
        out.append([one.row, str(one.runs), *numbers, *gains])
    return out
