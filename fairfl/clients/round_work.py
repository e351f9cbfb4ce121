"""``RoundWork``: the description of one round's local training, the input of both engines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from fairfl.clients.correction import Bound
from fairfl.clients.local_method import LocalMethod
from fairfl.clients.losses import Loss
from fairfl.clients.per_client import Local, PerClient
from fairfl.clients.slots import Examples, Slot


@dataclass(frozen=True)
class RoundWork:
    """The local training of one round: which clients train, on which rows, from which model and how.

    - ``slots``: S slots of R runs. Slot i starts from ``starts[slots[i].run]``.
    - ``starts`` (R, d): the runs' start models.
    - ``local``: the local training, one for all clients or one for each. ``round``: the number of the round, from 0.
    - ``loss(outputs, targets)``: one loss per row.
    - ``anchors`` (R, d): if given, the proximal term pulls towards ``anchors[slots[i].run]`` instead of the start.
    - ``bound``: the correction of the slots, which ``train_slots`` binds.
    """

    data: Examples
    slots: Sequence[Slot]
    starts: torch.Tensor
    local: Local
    round: int
    loss: Loss
    anchors: torch.Tensor | None = None
    bound: Bound | None = None

    @property
    def pulls_to(self) -> torch.Tensor:
        """The points that the proximal term pulls each run towards, (R, d)."""
        return self.starts if self.anchors is None else self.anchors

    def local_of(self, slot: Slot) -> LocalMethod:
        """The local training of the client in ``slot``."""
        return self.local.method(slot.client) if isinstance(self.local, PerClient) else self.local

    @property
    def local_lr(self) -> float | None:
        """The step size of plain SGD that all slots share in this round; ``None`` if there is none."""
        if not isinstance(self.local, PerClient):
            return self.local.sgd_lr_at(self.round)
        used = {self.local.of_client[slot.client] for slot in self.slots}
        sizes = {self.local.methods[i].sgd_lr_at(self.round) for i in used}
        return sizes.pop() if len(sizes) == 1 else None

    def part(self, places: list[int]) -> "RoundWork":
        """The same work for only the slots at ``places``."""
        return replace(self, slots=[self.slots[i] for i in places], bound=self.bound and self.bound.rows(places))
