"""A rule, a change of form and an attack that no paper proposes as a method, but that tables need."""

from dataclasses import dataclass, replace

import torch

from fairfl.errors import refuse
from fairfl.rules import GramRule
from fairfl.updates import Updates


class OneClient(GramRule):
    """``dir = g_k`` for one ``client`` k: the model that this client would train alone, evaluated on all clients. No state.

    FedMGDA+'s Table 7 has it as "Baseline". Raises ``Refused`` in a round in which the client does not take part.
    """

    def __init__(self, client: int) -> None:
        self.client = int(client)

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor:
        if self.client not in updates.clients.tolist():
            raise refuse(
                "the one client",
                self.client,
                f"a client of this round: {updates.clients.tolist()}",
                "Use full participation.",
                "missing",
            )
        return (updates.clients == self.client).to(torch.float64)


@dataclass(frozen=True)
class UnitRows:
    """Divide every update by its norm before the rule sees it, as FedMGDA+ does, and some code does for every rule.

    It is not an attack, but has the form of one.
    """

    def __call__(self, updates: Updates) -> Updates:
        rows = updates.gradients
        return replace(updates, gradients=rows / rows.norm(dim=1, keepdim=True).clamp(min=torch.finfo(rows.dtype).tiny))


@dataclass(frozen=True)
class TotalLoss:
    """An attack on rules that receive *total* losses, as FedMGDA+'s q-FedAvg does on Adult (its Figure 2).

    Client k reports ``sizes[k] · f_k``, and ``client`` adds ``constant``. Updates are unchanged. Raises ``Refused`` if ``sizes`` does
    not have one number per client.
    """

    sizes: tuple[int, ...]
    client: int = 0
    constant: float = 0.0

    def __call__(self, updates: Updates) -> Updates:
        if len(self.sizes) != updates.population:
            raise refuse(
                "sizes",
                self.sizes,
                f"{updates.population} numbers, one per client",
                "Give every client's number of training rows.",
                "shape",
            )
        totals = torch.tensor(self.sizes, dtype=torch.float64)[updates.clients] * updates.losses
        totals[updates.clients == self.client] += self.constant
        return replace(updates, losses=totals)
