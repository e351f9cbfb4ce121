"""Building blocks of the papers' networks: named layers, and images from inputs of various shapes."""

from collections import OrderedDict
from math import isqrt

import torch
from torch import nn

from fairfl.errors import refuse


def stack(**layers: nn.Module) -> nn.Sequential:
    """Layers by name, so a parameter is called ``dense1.weight`` and not ``2.weight``."""
    return nn.Sequential(OrderedDict(layers))


def ending(wanted: bool) -> dict[str, nn.Module]:
    """The softmax layer, by name, for a model that ends in one; otherwise no layer."""
    return {"softmax": nn.Softmax(dim=1)} if wanted else {}


def image_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """(C, H, W) for inputs that are images, grey images without a channel, or flattened square images.

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
        "(C, H, W), (H, W), or a flattened square image",
        "Reshape the dataset's inputs, or use logistic or mlp, which take any shape.",
        "shape",
    )


def width_after(convolutions: OrderedDict, shape: tuple[int, int, int]) -> int:
    """How many features the convolutions make of one image (C, H, W). Raises ``Refused`` if there are none."""
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
            "shape",
        )
    for layer in convolutions.values():
        layer.train()
    return width


def as_image(shape: tuple[int, int, int]) -> nn.Module:
    """A layer that reshapes each input to ``shape`` = (C, H, W)."""
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
