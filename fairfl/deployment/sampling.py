"""Which of the connected nodes are asked in a round."""

from collections.abc import Sequence

import torch

from fairfl._randomness import generator


def sampled(nodes: Sequence[int], fraction: float, at_least: int, seed: int, round: int) -> list[int]:
    """``max(int(fraction · n), at_least)`` of the n ``nodes``, or all if they are fewer, in their order.

    So many as Flower's FedAvg asks. Drawn without replacement, keyed by ``seed`` and ``round``.
    """
    count = max(int(len(nodes) * fraction), at_least)
    if count >= len(nodes):
        return list(nodes)
    chosen = torch.randperm(len(nodes), generator=generator(seed, "nodes", round))[:count].sort().values
    return [nodes[i] for i in chosen.tolist()]
