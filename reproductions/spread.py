"""How unequal the clients of recorded runs are, row by row: indices of the spread, and whether anybody lost by joining.

Read from every client's final accuracy (``results.finals``), so that no run is needed. The gain needs each client's own model:
the row of the table that trains everybody alone (``Experiment.alone``), on the same seed, with the same split and first weights.
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
    """A row's ``numbers``: each of ``OF``, the mean over its ``runs``; in points of accuracy, Jain's and Gini's without unit.

    ``gain``: points that a client gains by joining, the mean over clients and runs; ``losers``: how many clients of how many (``clients``)
    lose, in the mean over runs; ``worst_gain``: the least gain of a client, in the mean over runs. ``None`` where nobody was trained
    alone on any of the row's seeds. ``lacking``: the runs without final accuracies, each with the reason.
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
    """The ``Spread`` of each row of which ``folder`` has records, in the declaration's order."""
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
        mine = {seed: final for (label, seed), final in finals.items() if label == row.label}
        if mine:
            numbers = {of: _mean(mine, lambda a, n, of=of: measure(of, a, n)) for of in OF}
            clients = len(next(iter(mine.values()))[0])
            out.append(
                Spread(row.label, len(mine), clients, numbers, **_gains(row.label, mine, alone), lacking=lacking)
            )
        elif lacking:
            out.append(Spread(row.label, 0, lacking=lacking))
    return out


def _mean(finals: dict[int, tuple[np.ndarray, np.ndarray]], of: Callable[[np.ndarray, np.ndarray], float]) -> float:
    return float(np.mean([of(*final) for final in finals.values()]))


def _gains(row: str, mine: dict, alone: dict) -> dict[str, float]:
    """Points gained by joining, over the seeds that both have; nothing where there are none."""
    both = sorted(mine.keys() & alone.keys())
    if not both:
        return {}
    for seed in both:
        if not np.array_equal(mine[seed][1], alone[seed][1]):
            raise Refused(
                f"{row}, seed {seed}: its clients' test sizes are not those of the clients trained alone; a gain compares the same test rows. "
                "Record both with one declaration"
            )
    told = metrics.collaboration_gain([mine[seed][0] for seed in both], [alone[seed][0] for seed in both])
    return {
        "gain": float(100 * told.gains.mean()),
        "worst_gain": float(100 * told.gains.min(-1).mean()),
        "losers": float(told.losers.mean()),
    }


def table(told: Sequence[Spread]) -> list[list[str]]:
    """The spreads as lines of text, the header first; "not run" where nobody was trained alone."""
    out = [["row", "runs", *OF, "gain by joining", "least gain", "who lose"]]
    for one in told:
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
