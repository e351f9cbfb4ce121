"""``RoundWork``: one round's local training, as both engines are given it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from fairfl.clients.correction import Bound
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.losses import Loss
from fairfl.clients.slots import Examples, Slot


@dataclass(frozen=True)
class RoundWork:
    """Who trains in a round, on what, from where and how.

    ``slots``: S of them, of R runs; slot i starts from ``starts[slots[i].run]``, and ``starts`` is (R, d). ``local``:
    what each does in round ``round``, counted from 0. ``loss(outputs, targets)`` gives one loss a row. The proximal
    term pulls towards the start, or towards ``anchors[slots[i].run]`` where these are given, (R, d). ``bound``: the
    correction of the slots, which ``train_slots`` binds.
    """

    data: Examples
    slots: Sequence[Slot]
    starts: torch.Tensor
    local: LocalSGD
    round: int
    loss: Loss
    anchors: torch.Tensor | None = None
    bound: Bound | None = None

    @property
    def pulls_to(self) -> torch.Tensor:
        """Where the proximal term pulls each run to, (R, d)."""
        return self.starts if self.anchors is None else self.anchors

    def part(self, places: list[int]) -> "RoundWork":
        """The same for the slots at ``places`` alone."""
        return replace(self, slots=[self.slots[i] for i in places], bound=self.bound and self.bound.rows(places))
