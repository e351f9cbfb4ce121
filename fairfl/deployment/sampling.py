"""Sample the connected nodes that are asked in a round."""

from collections.abc import Sequence

import torch

from fairfl._randomness import generator


def sampled(nodes: Sequence[int], fraction: float, at_least: int, seed: int, round: int) -> list[int]:
    """``max(int(fraction · n), at_least)`` of the n ``nodes``, or all if there are fewer, in their order.

    This is the number that Flower's FedAvg asks. Drawn without replacement, keyed by ``seed`` and ``round``.
    """
    count = max(int(len(nodes) * fraction), at_least)
    if count >= len(nodes):
        return list(nodes)
    chosen = torch.randperm(len(nodes), generator=generator(seed, "nodes", round))[:count].sort().values
    return [nodes[i] for i in chosen.tolist()]
