"""``Clip``: bound the length of every client's update."""

from dataclasses import dataclass, replace

import torch

from fairfl._validation import number
from fairfl.updates import Updates


@dataclass(frozen=True)
class Clip:
    """Scale every update that is longer than ``norm`` down to this L2 norm: ``g_k ← g_k · min(1, norm / ‖g_k‖)``.

    All other numbers that clients report stay as they are. Followed by ``GaussianNoise``, this is the mechanism of
    differentially private federated averaging (McMahan et al. 2018, "Learning Differentially Private Recurrent Language
    Models", flat clipping). Raises ``Refused`` for a norm that is not positive.

    >>> from fairfl import Updates, attacks
    >>> attacks.Clip(norm=1.0)(Updates([[3.0, 4.0], [0.0, 0.5]])).gradients
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    """

    norm: float

    def __post_init__(self) -> None:
        number("norm", self.norm, 0, remedy="It is the largest L2 norm of a client's update.", above=True)

    def __call__(self, updates: Updates) -> Updates:
        lengths = torch.linalg.vector_norm(updates.gradients, dim=1, keepdim=True, dtype=torch.float64)
        factors = (self.norm / lengths).clamp(max=1).to(updates.gradients.dtype)
        return replace(updates, gradients=updates.gradients * factors)
