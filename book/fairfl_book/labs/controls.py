"""The controls of labs. Each has a ``label``, a ``start`` and its extreme values ``ends``, and checks the values that
it is given."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairfl.errors import refuse, unknown

Placed = Sequence[Sequence[float]]  # the positions of the points of a ``Points``


@dataclass(frozen=True)
class Slider:
    """A number from ``low`` to ``high`` in steps of ``step``, an integer if all three are. If it is not ``shown``, the
    page has no slider for it, and the reader moves it with a handle in the picture."""

    label: str
    low: float
    high: float
    step: float
    start: float
    shown: bool = True

    @property
    def ends(self) -> tuple:
        return self.low, self.high

    @property
    def whole(self) -> bool:
        """Whether the control's values are integers."""
        return all(isinstance(v, int) for v in (self.low, self.high, self.step, self.start))

    def check(self, name: str, value: float) -> None:
        if not self.low <= value <= self.high:
            raise refuse(
                f"the lab's {name}", value, f"{self.low} to {self.high}", "Move the value inside the slider's range."
            )


@dataclass(frozen=True)
class Choice:
    """One of a few named options."""

    label: str
    options: Sequence[str]
    start: str

    @property
    def ends(self) -> tuple:
        return tuple(self.options)

    def check(self, name: str, value: str) -> None:
        if value not in self.options:
            raise unknown(f"choice of the lab's {name}", value, self.options)


@dataclass(frozen=True)
class Several:
    """Several of a few named options, in their order. Each is switched on or off."""

    label: str
    options: Sequence[str]
    start: Sequence[str]

    @property
    def ends(self) -> tuple:
        """No option, all options, and each option alone."""
        return ([], list(self.options), *([one] for one in self.options))

    def check(self, name: str, value: Sequence[str]) -> None:
        for one in value:
            if one not in self.options:
                raise unknown(f"choice of the lab's {name}", one, self.options)
        if list(value) != [one for one in self.options if one in value]:
            raise refuse(
                f"the lab's {name}", value, f"some of {list(self.options)}, each once", "Name them in this order."
            )


@dataclass(frozen=True)
class Points:
    """Points in the plane that a reader drags, at most ``reach`` from the origin."""

    label: str
    reach: float
    start: Sequence[Sequence[float]]

    @property
    def ends(self) -> tuple:
        """All points at the left, all at the top, all at the origin."""
        return tuple([list(end)] * len(self.start) for end in ((-self.reach, 0.0), (0.0, self.reach), (0.0, 0.0)))

    def check(self, name: str, value: Placed) -> None:
        fits = len(value) == len(self.start) and all(
            len(point) == 2 and math.hypot(*point) <= self.reach + 1e-9 for point in value
        )
        if not fits:
            raise refuse(
                f"the lab's {name}",
                value,
                f"{len(self.start)} points (x, y), each at most {self.reach} from the origin",
                "Write them as a list of pairs.",
            )
