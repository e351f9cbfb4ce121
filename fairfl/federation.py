"""``Federation``: a dataset, and which client holds which rows of it.

In: a ``Dataset`` and three lists of row numbers per client, usually made by ``fairfl.partition``. Out: the same,
checked, with sizes, shares and a passport.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from fairfl._torch_modes import in_plain_modes
from fairfl.data.dataset import Dataset, check_dataset
from fairfl.errors import Refused, refuse

PARTS = ("train", "validation", "test")
Rows = torch.Tensor | np.ndarray | Sequence[int]


def row_numbers(part: str, client: int, rows: Rows) -> torch.Tensor:
    """A copy of ``rows`` as int64 (n,). Raises ``Refused`` unless they are a list of integers."""
    try:
        tensor = torch.as_tensor(rows)
    except (TypeError, ValueError, RuntimeError):
        what, remedy = f"client {client}'s {part} list", "Give row numbers (for a set: sorted(rows))."
        raise refuse(what, type(rows).__name__, "a list of integers", remedy, "type") from None
    whole = not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)
    if tensor.ndim != 1 or len(tensor) and not whole:
        raise refuse(
            f"client {client}'s {part} list",
            f"{tensor.dtype} of shape {tuple(tensor.shape)}",
            "a list of integers",
            "Give row numbers (for a mask: mask.nonzero().flatten()).",
            "shape" if tensor.ndim != 1 else "type",
        )
    return tensor.detach().to(torch.int64, copy=True)


def check_range(
    what: str, rows: torch.Tensor, end: int, remedy: str = "Row numbers index the dataset's tensors."
) -> None:
    """Raise ``Refused`` for row numbers outside 0 to ``end`` − 1."""
    if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < end:
        raise refuse(f"the range of {what}", (int(rows.min()), int(rows.max())), f"0 to {end - 1}", remedy)


def check_apart(parts: Mapping[str, Sequence[torch.Tensor]]) -> None:
    """Raise ``Refused`` if a row has two owners in the first of the ``parts``, or is in two of them."""
    first = next(iter(parts))
    counts = torch.bincount(torch.cat(list(parts[first])))
    if int(counts.max()) > 1:
        row = int(counts.argmax())
        held = ", ".join(f"{first}[{client}]" for client, rows in enumerate(parts[first]) if bool((rows == row).any()))
        raise Refused(
            f"row {row} is held {int(counts.max())} times, in {held}; give every row one owner", "combination"
        )
    for a, b in combinations(parts, 2):
        rows = torch.cat(list(parts[a]))
        if len(both := rows[torch.isin(rows, torch.cat(list(parts[b])))]):
            raise Refused(f"row {int(both[0])} is in {a} and in {b}; hold it in one of them", "combination")


@dataclass(frozen=True)
class Federation:
    """N clients over one dataset. Nothing is copied per client: each holds lists of row numbers.

    ``train``, ``validation``, ``test``: one int64 tensor of row numbers per client, a copy of the one given (validation
    may be empty). Training rows belong to one client only; test rows may be shared if several clients are scored on one
    held-out pool. ``recipe``: how the split was made, for provenance.

    Raises ``Refused`` if a client has no training rows or no test rows, if a training row has two owners, if a row is
    both trained and scored on, if a row number is out of range or not an integer, and for arguments that are not a
    ``Dataset`` and lists.
    """

    dataset: Dataset
    train: tuple[torch.Tensor, ...]
    validation: tuple[torch.Tensor, ...]
    test: tuple[torch.Tensor, ...]
    recipe: dict[str, Any] = field(default_factory=dict)

    if TYPE_CHECKING:  # the types that are accepted; above, those that attributes have

        def __init__(
            self,
            dataset: Dataset,
            train: Sequence[Rows],
            validation: Sequence[Rows],
            test: Sequence[Rows],
            recipe: dict[str, Any] = ...,
        ) -> None: ...

    @in_plain_modes
    def __post_init__(self) -> None:
        check_dataset(self.dataset)
        for part in PARTS:
            given = getattr(self, part)
            if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
                remedy = "Give one list per client, or use a partitioner; validation lists may be empty."
                raise refuse(part, type(given).__name__, "lists of row numbers, one per client", remedy, "type")
            lists = tuple(row_numbers(part, client, rows) for client, rows in enumerate(given))
            object.__setattr__(self, part, lists)
            if len(lists) != len(self.train):
                raise refuse(
                    f"the number of {part} lists",
                    len(lists),
                    f"{len(self.train)}, one per client",
                    "Give every client a list; it may be empty for validation.",
                    "shape",
                )
        if not self.train:
            raise Refused("a federation without clients: give at least one list of training rows", "missing")
        for part in ("train", "test"):
            for client, rows in enumerate(getattr(self, part)):
                if len(rows) == 0:
                    raise Refused(
                        f"client {client} has no {part} rows; use fewer clients, a larger minimum size, "
                        f"or a larger held-out share",
                        "missing",
                    )
        for part in PARTS:
            check_range(f"{part} rows", torch.cat(getattr(self, part)), len(self.dataset))
        check_apart({part: getattr(self, part) for part in PARTS})

    def __len__(self) -> int:
        return len(self.train)

    @property
    def sizes(self) -> torch.Tensor:
        """Training rows per client, (N,) int64."""
        return torch.tensor([len(rows) for rows in self.train])

    @property
    def shares(self) -> torch.Tensor:
        """``n_k / Σ n``, (N,) float64."""
        return self.sizes.double() / self.sizes.sum()

    def class_counts(self, part: str = "train") -> torch.Tensor:
        """Rows per client and class, (N, classes) int64, in ``part``: "train", "validation" or "test"."""
        labels, classes = self.dataset.class_labels("class_counts"), len(self.dataset.classes)
        return torch.stack([torch.bincount(labels[rows], minlength=classes) for rows in getattr(self, part)])

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify this split: equal lists have equal digests."""
        h = hashlib.blake2b(digest_size=6)
        for part in PARTS:
            for rows in getattr(self, part):
                h.update(f"{part}{len(rows)}".encode() + rows.numpy().tobytes())
        return h.hexdigest()

    def _groups(self, groups: Iterable[Iterable[int]]) -> str:
        names = [" ".join(self.dataset.classes[c] for c in g) for g in groups]
        return "; ".join(f"{names.count(name)} × {{{name}}}" for name in dict.fromkeys(names))

    def passport(self) -> str:
        """A summary in a few lines: the dataset, the recipe, and each client's rows and classes."""
        n = self.sizes
        held = [torch.tensor([len(r) for r in getattr(self, part)]) for part in ("validation", "test")]
        recipe = ", ".join(f"{k}={self._groups(v) if k == 'groups' else v}" for k, v in self.recipe.items())
        span = lambda t: f"{int(t.min())}" if t.min() == t.max() else f"{int(t.min())} to {int(t.max())}"
        scored = torch.cat(self.test)
        shared = "some shared by several clients" if len(scored.unique()) < len(scored) else "none shared"
        return "\n".join(
            [
                f"{self.dataset.name or self.dataset.digest}: {len(self)} clients ({recipe})",
                f"training rows per client: {span(n)}, {int(n.sum())} in all, none shared",
                f"validation rows per client: {span(held[0])}; test rows per client: {span(held[1])}, {shared}",
                f"classes per client: {span((self.class_counts() > 0).sum(1))} of {len(self.dataset.classes)}"
                if self.dataset.classes
                else f"numbers to predict: {self.dataset.outputs} per row",
                f"no row is both trained and scored on; split {self.digest}",
            ]
        )


def check_federation(federation: Federation) -> None:
    """Raise ``Refused`` unless ``federation`` is a ``Federation``; the message says how to make one."""
    if not isinstance(federation, Federation):
        remedy = (
            f"For a preset, use partition.preset({federation!r})."
            if isinstance(federation, str)
            else "Split a dataset first, for instance partition.iid(dataset, 10)."
        )
        given = federation if isinstance(federation, str) else type(federation).__name__
        raise refuse("federation", given, "a Federation", remedy, "type")
