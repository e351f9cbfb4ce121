"""The rule contract: ``direction(updates) → Direction``, with state that can be saved."""

import inspect
import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from fairfl._validation import rule_columns, rule_weights
from fairfl.errors import Refused, refuse
from fairfl.rules.gram import combine, gram_matrix, rates
from fairfl.updates import Updates


@dataclass(frozen=True)
class Direction:
    """What a rule decided. The server steps ``w ← w − η vector``.

    ``vector`` (d,), in the updates' dtype and device. ``weights`` (K,) float64 on the CPU: λ with
    ``vector = Gᵀ λ``; ``None`` where there is no single weight per client. ``rates`` (K,) float64 on the CPU:
    ``ρ = G vector``, positive where this step lowers the client's loss to first order; ``None`` where not computed.
    ``reason``: empty, or why the method's own formula had no answer and what was done instead.
    """

    vector: torch.Tensor
    weights: torch.Tensor | None = None
    rates: torch.Tensor | None = None
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether this is the answer of the method's own formula."""
        return not self.reason


@dataclass(frozen=True)
class Weights:
    """Weights λ (K,) float64 with a ``reason``, which a rule returns where its formula had no answer."""

    values: torch.Tensor
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether these are the weights of the method's own formula."""
        return not self.reason


class Rule:
    """What a server does with the updates of one round.

    A subclass answers ``combine(updates) → Direction``. ``needs`` lists what it reads beyond gradients and
    shares ("losses", "accuracies", "layout", …): ``train`` provides these or refuses by name before the
    first round. ``needs_everyone`` is true for rules defined under full participation only. ``remembers`` names
    what lasts from round to round: ``remembers = ("counts",)`` is kept in ``self._counts``, a tensor or a plain
    number, and this is ``None`` before the first round without anybody setting it. (Public attributes are settings; a
    checkpoint compares them, and ``repr`` shows those that differ from the defaults.)
    """

    needs: frozenset[str] = frozenset()
    needs_everyone: bool = False
    remembers: tuple[str, ...] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for what, several in (("needs", "frozenset({%r})"), ("remembers", "(%r,)")):
            if isinstance(name := getattr(cls, what), str):
                raise refuse(
                    f"{cls.__name__}.{what}", name, "several names, one by one", f"Write {what} = {several % name}."
                )
        if isinstance(cls.needs, (tuple, list, set)):
            cls.needs = frozenset(cls.needs)
        if isinstance(cls.remembers, (tuple, list)):
            for what in cls.remembers:
                if not hasattr(cls, f"_{what}"):
                    setattr(cls, f"_{what}", None)

    @property
    def name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        shown = []
        for setting, parameter in inspect.signature(type(self)).parameters.items():
            value = vars(self).get(setting, parameter.default)
            told = reprlib.repr(value.tolist()) if torch.is_tensor(value) else repr(value)
            if told != repr(parameter.default):
                shown.append(f"{setting}={told}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def direction(self, updates: Updates) -> Direction:
        """The direction of this round; may change the rule's state.

        Raises ``Refused`` if the updates lack something in ``needs``, and for an answer that is no ``Direction``
        with tensors.
        """
        updates.require(*sorted(self.needs), by=self.name)
        if self.needs_everyone and len(updates) < updates.population:
            raise Refused(
                f"{self.name} is defined for full participation, and {len(updates)} of "
                f"{updates.population} clients took part in round {updates.round}; use participation=1.0"
            )
        decided = self.combine(updates)
        if not isinstance(decided, Direction) or not isinstance(decided.vector, torch.Tensor):
            raise refuse(
                f"what {self.name}.combine returns",
                decided,
                "a Direction, whose vector is a tensor",
                "End combine with return Direction(vector).",
            )
        rule_columns(self.name, {"weights": decided.weights, "rates": decided.rates})
        return decided

    def combine(self, updates: Updates) -> Direction:
        raise NotImplementedError(
            f"{self.name} must define combine(updates), or weights(updates) as a WeightRule, or "
            "weights(gram, updates) as a GramRule"
        )

    def observe(self, w: torch.Tensor) -> None:
        """Take note of the new model ``w`` (d,), which the server's step led to; once a round."""

    def report(self, w: torch.Tensor) -> torch.Tensor:
        """The model to evaluate, given the new ``w`` (d,). Changes nothing, however often it is asked."""
        return w

    def state_dict(self) -> dict:
        """The rule's memory, as tensors and plain numbers; empty before the first round and for rules without."""
        state = {name: getattr(self, f"_{name}", None) for name in self.remembers}
        if all(value is None for value in state.values()):
            return {}
        return {name: value.clone() if torch.is_tensor(value) else value for name, value in state.items()}

    def load_state_dict(self, state: dict) -> None:
        """Continue from ``state``, bit for bit; an empty state starts afresh."""
        if state and not self.remembers:
            raise Refused(f"{self.name} keeps no state, but was given {sorted(state)}")
        if state and set(state) != set(self.remembers):
            raise Refused(
                f"{self.name}'s state is made of {sorted(self.remembers)}, but was given "
                f"{sorted(state)}; load what this rule's own state_dict() returned"
            )
        for name in self.remembers:
            value = state.get(name)
            setattr(self, f"_{name}", value.clone() if torch.is_tensor(value) else value)


class WeightRule(Rule):
    """A rule that chooses weights λ from a few numbers per client and no look at their updates.

    A subclass answers ``weights(updates) → λ`` (K,); or ``Weights(λ, reason)`` where something has to be said
    about it. The base class reads the gradients twice: once for ``Gᵀ λ``, once for the rates.
    """

    def weights(self, updates: Updates) -> torch.Tensor | Weights:
        raise NotImplementedError(f"{self.name} must define weights(updates)")

    def combine(self, updates: Updates) -> Direction:
        answer, rows = _checked(self.weights(updates), self.name, len(updates)), updates.gradients
        # One look serves both ends of what the type holds; the squares that it adds only leave it sooner.
        vector = combine(rows, answer.values, look=False)
        length = float(torch.linalg.vector_norm(vector))
        if not math.isfinite(length):
            vector = combine(rows, answer.values)
        # Only a vector as short as this can have lost anything, and then its rates are not those of the weights.
        if length < 2 * torch.finfo(vector.dtype).tiny:
            told = gram_matrix(rows) @ answer.values
            answer = _unless_lost(answer, told, vector.dtype)
            return Direction(vector, answer.values, told, answer.reason)
        return Direction(vector, answer.values, rates(rows, vector), answer.reason)


class GramRule(Rule):
    """A rule that chooses weights λ from the Gram matrix ``A = G Gᵀ`` and a few numbers per client.

    A subclass answers ``weights(gram, updates) → λ`` with ``gram`` (K, K) float64 on the CPU; λ (K,) likewise, or
    ``Weights(λ, reason)`` where something has to be said about it.
    The base class reads the gradients twice: once for A, once for ``Gᵀ λ``. ``WeightRule`` does without A.
    """

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        raise NotImplementedError(f"{self.name} must define weights(gram, updates)")

    def combine(self, updates: Updates) -> Direction:
        gram = gram_matrix(updates.gradients)
        answer = _checked(self.weights(gram, updates), self.name, len(updates))
        vector = combine(updates.gradients, answer.values, gram.diagonal().sqrt())
        rates = gram @ answer.values
        answer = _unless_lost(answer, rates, vector.dtype)
        return Direction(vector, answer.values, rates, answer.reason)


def _checked(answer: torch.Tensor | Weights, rule: str, clients: int) -> Weights:
    if isinstance(answer, Weights):
        return replace(answer, values=rule_weights(rule, answer.values, clients))
    return Weights(rule_weights(rule, answer, clients))


def _unless_lost(answer: Weights, rates: torch.Tensor, dtype: torch.dtype) -> Weights:
    """``answer``, with a remark where the direction is too short for its type. ``rates`` (K,): ``A λ``."""
    largest = answer.values.abs().max()
    length = float(largest * (answer.values / largest @ (rates / largest)).clamp(min=0).sqrt()) if largest > 0 else 0.0
    lost = too_short(length, dtype)
    return Weights(answer.values, "; ".join(filter(None, (answer.reason, lost)))) if lost else answer


def too_short(length: float, dtype: torch.dtype) -> str:
    """A remark where a direction of this ``length`` has lost digits, for its type holds no such numbers; else ""."""
    if not 0 < length < torch.finfo(dtype).tiny:
        return ""
    return f"the direction's length {length:.1e} is below what {dtype} holds; use float64 updates"


def nonzero(gram: torch.Tensor, updates: Updates) -> tuple[torch.Tensor, str]:
    """The rows that are not zero (their indices), and a sentence that names the clients of those that are.

    A zero update belongs to the hull of any set of updates, as its nearest point to the origin: left in, it would
    freeze everybody. Rules that look for a nearest point or a unit vector set such clients aside.
    """
    keep = (gram.diagonal() > 0).nonzero().flatten()
    if len(keep) == len(gram):
        return keep, ""
    absent = updates.clients[gram.diagonal() <= 0].tolist()
    who = f"client {absent[0]}" if len(absent) == 1 else f"clients {', '.join(map(str, absent[:8]))}"
    who += f" and {len(absent) - 8} more" if len(absent) > 8 else ""
    return keep, f"{who} sent a zero update and was set aside" if len(
        absent
    ) == 1 else f"{who} sent zero updates and were set aside"


def part(gram: torch.Tensor, updates: Updates, keep: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The Gram matrix and the rows of the clients at ``keep``; the rows are not copied where these are all."""
    return gram[keep][:, keep], updates.gradients if len(keep) == len(gram) else updates.gradients[keep]


def of_nonzero(gram: torch.Tensor, updates: Updates, solve: Callable[..., Weights]) -> Weights:
    """Zero for clients with a zero update, who are named; for the others what ``solve(gram, rows, keep)`` says, asked
    with their part alone.
    """
    keep, reason = nonzero(gram, updates)
    weights = torch.zeros(len(updates), dtype=torch.float64)
    if len(keep) == 0:
        return Weights(weights, reason)
    found = solve(*part(gram, updates, keep), keep)
    weights[keep] = found.values
    return Weights(weights, "; ".join(filter(None, (reason, found.reason))))
