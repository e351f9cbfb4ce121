"""The losses that clients minimise: functions of a model's outputs and the targets, one loss per row."""

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
    """The squared error of each row, (B,); the mean over a row's m numbers if ``targets`` is (B, m)."""
    # Outputs get the targets' shape first: (B, 1) and (B,) would broadcast to (B, B).
    return F.mse_loss(outputs.reshape(targets.shape), targets, reduction="none").reshape(len(targets), -1).mean(1)


LOSSES: dict[str, Loss] = {"cross_entropy": cross_entropy, "squared": squared}


def loss_of(loss: Loss | str | None, dataset: Dataset | Examples) -> Loss:
    """``loss`` itself, the loss with that name, or the default for ``dataset``.

    The default is cross-entropy for classes, and the squared error for numbers. Raises ``Refused`` for an unknown name,
    and for a loss of this package that does not fit the targets.
    """
    classes = not dataset.targets.is_floating_point()
    fits = "cross_entropy" if classes else "squared"
    if isinstance(loss, str) and loss not in LOSSES:
        raise unknown("loss", loss, LOSSES, "A function (outputs, targets) that gives one loss per row works as well.")
    chosen = LOSSES[loss or fits] if loss is None or isinstance(loss, str) else loss
    if chosen in LOSSES.values() and chosen is not LOSSES[fits]:
        kind = "class numbers" if classes else "numbers to be predicted"
        called = getattr(dataset, "called", "the dataset")
        raise Refused(
            f"the targets of {called} are {kind}, for which the loss is {fits!r}; leave loss out to get it",
            "combination",
        )
    return chosen
