"""``Dataset``: inputs and targets as two flat tensors, and what is known about each row."""

from dataclasses import dataclass, field, replace

import torch

from fairfl.errors import Refused, refuse, unknown


@dataclass(frozen=True)
class Dataset:
    """Examples without clients.

    ``inputs`` (N, ...): float32 features, or int64 symbols for text. ``targets`` (N,): int64 class numbers.
    ``classes``: the class names, in the order of their numbers. ``test_from``: rows from here on are the
    official test set; it equals N where the dataset has none. ``columns``: further facts per row by name,
    each (N,): int64 where ``partition.by_column`` can split by them, and ``column_names`` then names their values in
    order; float32 for a measure. ``variant``: what was done to the original data (re-encoding, subsetting), for
    provenance; empty if nothing was.

    Raises ``ValueError`` if lengths differ, a target names no class, or an input is not finite.
    """

    name: str
    inputs: torch.Tensor
    targets: torch.Tensor
    classes: tuple[str, ...]
    test_from: int | None = None
    columns: dict[str, torch.Tensor] = field(default_factory=dict)
    column_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variant: str = ""

    def __post_init__(self):
        rows = len(self.inputs)
        object.__setattr__(self, "classes", tuple(str(c) for c in self.classes))
        object.__setattr__(self, "test_from", rows if self.test_from is None else int(self.test_from))
        for what, column in {"targets": self.targets, **self.columns}.items():
            if column.shape[:1] != (rows,):
                raise refuse(f"the length of {what} in dataset {self.name!r}", len(column), f"{rows}, one per input",
                             "Give one entry per row.")
        if not 0 < self.test_from <= rows:
            raise refuse("test_from", self.test_from, f"1 to {rows}", "It is the first row of the test set.")
        if rows and not 0 <= int(self.targets.min()) <= int(self.targets.max()) < len(self.classes):
            raise refuse(f"the range of targets in dataset {self.name!r}",
                         (int(self.targets.min()), int(self.targets.max())), f"0 to {len(self.classes) - 1}",
                         "Give one name in classes for each class number.")
        if self.inputs.is_floating_point() and not torch.isfinite(self.inputs.sum()) and not torch.isfinite(self.inputs).all():
            bad = int((~torch.isfinite(self.inputs)).flatten(1).any(1).nonzero()[0, 0])
            raise Refused(f"row {bad} of dataset {self.name!r} has a non-finite input; drop or repair the row")

    def __len__(self) -> int:
        return len(self.inputs)

    def only(self, *classes: str | int) -> "Dataset":
        """The rows of these classes, given by name or number, as a problem of its own.

        The classes are renumbered in the order given. Raises ``ValueError`` for an unknown or repeated class.
        """
        numbers = [c if isinstance(c, int) and 0 <= c < len(self.classes) else self._number(c) for c in classes]
        if not numbers or len(set(numbers)) < len(numbers):
            raise refuse("classes", classes, "one or more different classes", "Name each class once.")
        renumber = torch.full((len(self.classes),), -1)
        renumber[numbers] = torch.arange(len(numbers))
        targets = renumber[self.targets]
        rows = (targets >= 0).nonzero().flatten()
        kept = tuple(self.classes[n] for n in numbers)
        return replace(self, inputs=self.inputs[rows], targets=targets[rows], classes=kept,
                       test_from=int((rows < self.test_from).sum()),
                       columns={name: column[rows] for name, column in self.columns.items()},
                       variant="; ".join(filter(None, [self.variant, f"only the classes {', '.join(kept)}"])))

    def _number(self, name: str | int) -> int:
        if name not in self.classes:
            raise unknown(f"class of dataset {self.name!r}", name, self.classes)
        return self.classes.index(name)

    def __repr__(self) -> str:
        test = f", test rows from {self.test_from}" if self.test_from < len(self) else ""
        return (f"Dataset({self.name!r}: {len(self)} rows of shape {tuple(self.inputs.shape[1:])}, "
                f"{len(self.classes)} classes{test})")
