"""``Caps``: how long a row, how large a client and how large a number may be, as agreed before the first round."""

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field

import torch

from fairfl._validation import known, number
from fairfl.deployment.reply import Refusal
from fairfl.errors import refuse
from fairfl.updates import Updates

MOST_REFUSALS = 50  # in a record, beside those of members


@dataclass(frozen=True)
class Caps:
    """Limits that are judged before the rule: a reply beyond one is refused by name, and the rule never sees it.

    ``length``: the largest length of a row, ``‖g_k‖``. ``times_median``: how many times the median length of the
    round's rows a row may be long; the median is the lower one of two, and is not moved by a minority of the rows.
    ``size``: the largest number of rows that a client may claim, which limits its share. ``numbers``: the lowest and
    the highest value of a number, by name, as in ``{"losses": (0.01, 20)}``. A limit that is ``None``, or a number that
    is not named, is not judged.

    Choose them from what honest clients can send. A cap does not see a false number inside its range.

    Raises ``Refused`` for limits that are not positive, and for ranges that are not two numbers in order.
    """

    length: float | None = None
    times_median: float | None = None
    size: float | None = None
    numbers: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("length", "times_median", "size"):
            if getattr(self, name) is not None:
                low = 1 if name == "times_median" else 0
                number(name, getattr(self, name), low, remedy="None sets no limit.", above=True)
        if not isinstance(self.numbers, Mapping):
            raise refuse("numbers", self.numbers, "limits by name", "Pass {'losses': (0.01, 20)}.", "type")
        for name, limits in self.numbers.items():
            if not isinstance(limits, (tuple, list)) or len(limits) != 2:
                raise refuse(f"the limits of {name!r}", limits, "(lowest, highest)", "Give two numbers.", "type")
            number(f"the highest {name!r}", limits[1], number(f"the lowest {name!r}", limits[0]))

    def check_names(self, rule: str, names: Collection[str]) -> None:
        """Raise ``Refused`` of kind "name" for a capped number that is not among ``names``, those that ``rule`` or
        another rule may read.
        """
        for name in self.numbers:
            known("number in caps", name, names, f"A cap under another name would cap nothing that {rule} reads.")

    def against(self, size: float, numbers: Mapping[str, float]) -> str:
        """Why these numbers of a reply are beyond the caps, in words that follow "it"; "" if they are not."""
        if self.size is not None and size > self.size:
            return f"gives its size as {size:g}; agreed: up to {self.size:g} rows"
        for name, (low, high) in self.numbers.items():
            if name in numbers and not low <= numbers[name] <= high:
                return f"sent {name!r} = {numbers[name]:g}; agreed: {low:g} to {high:g}"
        return ""

    def too_long(self, updates: Updates) -> dict[int, str]:
        """The clients whose rows are beyond the caps, and why, in words that follow "it"."""
        if self.length is None and self.times_median is None:
            return {}
        lengths = torch.linalg.vector_norm(updates.gradients, dim=1, dtype=torch.float64).cpu()
        found, median = {}, float(lengths.median())
        for client, length in zip(updates.clients.tolist(), lengths.tolist()):
            if self.length is not None and length > self.length:
                found[client] = f"sent an update of length {length:.3g}; agreed: up to {self.length:g}"
            elif self.times_median is not None and length > self.times_median * median:
                found[client] = (
                    f"sent an update of length {length:.3g}; agreed: up to {self.times_median:g} times the median "
                    f"over clients, {median:.3g}"
                )
        return found


def shortened(refusals: list[Refusal], members: Container[str] = ()) -> list[Refusal]:
    """The refusals that a record keeps: all those of ``members``, and ``MOST_REFUSALS`` of the others.

    A flood of forged replies then neither fills the log nor hides a culprit in it.
    """
    others = [refusal for refusal in refusals if refusal.who not in members]
    if (more := len(others) - MOST_REFUSALS) <= 0:
        return refusals
    kept = [refusal for refusal in refusals if refusal.who in members] + others[:MOST_REFUSALS]
    return [*kept, Refusal(f"a sender of {more} further replies", "sent replies that were refused as well")]
