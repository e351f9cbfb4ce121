"""Floating-point precision on a CUDA device: full float32 in a fixed order, unless TF32 is requested."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from fairfl._validation import known
from fairfl.errors import refuse

PRECISIONS = ("float32", "tf32")


def a_precision(name: str, device: torch.device) -> str:
    """``name``, if ``device`` supports this precision."""
    known("precision", name, PRECISIONS)
    if name != "float32" and device.type != "cuda":
        remedy = "Only CUDA devices support TF32."
        raise refuse("precision", name, f"'float32' on {device.type}", remedy, "combination")
    return name


@contextmanager
def arithmetic(precision: str, device: torch.device) -> Iterator[None]:
    """Set the precision of products and convolutions on a CUDA device, such that equal runs give equal bits.

    By default PyTorch's convolutions use TF32 (ten bits of mantissa), and cuDNN's fastest algorithms add in an order
    that changes from call to call. The previous settings are restored at the end. On a CPU nothing changes.
    """
    if device.type != "cuda":
        yield
        return
    cudnn, products = torch.backends.cudnn, torch.get_float32_matmul_precision()
    before = cudnn.deterministic, cudnn.benchmark, cudnn.allow_tf32
    try:
        cudnn.deterministic, cudnn.benchmark, cudnn.allow_tf32 = True, False, precision == "tf32"
        torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
        yield
    finally:
        cudnn.deterministic, cudnn.benchmark, cudnn.allow_tf32 = before
        torch.set_float32_matmul_precision(products)
