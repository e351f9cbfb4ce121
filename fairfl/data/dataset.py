"""``Dataset``: inputs and targets as two tensors, and further columns about each row."""

import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import ArrayLike

from fairfl._validation import integer, known, unmasked
from fairfl.errors import Refused, refuse


@dataclass(frozen=True)
class Dataset:
    """Labelled examples, not yet split over clients.

    ``inputs`` (N, ...): float32 features, or int64 symbols for text. ``targets`` (N,): int64 class numbers; or (N, T),
    one class number for each of a row's T tokens, for which a model gives outputs (N, T, classes) (a row's loss is then
    the mean over its tokens, and its accuracy the fraction of correct ones); or float32 numbers (N,) or (N, m) to
    predict (regression), in which case there are no classes. ``classes``: the class names, in
    the order of their numbers; by default the numbers up to the largest. ``test_from``: rows from here on are the
    official test set; it equals N if the dataset has none. ``columns``: further facts about each row, by name, each
    (N,): int64 if ``partition.by_column`` can split by them (``column_names`` then names their values in order), or
    float32 for a measurement. ``variant``: how the original data were changed (re-encoding, subsetting), for
    provenance; empty if they were not. ``name``: for messages and records; without one, ``digest`` is used instead.

    Inputs, targets and columns may also be NumPy arrays, lists or data frames, which are copied into tensors. Floats
    become float32 whatever their precision (NumPy's are float64, and the models are float32), and integers become
    int64. So give counts and prices that are to be predicted as floats. A tensor that has its type already is shared,
    not copied, so do not write to it afterwards.

    Raises ``Refused`` if lengths or shapes differ, if targets are not class numbers, if names have no order (a set) or
    two classes share one, if a column holds values that its ``column_names`` do not name, if inputs are bytes, text or
    booleans (which have no scale of their own), if anything is sparse, or if an input or a number to predict is not
    finite.

    >>> import numpy as np
    >>> from fairfl import Dataset
    >>> dataset = Dataset(np.eye(4), [0, 1, 1, 0], classes=("no", "yes"), columns={"town": [0, 0, 1, 1]})
    >>> dataset, dataset.inputs.dtype
    (Dataset(4 rows of shape (4,), 2 classes), torch.float32)
    """

    inputs: torch.Tensor
    targets: torch.Tensor
    classes: tuple[str, ...] = None  # type: ignore[assignment]
    test_from: int = None  # type: ignore[assignment]
    columns: dict[str, torch.Tensor] = field(default_factory=dict)
    column_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variant: str = ""
    name: str = ""

    if TYPE_CHECKING:  # the types that are accepted; above, those that attributes have

        def __init__(
            self,
            inputs: ArrayLike,
            targets: ArrayLike,
            classes: Sequence[object] | None = None,
            test_from: int | None = None,
            columns: Mapping[str, ArrayLike] = {},
            column_names: Mapping[str, tuple[str, ...]] = {},
            variant: str = "",
            name: str = "",
        ) -> None: ...

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        put("inputs", self._inputs())
        rows = len(self.inputs)
        put("targets", self._column("targets", self.targets))
        put("classes", self._classes())
        put("columns", {name: self._column(f"columns[{name!r}]", column) for name, column in self.columns.items()})
        put("column_names", self._column_names())
        test_from = rows if self.test_from is None else self.test_from
        put("test_from", integer("test_from", test_from, 1, "It is the first row of the test set.", high=rows))
        for what, values in (("input", self.inputs), ("target", self.targets)):
            if values.is_floating_point() and not torch.isfinite(values.sum()) and not torch.isfinite(values).all():
                bad = int((~torch.isfinite(values)).reshape(rows, -1).any(1).nonzero()[0, 0])
                raise Refused(f"row {bad} of {self.called} has a non-finite {what}; drop or repair the row")

    def _classes(self) -> tuple[str, ...]:
        if self.targets.is_floating_point():
            if self.classes:
                raise refuse(
                    f"the type of targets in {self.called}",
                    "numbers with a fraction",
                    "whole numbers, one class number per row",
                    "If they are class numbers, convert them: targets.astype('int64'). To predict numbers, "
                    "leave classes out.",
                    "type",
                )
            return ()
        if isinstance(self.classes, Integral):
            raise refuse(
                "classes",
                self.classes,
                "the names of the classes, in the order of their numbers",
                f"Leave classes out to use the numbers as names, or give range({self.classes}).",
                "type",
            )
        low, high = (int(self.targets.min()), int(self.targets.max())) if len(self) else (0, -1)
        given = self.classes is not None
        names = _names("classes", self.classes) if given else ()
        twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
        if twice:
            raise refuse("classes", names, "different names", f"{twice[0]!r} names more than one class.")
        limit = len(names) if given else self.targets.numel()
        if low < 0 or high >= limit:
            raise refuse(
                f"the range of targets in {self.called}",
                (low, high),
                f"0 to {limit - 1}",
                "Give one name in classes for each class number; give numbers to predict as floats.",
            )
        return names if given else tuple(map(str, range(high + 1)))

    def _column_names(self) -> dict[str, tuple[str, ...]]:
        """The names of the columns' values. Some may be unused, as after ``only``."""
        if not isinstance(self.column_names, Mapping):
            remedy = "Name the values of a column in order: {'town': ('Bern', 'Chur')}."
            raise refuse("column_names", self.column_names, "names by column", remedy, "type")
        named = {}
        for name, given in self.column_names.items():
            known(f"column in column_names of {self.called}", name, self.columns)
            values, what = self.columns[name], f"column_names[{name!r}]"
            named[name] = _names(what, given)
            low, high, count = values.min().item(), values.max().item(), len(named[name])
            if values.is_floating_point() or low < 0 or high >= count:
                allowed = f"whole numbers from 0 to {count - 1}, because {what} has {count} names"
                raise refuse(f"the range of columns[{name!r}]", (low, high), allowed, "Give one name for each number.")
        return named

    @property
    def called(self) -> str:
        """The dataset's name in messages."""
        return f"dataset {self.name!r}" if self.name else "the dataset"

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify inputs and targets; takes about two seconds per gigabyte."""
        h = hashlib.blake2b(digest_size=6)
        for values in (self.inputs, self.targets):
            h.update(f"{values.dtype}{tuple(values.shape)}".encode())
            h.update(values.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
        return h.hexdigest()

    @property
    def outputs(self) -> int:
        """How many numbers a model returns for one row: one per class, or the numbers to predict."""
        return len(self.classes) or self.targets[:1].numel()

    @property
    def per_token(self) -> bool:
        """Whether a row has one target for each of its tokens: int64 ``targets`` (N, T)."""
        return self.targets.ndim == 2 and not self.targets.is_floating_point()

    def check_classes(self, reader: str) -> None:
        """Raise ``Refused`` if targets are numbers to predict; ``reader``, named in the message, needs classes."""
        if not self.classes:
            raise Refused(
                f"{reader} needs classes, and the targets of {self.called} are numbers to predict; without classes, "
                f"use partition.iid, by_column or split, a rule that reads no accuracies, and loss='squared'",
                "missing",
            )

    def class_labels(self, reader: str) -> torch.Tensor:
        """``targets`` (N,) for ``reader``, which needs one class per row; raises ``Refused`` for all other targets."""
        self.check_classes(reader)
        if self.per_token:
            raise Refused(
                f"{reader} needs one class per row, and the targets of {self.called} are one per token, "
                f"{tuple(self.targets.shape)}; use partition.iid, by_column or split",
                "combination",
            )
        return self.targets

    def class_number(self, given: str | int) -> int:
        """The number of a class, which is given by name or by number."""
        if isinstance(given, str):
            known(f"class of {self.called}", given, self.classes)
            return self.classes.index(given)
        remedy = "Or give its name, one of dataset.classes."
        return integer("class", given, 0, remedy, high=len(self.classes) - 1)

    def _inputs(self) -> torch.Tensor:
        inputs = _tensor(
            f"inputs of {self.called}", self.inputs, "one-hot features as numbers, or symbols numbered from 0"
        )
        if inputs.ndim == 0:
            what, allowed = f"inputs of {self.called}", "(N, ...), one row per example"
            raise refuse(what, inputs.item(), allowed, "Stack the examples.", "shape")
        if inputs.dtype in (torch.uint8, torch.bool):
            kind, remedy = ("booleans", ".astype('float32') makes features of 0 and 1")
            if inputs.dtype == torch.uint8:
                kind, remedy = ("bytes", " / 255 scales pixels to the range from 0 to 1")
            what, allowed = f"inputs of {self.called}", "float32 features, or int64 symbols for text"
            raise refuse(what, kind, allowed, f"inputs{remedy}.", "type")
        return inputs

    def _column(self, what: str, values: ArrayLike) -> torch.Tensor:
        what = f"{what} in {self.called}"
        column = _tensor(what, values, "np.unique(values, return_inverse=True), which gives names and numbers")
        several = what.startswith("targets") and column.ndim == 2 and (column.is_floating_point() or _per_token(column))
        if column.ndim != 1 and not several:
            remedy = "Flatten it: values.ravel()."
            if column.ndim == 2 and column.shape[1] > 1:
                remedy = "Give class numbers, targets.argmax(1), instead of one-hot rows."
            allowed = f"({len(self.inputs)},), one entry per row"
            raise refuse(f"the shape of {what}", tuple(column.shape), allowed, remedy, "shape")
        if len(column) != len(self.inputs):
            allowed = f"{len(self.inputs)}, one per input"
            raise refuse(f"the length of {what}", len(column), allowed, "Give one entry per row.", "shape")
        return column.long() if column.dtype in (torch.uint8, torch.bool) else column

    def __len__(self) -> int:
        return len(self.inputs)

    def only(self, *classes: str | int) -> "Dataset":
        """A dataset with only the rows of these classes, given by name or number.

        The classes are renumbered in the order given. Raises ``Refused`` for an unknown or repeated class.
        """
        self.class_labels("only")
        numbers = [self.class_number(c) for c in classes]
        if not numbers or len(set(numbers)) < len(numbers):
            raise refuse("classes", classes, "one or more different classes", "Name each class once.")
        renumber = torch.full((len(self.classes),), -1)
        renumber[numbers] = torch.arange(len(numbers))
        targets = renumber[self.targets]
        rows = (targets >= 0).nonzero().flatten()
        kept = tuple(self.classes[n] for n in numbers)
        return replace(
            self,
            inputs=self.inputs[rows],
            targets=targets[rows],
            classes=kept,
            test_from=int((rows < self.test_from).sum()),
            columns={name: column[rows] for name, column in self.columns.items()},
            variant="; ".join(filter(None, [self.variant, f"only the classes {', '.join(kept)}"])),
        )

    def __repr__(self) -> str:
        test = f", test rows from {self.test_from}" if self.test_from < len(self) else ""
        name = f"{self.name!r}: " if self.name else ""
        token = f" for each of {self.targets.shape[1]} tokens" if self.per_token else ""
        aim = f"{len(self.classes)} classes{token}" if self.classes else f"{self.outputs} numbers to predict"
        return f"Dataset({name}{len(self)} rows of shape {tuple(self.inputs.shape[1:])}, {aim}{test})"


def check_dataset(dataset: object) -> Dataset:
    """Return ``dataset``; raise ``Refused``, with how to load or make one, unless it is a ``Dataset``."""
    if not isinstance(dataset, Dataset):
        remedy = "Load one, for instance data.load('digits'), or make one: Dataset(inputs, targets)."
        raise refuse("dataset", type(dataset).__name__, "a Dataset", remedy, "type")
    return dataset


def _per_token(targets: torch.Tensor) -> bool:
    """Whether ``targets`` (N, T) can be class numbers of tokens: integers, and not one-hot rows."""
    if targets.dtype in (torch.uint8, torch.bool) or targets.shape[1] < 2:
        return False
    return not bool(((targets != 0).sum(1) == 1).all() and (targets.sum(1) == 1).all())


def _names(what: str, given: Sequence[object]) -> tuple[str, ...]:
    """``given`` as strings, in its order. A set, which has no order, and a single string are refused."""
    if isinstance(given, (str, bytes, Set, Mapping)) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) != 1:
        allowed = "a list of names, in the order of their numbers"
        raise refuse(what, given, allowed, "A tuple or an array works as well.", "type")
    return tuple(str(name) for name in given)


def _tensor(what: str, values: ArrayLike | torch.Tensor, text: str) -> torch.Tensor:
    """``values`` as a tensor: floats as float32, integers as int64, and bytes and booleans as they are."""
    values = unmasked(what, values)
    try:
        tensor = values if isinstance(values, torch.Tensor) else torch.from_numpy(np.array(values))
    except (TypeError, ValueError):
        raise refuse(
            what,
            type(values).__name__,
            "numbers in rows of one length, as a tensor, an array or lists",
            f"Text has to be numbered first: {text}.",
            "type",
        ) from None
    if tensor.layout != torch.strided:
        raise refuse(what, "a sparse tensor", "a dense tensor", "Convert it with .to_dense().", "type")
    if tensor.is_complex():
        raise refuse(what, "complex numbers", "real numbers", "Give real and imaginary parts as two features.", "type")
    if tensor.is_floating_point():
        return tensor.float()
    return tensor if tensor.dtype in (torch.uint8, torch.bool) else tensor.long()
