"""The losses that clients minimise: functions of a model's outputs and the targets, one loss per row."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F

from fairfl.clients.slots import Examples
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, refuse, unknown

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

cross_entropy = partial(F.cross_entropy, reduction="none")


def squared(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The squared error of each row, (B,); the mean over a row's m numbers if ``targets`` is (B, m)."""
    # Outputs get the targets' shape first: (B, 1) and (B,) would broadcast to (B, B).
    return F.mse_loss(outputs.reshape(targets.shape), targets, reduction="none").reshape(len(targets), -1).mean(1)


def token_cross_entropy(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean cross-entropy over each row's T tokens, (B,), for outputs (B, T, classes) and targets (B, T).

    Raises ``Refused`` for outputs of another shape.
    """
    check_token_outputs(outputs, targets)
    per_token = F.cross_entropy(outputs.flatten(0, 1), targets.flatten(), reduction="none")
    return per_token.view(targets.shape).mean(1)


def check_token_outputs(outputs: torch.Tensor, targets: torch.Tensor) -> None:
    """Raise ``Refused`` unless ``outputs`` are (B, T, classes), as ``targets`` (B, T) need them."""
    if outputs.ndim == 3 and outputs.shape[:2] == targets.shape:
        return
    B, T = targets.shape
    remedy = "Return logits for each of a row's tokens."
    if outputs.ndim == 3 and outputs.shape[::2] == targets.shape:
        remedy = "The classes come last, as language models give them: return logits.transpose(1, 2)."
    raise refuse("the shape of the model's outputs", tuple(outputs.shape), f"({B}, {T}, classes)", remedy, "shape")


def check_class_outputs(outputs: torch.Tensor, targets: torch.Tensor, classes: int) -> None:
    """Raise ``Refused`` if ``outputs`` (B, m) have fewer columns than there are ``classes``."""
    if targets.ndim == 1 and outputs.ndim == 2 and outputs.shape[1] < classes:
        what, remedy = "the number of the model's outputs", "Give its last layer one output for each class."
        raise refuse(what, outputs.shape[1], f"{classes} or more, one per class", remedy, "shape")


LOSSES: dict[str, Loss] = {
    "cross_entropy": cross_entropy,
    "token_cross_entropy": token_cross_entropy,
    "squared": squared,
}


def loss_of(loss: Loss | str | None, dataset: Dataset | Examples) -> Loss:
    """``loss`` itself, the loss with that name, or the default for ``dataset``.

    The default is cross-entropy for classes (its mean over a row's tokens, if each has one), and the squared error for
    numbers. Raises ``Refused`` for an unknown name,
    and for a loss of this package that does not fit the targets.
    """
    classes = not dataset.targets.is_floating_point()
    fits = ("token_cross_entropy" if dataset.targets.ndim == 2 else "cross_entropy") if classes else "squared"
    if isinstance(loss, str) and loss not in LOSSES:
        raise unknown("loss", loss, LOSSES, "A function (outputs, targets) that gives one loss per row works as well.")
    chosen = LOSSES[loss or fits] if loss is None or isinstance(loss, str) else loss
    if chosen in LOSSES.values() and chosen is not LOSSES[fits]:
        kind = ("class numbers" + " of tokens" * (dataset.targets.ndim == 2)) if classes else "numbers to be predicted"
        called = getattr(dataset, "called", "the dataset")
        raise Refused(
            f"the targets of {called} are {kind}, for which the loss is {fits!r}; leave loss out to get it",
            "combination",
        )
    return chosen
