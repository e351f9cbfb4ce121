"""What a reader's rule answers, checked before anybody reckons with it: a refusal names the rule, not a matrix."""

import torch

from fairfl.errors import Diverged, refuse
from fairfl.given import tensor


def weights(rule: str, values: object, clients: int) -> torch.Tensor:
    """``values``, the weights that ``rule`` chose, as (K,) float64 on the CPU. Raises ``Refused`` for what is not one
    real number per client.
    """
    taken = tensor(f"what {rule} returns as weights", values).double().cpu()
    _one_per_client(f"{rule}'s weights", taken, clients)
    return taken


def columns(rule: str, given: dict[str, object], clients: int) -> None:
    """Refuse a ``Direction``'s ``weights`` or ``rates`` (by name; ``None`` and what is yet to be computed may stand)
    that are not a tensor with one number per client; ``Diverged`` where a rate is not finite.
    """
    for name, values in given.items():
        if values is None or callable(values):
            continue
        if not isinstance(values, torch.Tensor):
            raise refuse(
                f"the kind of {rule}'s {name}",
                type(values).__name__,
                "a tensor (K,), or None",
                "Write torch.tensor(...).",
            )
        _one_per_client(f"{rule}'s {name}", values, clients)
    found = given.get("rates")
    if isinstance(found, torch.Tensor) and not bool(torch.isfinite(found).all()):
        raise Diverged(
            f"{rule}'s rates have non-finite entries; a rate is the product of an update and the direction. Look at "
            "the updates' sizes, and at how the rule computes its rates"
        )


def _one_per_client(what: str, values: torch.Tensor, clients: int) -> None:
    if values.shape != (clients,):
        raise refuse(
            f"the shape of {what}",
            tuple(values.shape),
            f"({clients},), one number per client",
            "Answer for each row of gradients, zero where a client does not count.",
        )
