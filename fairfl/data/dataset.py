"""``Dataset``: inputs and targets as two flat tensors, and what is known about each row."""

from dataclasses import dataclass, field, replace
from numbers import Integral

import numpy as np
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

    Inputs, targets and columns may also be NumPy arrays, lists or data frames, which are copied into tensors. Numbers
    with a fraction become float32 whatever their length (NumPy's are float64, and the models are float32), whole ones
    int64.

    Raises ``ValueError`` if lengths or shapes differ, targets are not whole numbers or name no class, inputs are
    bytes, text or truth values (which say no scale by themselves), or an input is not finite.
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
        put = lambda name, value: object.__setattr__(self, name, value)
        put("inputs", self._inputs())
        rows = len(self.inputs)
        if isinstance(self.classes, Integral):
            raise refuse("classes", self.classes, "the names of the classes, in the order of their numbers",
                         f"Give names, or range({self.classes}) where numbers are all there is.")
        put("classes", tuple(str(c) for c in self.classes))
        put("targets", self._column("targets", self.targets))
        if self.targets.is_floating_point():
            raise refuse(f"the type of targets in dataset {self.name!r}", "numbers with a fraction",
                         "whole numbers, one class number a row",
                         "Where they are class numbers, convert them: targets.astype('int64').")
        put("columns", {name: self._column(f"columns[{name!r}]", column) for name, column in self.columns.items()})
        test_from = rows if self.test_from is None else self.test_from
        if not isinstance(test_from, Integral) or not 0 < test_from <= rows:
            raise refuse("test_from", test_from, f"a whole number from 1 to {rows}",
                         "It is the first row of the test set.")
        put("test_from", int(test_from))
        if rows and not 0 <= int(self.targets.min()) <= int(self.targets.max()) < len(self.classes):
            raise refuse(f"the range of targets in dataset {self.name!r}",
                         (int(self.targets.min()), int(self.targets.max())), f"0 to {len(self.classes) - 1}",
                         "Give one name in classes for each class number.")
        if self.inputs.is_floating_point() and not torch.isfinite(self.inputs.sum()) and not torch.isfinite(self.inputs).all():
            bad = int((~torch.isfinite(self.inputs)).reshape(rows, -1).any(1).nonzero()[0, 0])
            raise Refused(f"row {bad} of dataset {self.name!r} has a non-finite input; drop or repair the row")

    def _inputs(self) -> torch.Tensor:
        inputs = _tensor(f"inputs of dataset {self.name!r}", self.inputs,
                         "one-hot features as numbers, or symbols numbered from 0")
        if inputs.ndim == 0:
            raise refuse(f"inputs of dataset {self.name!r}", inputs.item(), "(N, ...), one row an example",
                         "Stack the examples.")
        if inputs.dtype in (torch.uint8, torch.bool):
            kind, remedy = ("truth values", ".astype('float32') makes features of 0 and 1")
            if inputs.dtype == torch.uint8:
                kind, remedy = ("bytes", " / 255 brings pixels to the range from 0 to 1")
            raise refuse(f"inputs of dataset {self.name!r}", kind, "float32 features, or int64 symbols for text",
                         f"inputs{remedy}.")
        return inputs

    def _column(self, what: str, values) -> torch.Tensor:
        what = f"{what} in dataset {self.name!r}"
        column = _tensor(what, values, "np.unique(values, return_inverse=True), which gives names and numbers")
        if column.ndim != 1:
            remedy = "Flatten it: values.ravel()."
            if column.ndim == 2 and column.shape[1] > 1:
                remedy = "Give class numbers, targets.argmax(1), instead of one-hot rows."
            raise refuse(f"the shape of {what}", tuple(column.shape), f"({len(self.inputs)},), one entry per row",
                         remedy)
        if len(column) != len(self.inputs):
            raise refuse(f"the length of {what}", len(column), f"{len(self.inputs)}, one per input",
                         "Give one entry per row.")
        return column.long() if column.dtype in (torch.uint8, torch.bool) else column

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


def _tensor(what: str, values, text: str) -> torch.Tensor:
    """``values`` as a tensor: float32 for fractions, int64 for whole ones; bytes and truth values kept."""
    try:
        tensor = values if torch.is_tensor(values) else torch.from_numpy(np.array(values))
    except (TypeError, ValueError):
        raise refuse(what, type(values).__name__, "numbers in rows of one length, as a tensor, an array or lists",
                     f"Text has to be numbered first: {text}.") from None
    if tensor.is_complex():
        raise refuse(what, "complex numbers", "real numbers", "Give real and imaginary parts as two features.")
    if tensor.is_floating_point():
        return tensor.float()
    return tensor if tensor.dtype in (torch.uint8, torch.bool) else tensor.long()
