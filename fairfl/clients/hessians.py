"""A client's exact gradient and Hessian. In: a model, its rows and a point. Out: both in float64."""

import torch

from fairfl.clients.flat_model import FlatModel
from fairfl.clients.losses import Loss
from fairfl.clients.slots import Examples
from fairfl.errors import Refused

# Rows of a Hessian that are computed at once: all of them would fill the memory with d copies of a client's batch.
CHUNK = 64


def derivatives(
    flat: FlatModel, data: Examples, rows: torch.Tensor, w: torch.Tensor, loss: Loss, ridge: float, hessian: bool = True
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """``∇f(w)`` (d,) and, if ``hessian``, ``∇²f(w)`` (d, d), for ``f`` = the mean loss on ``rows`` + ridge/2 ‖w‖².

    By automatic differentiation, twice. The model is evaluated in float64 whatever its own type is, and left as it is.
    Raises ``Refused`` for a model that casts its numbers to another type on the way.
    """
    double = lambda t: t.double() if t.is_floating_point() else t
    inputs, targets = double(data.inputs[rows]), double(data.targets[rows])
    held = {name: double(value) for name, value in flat.module.state_dict().items()}

    def f(v: torch.Tensor) -> torch.Tensor:
        own = {name: piece[0] for name, piece in flat.split(v[None]).items()}
        outputs = torch.func.functional_call(flat.module, held | own, (inputs,))
        return loss(outputs, targets).mean() + ridge / 2 * (v @ v)

    slope, at = torch.func.grad(f), w.double()
    try:
        if not hessian:
            return slope(at), None
        H = torch.func.jacrev(slope, chunk_size=CHUNK)(at)
        return slope(at), (H + H.T) / 2
    except RuntimeError as error:
        if "dtype" not in str(error):
            raise
        raise Refused(
            f"a second-order method evaluates the model in float64, and its forward changes the type of numbers on the "
            f"way ({str(error).splitlines()[0]}); take casts such as .float() or .bfloat16() out of it, or use LocalSGD"
        ) from error
