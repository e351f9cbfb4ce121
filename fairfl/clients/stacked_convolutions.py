"""Compute the convolutions of stacked models as matrix products.

A stacked convolution has weights of its own for every slot. PyTorch runs it as one convolution in groups, for which
cuDNN has no fast algorithm in float32. Here, the patches under the kernel become the rows of a matrix, and a slot's
convolution is one product. This costs memory: a patch repeats a pixel up to k² times.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class AsProducts(TorchFunctionMode):
    """Within this context, ``conv2d`` in one group and with padding in numbers is a matrix product.

    The results differ from PyTorch's own by rounding. Other convolutions are left as they are.
    """

    def __torch_function__(
        self, function: Callable, types: Iterable, args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        if function is torch.conv2d and (wanted := _settings(*args, **given)):
            return _product(**wanted)
        return function(*args, **given)


def _settings(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | tuple = 1,
    padding: int | str | tuple = 0,
    dilation: int | tuple = 1,
    groups: int = 1,
) -> dict | None:
    """The arguments of ``_product``; ``None`` for a convolution that it does not compute."""
    both = lambda one: (one, one) if isinstance(one, int) else tuple(one) * (2 // len(one))
    if isinstance(padding, str) or groups != 1 or input.dim() != 4 or both(dilation) != (1, 1):
        return None
    return {"images": input, "weight": weight, "bias": bias, "stride": both(stride), "padding": both(padding)}


def _product(
    images: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, stride: tuple, padding: tuple
) -> torch.Tensor:
    """``images`` (N, C, H, W) under ``weight`` (O, C, k, l): (N, O, H', W')."""
    if any(padding):
        images = torch.nn.functional.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    patches = images.unfold(2, weight.shape[2], stride[0]).unfold(3, weight.shape[3], stride[1])
    n, _, high, wide = patches.shape[:4]
    rows = patches.permute(0, 2, 3, 1, 4, 5).reshape(n * high * wide, -1)
    products = rows @ weight.flatten(1).T
    if bias is not None:
        products = products + bias
    # Contiguous, because vmap refuses to tell layers such as GroupNorm about any other order in memory.
    return products.view(n, high, wide, -1).permute(0, 3, 1, 2).contiguous()
