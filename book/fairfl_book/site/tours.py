"""Which states of a lab the site shows: a grid of values for some of its controls, from ``book/labs.toml``."""

import itertools
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairfl.errors import refuse, unknown
from fairfl_book import labs
from fairfl_book.labs import Choice, Lab, TouchLab

MOST = 100  # pictures a lab


@dataclass(frozen=True)
class Tour:
    """``values``: the stops of each control that moves, in the order of the page. All other controls stay at their start."""

    name: str
    lab: Lab
    values: Mapping[str, tuple]

    def states(self) -> Iterator[dict]:
        """Every combination of stops; the last control changes fastest."""
        return (dict(zip(self.values, stops)) for stops in itertools.product(*self.values.values()))

    def __len__(self) -> int:
        return math.prod(map(len, self.values.values()))

    def start(self) -> dict[str, int]:
        """Where each control stands at first, as the number of its stop."""
        return {name: stops.index(self.lab.controls[name].start) for name, stops in self.values.items()}

    def scenery(self, state: Mapping) -> tuple:
        """What a state shares its background with: all states with the same choices."""
        return tuple(value for name, value in state.items() if isinstance(self.lab.controls[name], Choice))


def load(path: Path) -> dict[str, Tour]:
    """The tours of ``path`` by the lab's class name. Raises ``ValueError`` for a lab, control or stop that does not exist."""
    return {name: read(name, values) for name, values in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def read(name: str, values: Mapping[str, list]) -> Tour:
    """One tour, checked."""
    if name not in labs.__all__:
        raise unknown("lab in book/labs.toml", name, labs.__all__)
    if issubclass(getattr(labs, name), TouchLab):
        raise refuse(
            "a lab in book/labs.toml",
            name,
            "a lab with pictures drawn in advance",
            f"{name} moves on the page; take it out.",
        )
    lab = getattr(labs, name)()
    for control, stops in values.items():
        if control not in lab.controls:
            raise unknown(f"control of {name} in book/labs.toml", control, lab.controls)
        for stop in stops:
            lab.controls[control].check(control, stop)
        if lab.controls[control].start not in stops:
            raise refuse(
                f"the stops of {name}'s {control} in book/labs.toml",
                stops,
                f"a list with {lab.controls[control].start!r}",
                "The picture above the strip shows that state.",
            )
    tour = Tour(name, lab, {control: tuple(stops) for control, stops in values.items()})
    if len(tour) > MOST:
        raise refuse(
            f"the number of pictures of {name} in book/labs.toml",
            len(tour),
            f"at most {MOST}",
            "Take out every second stop, or a control.",
        )
    return tour
