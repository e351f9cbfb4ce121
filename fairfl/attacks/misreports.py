"""``Bias`` and ``Scaling``: a client that misreports its loss or its update."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from fairfl._validation import integer, known, number
from fairfl.updates import Updates

LOSSES = ("losses", "losses_after")
PARTS = ("both", "update", "loss")
ATTACKER = "the attacking client"


def _row(client: int, updates: Updates) -> int | None:
    """The row of ``client`` in this round; ``None`` if it does not take part."""
    client = integer(ATTACKER, client, 0, "Name a client of the federation.", high=updates.population - 1)
    found = (updates.clients == client).nonzero().flatten().tolist()
    return found[0] if found else None


def _changed(values: torch.Tensor, row: int, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    values = values.clone()
    values[row] = change(values[row])
    return values


@dataclass(frozen=True)
class Bias:
    """``client`` adds ``constant`` to every loss that it reports: ``f_k + b``. Its update is unchanged, because
    ``∇(f_k + b) = ∇f_k``.

    Rules that read no losses are not affected. A negative constant makes the client look better than it is. Source: Hu
    et al. 2022 (FedMGDA+), section 6.2.2, the bias attack (constants 1000, 5000 and 10000 on Adult's PhD domain).

    >>> from fairfl import Updates, attacks
    >>> attacks.Bias(client=1, constant=1000)(Updates([[1.0], [2.0]], losses=[0.5, 0.25])).losses.tolist()
    [0.5, 1000.25]
    """

    client: int
    constant: float

    def __post_init__(self) -> None:
        integer(ATTACKER, self.client, 0, "Name a client of the federation.")
        number("constant", self.constant, remedy="It is added to the client's loss.")

    def __call__(self, updates: Updates) -> Updates:
        row = _row(self.client, updates)
        if row is None:
            return updates
        add = lambda loss: loss + self.constant
        losses = updates.losses if updates.losses is None else _changed(updates.losses, row, add)
        extras = {
            name: _changed(value, row, add) if name in LOSSES else value for name, value in updates.extras.items()
        }
        return replace(updates, losses=losses, extras=extras)


@dataclass(frozen=True)
class Scaling:
    """``client`` multiplies its loss by ``factor``, ``c f_k``, and with it its gradient and the decrease of its Newton
    step.

    ``part="both"`` is the paper's attack if a round is one local step. With several steps, a client that trains on
    ``c f_k`` does not simply move c times as far. ``"update"`` scales only the update, ``"loss"`` only the reported
    losses. Source: Hu et al. 2022 (FedMGDA+), section 6.2.2, the scaling attack.
    """

    client: int
    factor: float
    part: str = "both"

    def __post_init__(self) -> None:
        integer(ATTACKER, self.client, 0, "Name a client of the federation.")
        number("factor", self.factor, 0, remedy="It multiplies the client's loss; 1 changes nothing.", above=True)
        known("part of a scaling attack", self.part, PARTS)

    def __call__(self, updates: Updates) -> Updates:
        row = _row(self.client, updates)
        if row is None:
            return updates
        grow = lambda value: value * self.factor
        gradients, losses, grown = updates.gradients, updates.losses, set()
        if self.part != "loss":
            gradients = _changed(gradients, row, grow)
            grown.add("newton_rates")
        if self.part != "update":
            losses = losses if losses is None else _changed(losses, row, grow)
            grown.update(LOSSES)
        extras = {
            name: _changed(value, row, grow) if name in grown else value for name, value in updates.extras.items()
        }
        return replace(updates, gradients=gradients, losses=losses, extras=extras)
