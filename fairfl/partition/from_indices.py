"""``split`` makes a federation from the reader's own lists of rows, scored as the partitioners score."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import torch

from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, refuse
from fairfl.federation import Federation, Rows, check_apart, check_range
from fairfl.partition.holdout import Scoring, finish, put_aside
from fairfl.partition.partitioner import partitioner


@partitioner
def split(
    dataset: Dataset,
    lists: Sequence[Rows],
    *,
    scored_on: str = "own",
    test: float | Sequence[Rows] = 0.2,
    validation: float | Sequence[Rows] = 0.0,
    seed: int = 0,
) -> Federation:
    """Client k holds the rows ``lists[k]``: row numbers from 0, or a boolean mask of shape (len(dataset),).

    ``test`` and ``validation`` are fractions of each client's rows, cut at random by ``seed`` as the partitioners do,
    or lists of your own, one per client. Where nothing is cut, rows keep your order. Several clients may be scored on
    the same test or validation rows. ``lists`` and ``validation`` may hold rows before ``dataset.test_from``, ``test``
    may hold any row. ``scored_on`` means the same as for the partitioners (``fairfl.partition.holdout``). With
    ``"pool"``, the pool is drawn from the whole dataset, whether or not a row is in your lists, just as the
    partitioners draw it before they deal. Its rows are then taken out of ``lists`` and ``validation``, and the recipe
    counts them (``rows_in_pool``). The recipe does not repeat your lists: the federation's ``digest`` covers the rows.

    Raises ``Refused`` for row numbers that are not integers, out of range or held twice, for a client without rows, if
    there are not as many lists as clients, and for ``test`` as lists with ``scored_on`` other than ``"own"``.

    >>> from fairfl import data, partition
    >>> digits = data.load("digits")
    >>> federation = partition.split(digits, [range(0, 1000), range(1000, 1700)], test=[range(1700, 1797)] * 2)
    >>> federation.sizes.tolist(), [len(rows) for rows in federation.test]
    ([1000, 700], [97, 97])
    """
    share, kept = (None if not isinstance(given, Real) else float(given) for given in (test, validation))
    if share is None and scored_on in ("pool", "official"):
        raise refuse(
            "scored_on",
            scored_on,
            '"own" if test is given as lists',
            "Leave scored_on out to score on your lists, or give test as a fraction.",
            "combination",
        )
    scoring = Scoring(seed, scored_on, share or 0.0, kept or 0.0)
    own = {"lists": _lists(dataset, "lists", lists, dataset.test_from)}
    if kept is None:
        own["validation"] = _lists(dataset, "validation", validation, dataset.test_from, len(own["lists"]))
    if share is None:
        own["test"] = _lists(dataset, "test", test, len(dataset), len(own["lists"]))
    check_apart(own)  # before rows are cut, because the cut could hide it
    # The key stays "law", the older word for a partitioner, because checkpoints compare recipes key by key.
    facts: dict = {"law": "own lists"} | {part: "own lists" for part in own if part != "lists"}
    _, pool = put_aside(dataset, scoring)
    if scored_on == "pool" and pool is not None:
        given = sum(map(len, own["lists"])) + sum(map(len, own.get("validation", ())))
        own = {part: [rows[~torch.isin(rows, pool)] for rows in own[part]] for part in own}
        facts["rows_in_pool"] = given - sum(len(rows) for part in own.values() for rows in part)
        for client, rows in enumerate(own["lists"]):
            if len(rows) == 0:
                raise Refused(
                    f"every row of lists[{client}] fell into the pool; lower test (now {test}), give the "
                    f"client more rows, or use scored_on='own'",
                    "missing",
                )
    untouched = scoring.validation == 0 and (share is None or scored_on != "own")
    federation = finish(dataset, own["lists"], pool, scoring, in_order=untouched, tests=own.get("test"), facts=facts)
    if kept is not None:
        return federation
    return Federation(dataset, federation.train, tuple(own["validation"]), federation.test, facts)


def _lists(dataset: Dataset, part: str, given: Any, end: int, clients: int | None = None) -> list[torch.Tensor]:
    """``given`` as int64 row numbers below ``end``, one tensor per client; only validation lists may be empty."""
    if isinstance(given, (str, dict)) or not hasattr(given, "__len__") or torch.is_tensor(given) and given.ndim == 0:
        raise refuse(
            part,
            type(given).__name__,
            "lists of row numbers, one per client" + (", or a fraction" if clients else ""),
            "For a dictionary, give list(groups.values()); for a generator, list(groups).",
            "type",
        )
    if len(given) != (clients or len(given)) or len(given) == 0:
        raise refuse(
            f"the length of {part}",
            len(given),
            f"{clients or '1 or more'}, one list per client",
            "Give every client a list; it may be empty for validation.",
            "shape",
        )
    lists = []
    for client, rows in enumerate(given):
        what = f"{part}[{client}]"
        rows = _numbers(dataset, what, rows)
        if len(rows) == 0 and part != "validation":
            remedy = "Leave the client out, or give it rows."
            raise refuse(f"the number of rows in {what}", 0, "1 or more", remedy, "missing")
        remedy = (
            f"The dataset's official test rows begin at {end}; dataclasses.replace(dataset, test_from=len(dataset)) "
            f"makes them ordinary rows."
        )
        check_range(f"rows in {what}", rows, end, "Rows count from 0." if end == len(dataset) else remedy)
        if len(rows.unique()) < len(rows):
            twice = int(torch.bincount(rows).argmax())
            raise Refused(
                f"row {twice} appears twice in {what}; list each row once (torch.unique drops duplicates)",
                "combination",
            )
        lists.append(rows)
    return lists


def _numbers(dataset: Dataset, what: str, given: object) -> torch.Tensor:
    try:
        rows = given.cpu() if isinstance(given, torch.Tensor) else torch.from_numpy(np.array(given))
    except (TypeError, ValueError):
        raise refuse(
            what,
            type(given).__name__,
            "row numbers as a list, an array or a tensor",
            "For a set or a generator, give sorted(rows).",
            "type",
        ) from None
    if rows.dtype == torch.bool:
        if rows.shape != (len(dataset),):
            raise refuse(
                f"the shape of the mask {what}",
                tuple(rows.shape),
                f"({len(dataset)},), one truth value per row",
                "Compare a whole column, as in dataset.targets == 3.",
                "shape",
            )
        return rows.nonzero().flatten()
    if rows.ndim != 1 or len(rows) and (rows.is_floating_point() or rows.is_complex()):
        raise refuse(
            what,
            f"{str(rows.dtype).removeprefix('torch.')} of shape {tuple(rows.shape)}",
            "a list of whole numbers, or a boolean mask",
            "Give one list per client; convert with astype(int).",
            "shape" if rows.ndim != 1 else "type",
        )
    return rows.long()
