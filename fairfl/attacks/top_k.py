"""``TopK``: clients send only the largest entries of their updates."""

import math
from dataclasses import dataclass, replace
from typing import Any

import torch

from fairfl._validation import boolean, number
from fairfl.errors import Refused
from fairfl.updates import Updates


@dataclass
class TopK:
    """Keep the ``⌈fraction · d⌉`` entries of every update that are largest in absolute value, and set the others to 0.

    With ``error_feedback``, a client adds what it did not send to its update in the next round in which it takes part:
    ``p_k = g_k + e_k``, it sends ``top(p_k)``, and ``e_k ← p_k − top(p_k)``. What clients hold back, ``e_k`` (d,) per
    client, is the state of this object; it is saved in checkpoints. Source: Stich, Cordonnier and Jaggi 2018,
    "Sparsified SGD with Memory".

    Raises ``Refused`` for a fraction outside (0, 1].

    >>> from fairfl import Updates, attacks
    >>> compress = attacks.TopK(fraction=0.5)
    >>> [compress(Updates([[3.0, 2.0]], round=t)).gradients.tolist() for t in range(2)]
    [[[3.0, 0.0]], [[0.0, 4.0]]]
    """

    fraction: float
    error_feedback: bool = True

    def __post_init__(self) -> None:
        number("fraction", self.fraction, 0, 1, "It is the fraction of an update's entries that are sent.", above=True)
        self.error_feedback = boolean("error_feedback", self.error_feedback)
        self._held_back: dict[int, torch.Tensor] = {}

    def __call__(self, updates: Updates) -> Updates:
        sent = torch.zeros_like(updates.gradients)
        # A fraction such as 0.1 · 30 = 3.0000000000000004 is 3 entries.
        count = max(1, math.ceil(self.fraction * sent.shape[1] - 1e-9))
        for row, g, client in zip(sent, updates.gradients, updates.clients.tolist()):
            if self.error_feedback and client in self._held_back:
                g = g + self._held_back[client].to(g)
            largest = torch.topk(g.abs(), count, sorted=False).indices
            row[largest] = g[largest]
            if self.error_feedback:
                self._held_back[client] = g - row
        return replace(updates, gradients=sent)

    def state_dict(self) -> dict[str, Any]:
        """What each client held back, by its number."""
        return {"held_back": dict(self._held_back)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. Raises ``Refused`` if it is not what ``state_dict`` returned."""
        held = state.get("held_back") if isinstance(state, dict) else None
        if not isinstance(held, dict):
            raise Refused("the saved state of TopK has no 'held_back'; pass the result of state_dict()", "state")
        self._held_back = dict(held)
