"""A client's exact gradient and Hessian at a point, in float64."""

import torch

from fairfl.clients.flat_model import FlatModel
from fairfl.clients.losses import Loss
from fairfl.clients.slots import Examples
from fairfl.errors import Refused

# Rows of a Hessian computed at a time. All at once would fill the memory with d copies of a client's batch.
CHUNK = 64


def derivatives(
    flat: FlatModel, data: Examples, rows: torch.Tensor, w: torch.Tensor, loss: Loss, ridge: float, hessian: bool = True
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """``∇f(w)`` (d,) and, if ``hessian``, ``∇²f(w)`` (d, d), for ``f`` = the mean loss on ``rows`` + ridge/2 ‖w‖².

    Computed by automatic differentiation, applied twice. The model is evaluated in float64 whatever its own type, and
    is left unchanged. Raises ``Refused`` for a model whose ``forward`` casts to another type.
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
            f"the model's forward changes the type of its numbers ({str(error).splitlines()[0]}), and a second-order "
            f"method needs float64 throughout; remove casts such as .float() or .bfloat16(), or use LocalSGD",
            "type",
        ) from error
