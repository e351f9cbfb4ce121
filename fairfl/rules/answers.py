"""What a reader's rule answers, checked before anybody reckons with it: a refusal names the rule, not a matrix."""

import torch

from fairfl.errors import Diverged, refuse
from fairfl.given import one_each, tensor


def weights(rule: str, values: object, clients: int) -> torch.Tensor:
    """``values``, the weights that ``rule`` chose, as (K,) float64 on the CPU. Raises ``Refused`` for what is not one
    real number per client.
    """
    taken = tensor(f"what {rule} returns as weights", values).double().cpu()
    remedy = "Answer for each row of gradients, zero where a client does not count."
    return one_each(f"{rule}'s weights", taken, clients, remedy)


def columns(rule: str, given: dict[str, object]) -> None:
    """Refuse a ``Direction``'s ``weights`` or ``rates`` (by name; ``None`` and what is yet to be computed may stand)
    that are not a tensor with one number per row; ``Diverged`` where a rate is not finite.

    How many rows is for the rule to say: it may have looked at some that it remembers.
    """
    for name, values in given.items():
        if values is None or callable(values):
            continue
        if not isinstance(values, torch.Tensor) or values.ndim != 1 or len(values) == 0:
            told = tuple(values.shape) if isinstance(values, torch.Tensor) else type(values).__name__
            raise refuse(
                f"the shape of {rule}'s {name}",
                told,
                "a tensor (K,), one number per row, or None",
                "Leave them out, or say all.",
            )
    found = given.get("rates")
    if isinstance(found, torch.Tensor) and not bool(torch.isfinite(found).all()):
        raise Diverged(
            f"{rule}'s rates have non-finite entries; a rate is the product of an update and the direction. Look at "
            "the updates' sizes, and at how the rule computes its rates"
        )
