"""``Case``: the updates on which a property is tried, and their text as code that can be pasted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from fairfl.updates import Layout, Updates

# Rounds with more numbers than this are described by their shapes only.
PRINTED = 120


@dataclass(frozen=True)
class Case:
    """One trial of a property.

    Attributes:
        rounds: what the rule is asked, one ``Updates`` per round. Empty for a trial with ``train``.
        other: the rounds that a second, fresh rule is asked for comparison; empty if there is no comparison.
        note: what is done with the rounds, in words or in code.
        values: the numbers that ``other`` was made with, such as a factor or an order of the clients.
    """

    rounds: tuple[Updates, ...] = ()
    other: tuple[Updates, ...] = ()
    note: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> str:
        """How large the case is, in words."""
        if not self.rounds:
            return ""
        K, d = self.rounds[0].gradients.shape
        counts = ((K, "client"), (d, "parameter"), (len(self.rounds), "round"))
        return ", ".join(f"{count} {word}{'s' * (count != 1)}" for count, word in counts)

    def code(self, needs: Iterable[str]) -> str:
        """Python code that makes the rounds, with losses, shares and the extras in ``needs``.

        Losses are shown even if ``needs`` lacks them, because the scales of a promise may read them.
        """
        if not self.rounds:
            return ""
        if sum(u.gradients.numel() for u in self.rounds) > PRINTED:
            return "# Too many numbers to print: catch the error; its case.rounds holds them."
        shown = [_updates(u, set(needs)) for u in self.rounds]
        if len(shown) == 1:
            return f"updates = {shown[0]}"
        return "rounds = [\n" + "".join(f"    {text},\n" for text in shown) + "]"


def _updates(u: Updates, needs: set[str]) -> str:
    rows = _numbers(u.gradients)
    # Python's floats become float32 as gradients.
    gradients = rows if u.gradients.dtype == torch.float32 else f"torch.tensor({rows}, dtype={u.gradients.dtype})"
    parts = [gradients]
    if u.losses is not None:
        parts.append(f"losses={_numbers(u.losses)}")
    parts.append(f"shares={_numbers(u.shares)}")
    if u.clients.tolist() != list(range(len(u))):
        parts.append(f"clients={u.clients.tolist()}")
    if u.population != int(u.clients.max()) + 1:
        parts.append(f"population={u.population}")
    if u.round:
        parts.append(f"round={u.round}")
    if "layout" in needs and u.layout is not None:
        parts.append(f"layout={_layout(u.layout)}")
    extras = {name: _numbers(value) for name, value in u.extras.items() if name in needs}
    if extras:
        parts.append("extras={" + ", ".join(f"{name!r}: {value}" for name, value in extras.items()) + "}")
    return f"Updates({', '.join(parts)})"


def _layout(layout: Layout) -> str:
    return f"Layout({layout.names!r}, {layout.shapes!r})"


def _numbers(values: torch.Tensor) -> str:
    """The shortest decimal numbers that give the same tensor again."""
    if values.dtype in (torch.float32, torch.float64):
        array = values.detach().cpu().numpy()
        return repr(np.vectorize(lambda x: float(str(x)), otypes=[float])(array).tolist())
    return repr(values.tolist())
