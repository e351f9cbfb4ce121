"""The rule contract: ``direction(updates) → Direction``, with state that can be saved."""

from dataclasses import dataclass

import torch

from fairfl.gram import combine, gram_matrix
from fairfl.updates import Updates


@dataclass(frozen=True)
class Direction:
    """What a rule decided. The server steps ``w ← w − η vector``.

    ``vector`` (d,), in the updates' dtype and device. ``weights`` (K,) float64 on the CPU: λ with
    ``vector = Gᵀ λ``; ``None`` where no single weight per client exists. ``rates`` (K,): ``ρ = G vector``,
    positive where this step lowers the client's loss to first order; ``None`` where not computed.
    ``exact`` is ``False`` where the method's own formula had no answer, and ``reason`` says why and what was
    done instead.
    """

    vector: torch.Tensor
    weights: torch.Tensor | None = None
    rates: torch.Tensor | None = None
    exact: bool = True
    reason: str = ""


class Rule:
    """What a server does with the updates of one round.

    A subclass answers ``combine(updates) → Direction``. ``needs`` lists what it reads beyond gradients and
    shares ("losses", "accuracies", "layout", …): ``train`` provides these or refuses by name before the
    first round. ``needs_everyone`` is true for rules defined under full participation only.
    """

    needs: frozenset[str] = frozenset()
    needs_everyone: bool = False

    @property
    def name(self) -> str:
        return type(self).__name__

    def direction(self, updates: Updates) -> Direction:
        """The direction of this round; may change the rule's state.

        Raises ``ValueError`` if the updates lack something in ``needs``.
        """
        updates.require(*sorted(self.needs), by=self.name)
        if self.needs_everyone and len(updates) < updates.population:
            raise ValueError(f"{self.name} is defined for full participation, and {len(updates)} of "
                             f"{updates.population} clients took part in round {updates.round}; use participation=1.0")
        return self.combine(updates)

    def combine(self, updates: Updates) -> Direction:
        raise NotImplementedError(f"{self.name} must define combine(updates), or weights(gram, updates) as a GramRule")

    def state_dict(self) -> dict:
        """The rule's memory, as tensors and plain numbers; empty for rules without memory."""
        return {}

    def load_state_dict(self, state: dict) -> None:
        """Continue from ``state``, bit for bit."""
        if state:
            raise ValueError(f"{self.name} keeps no state, but was given {sorted(state)}")


class GramRule(Rule):
    """A rule that chooses weights λ from the Gram matrix ``A = G Gᵀ`` and a few numbers per client.

    A subclass answers ``weights(gram, updates) → λ`` with ``gram`` (K, K) float64 on the CPU; λ (K,) likewise.
    The base class reads the gradients twice: once for A, once for ``Gᵀ λ``.
    """

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor:
        raise NotImplementedError(f"{self.name} must define weights(gram, updates)")

    def combine(self, updates: Updates) -> Direction:
        gram = gram_matrix(updates.gradients)
        weights = torch.as_tensor(self.weights(gram, updates), dtype=torch.float64)
        return Direction(combine(updates.gradients, weights), weights, gram @ weights)
