"""How clients are scored: the three keywords that every partitioner takes.

``scored_on="own"`` keeps a fraction ``test`` of each client's own rows aside. ``"pool"`` puts a fraction ``test`` of
the whole dataset aside first, class by class, and scores each client on the largest part of that pool that has the
client's own mix of classes. This gives many test rows per client, so the spread between clients is not that of a few
images. ``"official"`` does the same with the dataset's official test rows, and ``test`` then has no effect.
``validation`` is a fraction of each client's own rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, known, number
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, refuse
from fairfl.federation import Federation

SCORED = ("own", "pool", "official")


@dataclass(frozen=True)
class Scoring:
    """The three keywords, and the ``seed`` by which rows are held out."""

    seed: int
    scored_on: str
    test: float
    validation: float

    def __post_init__(self) -> None:
        known("scored_on", self.scored_on, SCORED)
        for what, share in {"test": self.test, "validation": self.validation}.items():
            number(what, share, 0, 1, "It is the fraction of rows held out.", below=True)
        if self.test + self.validation >= 1:
            given, remedy = self.test + self.validation, "Leave rows to train on."
            raise refuse("test + validation", given, "below 1", remedy, "combination")


def a_count(clients: object) -> int:
    """Check that ``clients`` is a number of clients, 1 or more."""
    return integer("the number of clients", clients, 1, "Give at least one client.")


def enough(wanted: int, rows: int) -> None:
    """Raise ``Refused`` if fewer than ``wanted`` ``rows`` are there to deal."""
    if wanted > rows:
        raise Refused(
            f"{wanted} rows are needed to give every client its share, and there are only {rows} to split; "
            f"use fewer clients or hold out less",
            "missing",
        )


def put_aside(dataset: Dataset, scoring: Scoring) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The rows to split, and the rows of the held-out pool, or ``None`` without a pool."""
    rows = torch.arange(dataset.test_from)
    if scoring.scored_on == "official":
        if dataset.test_from == len(dataset):
            raise Refused(f"{dataset.called} has no official test rows; use scored_on='own' or 'pool'", "missing")
        return rows, torch.arange(dataset.test_from, len(dataset))
    if scoring.scored_on == "own":
        return rows, None
    aside, (labels, classes) = [], _strata(dataset)
    for c in range(classes):
        of_class = rows[labels[rows] == c]
        order = torch.randperm(len(of_class), generator=generator(scoring.seed, "pool", client=c))
        aside.append(of_class[order[: round(scoring.test * len(of_class))]])
    pool = torch.cat(aside).sort().values
    return rows[~torch.isin(rows, pool)], pool


def finish(
    dataset: Dataset,
    lists: Sequence[torch.Tensor],
    pool: torch.Tensor | None,
    scoring: Scoring,
    *,
    in_order: bool = False,
    tests: Sequence[torch.Tensor] | None = None,
    facts: dict | None = None,
) -> Federation:
    """Cut every client's rows (``lists``) into train, validation and test, and check the result.

    ``in_order``: hold out a client's last rows instead of random ones. ``tests``: each client's test rows, if they are
    neither its own nor the pool's. ``facts``: entries of the recipe beyond the partitioner's own arguments.
    """
    parts: dict[str, list[torch.Tensor]] = {"train": [], "validation": [], "test": []}
    for client, rows in enumerate(lists):
        chance = generator(scoring.seed, "holdout", client=client)
        order = rows if in_order else rows[torch.randperm(len(rows), generator=chance)]
        n_test = round(scoring.test * len(rows)) if pool is None and tests is None else 0
        n_validation = round(scoring.validation * len(rows))
        n_train = len(rows) - n_test - n_validation
        parts["train"].append(order[:n_train])
        parts["validation"].append(order[n_train : n_train + n_validation])
        if tests is not None:
            parts["test"].append(tests[client])
        elif pool is None:
            parts["test"].append(order[n_train + n_validation :])
        else:
            parts["test"].append(_own_mix(dataset, rows, pool, scoring.seed, client))
    return Federation(dataset, **{part: tuple(lists) for part, lists in parts.items()}, recipe=facts or {})


def _strata(dataset: Dataset) -> tuple[torch.Tensor, int]:
    """Class numbers (N,) and the number of classes; a dataset without one class per row counts as one class."""
    if dataset.classes and not dataset.per_token:
        return dataset.targets, len(dataset.classes)
    return torch.zeros(len(dataset), dtype=torch.int64), 1


def _own_mix(dataset: Dataset, rows: torch.Tensor, pool: torch.Tensor, seed: int, client: int) -> torch.Tensor:
    """The largest part of the pool that has the class mix of ``rows``."""
    labels, classes = _strata(dataset)
    mix = torch.bincount(labels[rows], minlength=classes).double() / max(len(rows), 1)
    stock = torch.bincount(labels[pool], minlength=classes).double()
    held = mix > 0
    if not bool(held.any()):
        return pool[:0]
    size = float((stock[held] / mix[held]).min())
    take = torch.minimum((mix * size).round(), stock).long()
    chosen = []
    for c in held.nonzero().flatten().tolist():
        of_class = pool[labels[pool] == c]
        order = torch.randperm(len(of_class), generator=generator(seed, "score", round=c, client=client))
        chosen.append(of_class[order[: int(take[c])]])
    return torch.cat(chosen).sort().values
