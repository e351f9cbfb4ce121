"""Which of the connected nodes are asked in a round."""

from collections.abc import Container, Mapping, Sequence

import torch

from fairfl._randomness import generator
from fairfl.deployment.coordinator import Coordinator
from fairfl.errors import Refused


def sampled(nodes: Sequence[int], fraction: float, at_least: int, seed: int, round: int) -> list[int]:
    """``max(int(fraction · n), at_least)`` of the n ``nodes``, or all if there are fewer, in their order.

    This is the number that Flower's FedAvg asks. Drawn without replacement, keyed by ``seed`` and ``round``.
    """
    count = max(int(len(nodes) * fraction), at_least)
    if count >= len(nodes):
        return list(nodes)
    chosen = torch.randperm(len(nodes), generator=generator(seed, "nodes", round))[:count].sort().values
    return [nodes[i] for i in chosen.tolist()]


def nodes_of(clients: Container[int], nodes: Sequence[int], roster: Mapping[int, int]) -> list[int]:
    """The connected ``nodes`` of these ``clients``, in their order. ``roster``: node → client number."""
    return [node for node in nodes if node in roster and roster[node] in clients]


def refuse_two_samples(
    coordinator: Coordinator, roster: Mapping[int, int] | None, fraction: float, at_least: int
) -> None:
    """Raise ``Refused`` if the coordinator draws clients whose nodes are unknown, or if nodes are drawn as well."""
    if coordinator.asks_everyone:
        return
    drawn = f"the coordinator's participation is {coordinator.participation!r}, so it draws clients"
    if roster is None:
        raise Refused(
            f"{drawn}, and without a roster their nodes are unknown; pass roster=, or draw nodes with fraction_train "
            f"and leave participation out",
            "missing",
        )
    if fraction < 1 or at_least > 1:
        raise Refused(
            f"{drawn}, and fraction_train={fraction:g}, min_train_nodes={at_least} would draw nodes as well; use one "
            f"of the two",
            "combination",
        )
