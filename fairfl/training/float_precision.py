"""What a CUDA card may round: exact float32 in a fixed order, unless TF32 is asked for by name."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from fairfl.errors import refuse, unknown

PRECISIONS = ("float32", "tf32")


def a_precision(name: str, device: torch.device) -> str:
    """``name``, if ``device`` computes so."""
    if name not in PRECISIONS:
        raise unknown("precision", name, PRECISIONS)
    if name != "float32" and device.type != "cuda":
        raise refuse("precision", name, f"'float32' on {device.type}", "TF32 is what CUDA cards alone can do.")
    return name


@contextmanager
def arithmetic(precision: str, device: torch.device) -> Iterator[None]:
    """Inside, products and convolutions on a card are those of ``precision``, and the same run gives the same bits.

    PyTorch's own convolutions are TF32 (ten bits of mantissa) unless told otherwise, and cuDNN's fastest algorithms add
    in an order that changes from call to call. What was set before is set again at the end; a CPU is left as it is.
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
