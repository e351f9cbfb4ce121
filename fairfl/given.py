"""Numbers that somebody hands over. In: a tensor, an array or a list. Out: a tensor of real numbers, or a refusal."""

import reprlib

import numpy as np
import torch

from fairfl.errors import Refused, refuse


def tensor(name: str, values: object, *, precise: bool = True) -> torch.Tensor:
    """``values`` as a dense tensor of real numbers, without a graph, on the device where they are.

    A tensor is not copied. An array (NumPy's, or whatever turns into one) is, so that nothing its owner writes into it
    later is felt here. Python's floats become float64, or with ``precise=False`` PyTorch's default type.

    Raises ``Refused``, calling them ``name``, for what is no numbers, for complex and for sparse ones, and for floats
    that the type does not hold.
    """
    taken = _dense(name, values) if isinstance(values, torch.Tensor) else _copied(name, values, precise)
    if taken.is_complex():
        raise refuse(
            f"the type of {name}",
            str(taken.dtype),
            "real numbers",
            "Send real and imaginary parts as entries of their own; rates are real numbers.",
        )
    return taken


def one_each(
    name: str, values: torch.Tensor, clients: int, remedy: str, what: str = "number per client"
) -> torch.Tensor:
    """``values`` themselves; ``Refused`` where their shape is not (``clients``,)."""
    if values.shape != (clients,):
        raise refuse(f"the shape of {name}", tuple(values.shape), f"({clients},), one {what}", remedy)
    return values


def _dense(name: str, values: torch.Tensor) -> torch.Tensor:
    if values.layout != torch.strided or values.is_nested:
        kind = "nested" if values.is_nested else str(values.layout)
        raise refuse(f"the layout of {name}", kind, "dense tensors", "Hand over the tensor's to_dense().")
    return values.detach()


def _copied(name: str, values: object, precise: bool) -> torch.Tensor:
    try:
        if hasattr(values, "__array__"):
            return torch.from_numpy(np.array(values))
        taken = torch.as_tensor(values)
        if not taken.is_floating_point() or not precise and bool(torch.isfinite(taken).all()):
            return taken
        exact = torch.as_tensor(values, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        several = isinstance(values, (list, tuple)) and any(isinstance(value, torch.Tensor) for value in values)
        remedy = "Put the tensors together with torch.stack." if several else "Gaps and texts are no numbers."
        raise Refused(
            f"{name} is {reprlib.repr(values)}; allowed: numbers, as a tensor, an array, or lists of one length. "
            f"{remedy}"
        ) from error
    if precise:
        return exact
    if bool((torch.isfinite(exact) & ~torch.isfinite(taken)).any()):
        raise refuse(
            f"the largest entry of {name}",
            float(exact[torch.isfinite(exact)].abs().max()),
            f"up to {torch.finfo(taken.dtype).max:.1e}, which {taken.dtype} holds",
            "Lists are read as that type; hand over torch.tensor(..., dtype=torch.float64).",
        )
    return taken
