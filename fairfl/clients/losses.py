"""The losses that clients minimise: functions of a model's outputs and the targets that give one loss a row."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F

from fairfl.clients.slots import Examples
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, unknown

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

cross_entropy = partial(F.cross_entropy, reduction="none")


def squared(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The squared error of each row, (B,): the mean over its numbers where ``targets`` (B, m) has several."""
    # Shaped alike first: (B, 1) against (B,) would be compared all with all.
    return F.mse_loss(outputs.reshape(targets.shape), targets, reduction="none").reshape(len(targets), -1).mean(1)


LOSSES: dict[str, Loss] = {"cross_entropy": cross_entropy, "squared": squared}


def loss_of(loss: Loss | str | None, dataset: Dataset | Examples) -> Loss:
    """``loss``, the loss of that name, or what fits ``dataset``: cross-entropy for classes, squared error for numbers.

    Raises ``Refused`` for an unknown name, and for one of ours that does not fit.
    """
    classes = not dataset.targets.is_floating_point()
    fits = "cross_entropy" if classes else "squared"
    if isinstance(loss, str) and loss not in LOSSES:
        raise unknown("loss", loss, LOSSES, "A function (outputs, targets) that gives one loss a row works as well.")
    chosen = LOSSES[loss or fits] if loss is None or isinstance(loss, str) else loss
    if chosen in LOSSES.values() and chosen is not LOSSES[fits]:
        aim = "class numbers" if classes else "numbers to be predicted"
        called = getattr(dataset, "called", "the dataset")
        raise Refused(f"the targets of {called} are {aim}, for which the loss is {fits!r}; leave loss out to have it")
    return chosen
