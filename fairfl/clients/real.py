"""Numbers that methods on clients are given by hand. In: tensors, arrays or lists. Out: a tensor, or a refusal."""

import torch
from numpy.typing import ArrayLike

from fairfl.errors import refuse


def real(what: str, values: ArrayLike | torch.Tensor) -> torch.Tensor:
    """``values`` as float64, without the graph that made them; ``Refused`` for what is no real numbers."""
    try:
        tensor = torch.as_tensor(values).detach()
    except (TypeError, ValueError, RuntimeError):
        allowed = "numbers as a tensor, an array, or lists of one length"
        raise refuse(what, type(values).__name__, allowed, "Stack them, one client a row.") from None
    if tensor.is_complex():
        raise refuse(what, "complex numbers", "real numbers", "A gradient of a loss is real.")
    return tensor.double()
