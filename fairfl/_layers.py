"""What the papers' networks are built of: named layers, and images whatever shape a dataset gives them in."""

from collections import OrderedDict
from math import isqrt

import torch
from torch import nn

from fairfl.errors import refuse


def stack(**layers: nn.Module) -> nn.Sequential:
    """Layers by name, so that a parameter is called ``dense1.weight`` and not ``2.weight``."""
    return nn.Sequential(OrderedDict(layers))


def ending(wanted: bool) -> dict[str, nn.Module]:
    """The last layer of a model that ends in a softmax, by its name; none of one that does not."""
    return {"softmax": nn.Softmax(dim=1)} if wanted else {}


def image_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """(C, H, W) of inputs that are images, grey ones without a channel, or square ones laid flat.

    Raises ``Refused`` for any other shape.
    """
    if len(shape) == 3:
        return shape
    if len(shape) == 2:
        return (1, *shape)
    for channels in (1, 3):
        side = isqrt(shape[0] // channels) if len(shape) == 1 else 0
        if side and channels * side * side == shape[0]:
            return (channels, side, side)
    raise refuse(
        "the shape of one input",
        shape,
        "(C, H, W), (H, W), or a square image laid flat",
        "Reshape the dataset's inputs, or use logistic or mlp, which take any shape.",
    )


def width_after(convolutions: OrderedDict, shape: tuple[int, int, int]) -> int:
    """How many numbers the convolutions leave of one image (C, H, W). Raises ``Refused`` where none are left."""
    try:
        with torch.no_grad():
            width = nn.Sequential(convolutions).eval()(torch.zeros(1, *shape)).shape[1]
    except RuntimeError:
        width = 0
    if width == 0:
        raise refuse(
            "the shape of one input",
            shape,
            "an image large enough for this model's convolutions and pooling",
            "Use a larger image, or mlp.",
        )
    for layer in convolutions.values():
        layer.train()
    return width


def as_image(shape: tuple[int, int, int]) -> nn.Module:
    """The layer that makes (C, H, W) = ``shape`` of each input."""
    return _Image(shape)


class _Image(nn.Module):
    """(batch, anything of the right size) → (batch, C, H, W)."""

    def __init__(self, shape: tuple[int, int, int]):
        super().__init__()
        self.shape = shape

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs.reshape(inputs.shape[0], *self.shape)

    def extra_repr(self) -> str:
        return str(self.shape)
