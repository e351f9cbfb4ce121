"""The interface of a rule: ``direction(updates) → Direction``, with a state that can be saved."""

import inspect
import math
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import torch
from numpy.typing import ArrayLike

from fairfl._torch_modes import in_plain_modes
from fairfl._validation import one_per_client, tensor
from fairfl.errors import Diverged, Refused, refuse
from fairfl.rules.given_gram import with_gram
from fairfl.rules.gram import combine, gram_matrix, rates
from fairfl.updates import Updates, Vector


@dataclass(frozen=True)
class Direction:
    """A rule's decision for one round. The server then steps ``w ← w − η vector``.

    ``vector`` (d,): the direction, in the updates' dtype and on their device. ``weights`` (K,), float64 on the CPU: λ
    with ``vector = Gᵀ λ``; ``None`` if there is no single weight per client. ``rates`` (K,), float64 on the CPU:
    ``ρ = G vector``, positive where this step lowers the client's loss to first order; ``None`` if the rule computes
    none. ``reason``: why the method's own formula has no solution for these updates, and what was done instead;
    otherwise empty.
    """

    vector: torch.Tensor
    weights: torch.Tensor | None = None
    rates: torch.Tensor | None = None
    _: KW_ONLY
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the method's own formula was solved; if not, ``reason`` says why."""
        return not self.reason


@dataclass(frozen=True)
class Weights:
    """Weights λ (K,), float64, with a ``reason`` if the method's own formula has no solution.

    A rule's ``weights`` returns this instead of a tensor if it has something to explain. ``weights_from`` also gives
    the ``rates`` ``ρ = A λ`` (K,), float64.
    """

    values: torch.Tensor
    _: KW_ONLY
    rates: torch.Tensor | None = None
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the method's own formula was solved; if not, ``reason`` says why."""
        return not self.reason


class Rule:
    """Base class of aggregation rules: what a server does with the updates of one round.

    A subclass defines ``combine(updates) → Direction``. ``needs`` lists what it reads beyond gradients and shares
    ("losses", "inclusion", …): ``train`` provides these, or raises an error that names them before the first
    round. ``needs_everyone`` is true for rules that are only defined under full participation. ``remembers`` lists the
    state that lasts from round to round: ``remembers = ("counts",)`` is kept in ``self._counts``, a tensor or a plain
    number, which is ``None`` before the first round and need not be initialised. (Public attributes are settings: a
    checkpoint compares them, and ``repr`` shows those that differ from the defaults.)
    """

    needs: frozenset[str] = frozenset()
    needs_everyone: bool = False
    remembers: tuple[str, ...] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for what, several in (("needs", "frozenset({%r})"), ("remembers", "(%r,)")):
            if isinstance(name := getattr(cls, what), str):
                remedy = f"Write {what} = {several % name}."
                raise refuse(f"{cls.__name__}.{what}", name, "a collection of names", remedy, "type")
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
            text = reprlib.repr(value.tolist()) if torch.is_tensor(value) else repr(value)
            if text != repr(parameter.default):
                shown.append(f"{setting}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    @in_plain_modes
    def direction(self, updates: Updates) -> Direction:
        """The direction of this round. May change the rule's state.

        Raises ``Refused`` if the updates lack something in ``needs``, or if ``combine`` does not return a ``Direction``
        made of tensors, and ``Diverged`` if a rate is not finite.
        """
        check_updates(updates)
        self._check_given(updates)
        try:
            decided = self.combine(updates)
        except (AttributeError, KeyError, TypeError) as error:
            if updates.losses is None or isinstance(error, KeyError):
                error.add_note(
                    f"{self.name} lists {sorted(self.needs)} in its needs. What a rule reads beyond gradients and "
                    f"shares has to be listed there, or nothing provides it: needs = frozenset({{'losses'}})."
                )
            raise
        if not isinstance(decided, Direction) or not isinstance(decided.vector, torch.Tensor):
            raise refuse(
                f"what {self.name}.combine returns",
                decided,
                "a Direction, whose vector is a tensor",
                "End combine with return Direction(vector).",
                "type",
            )
        _check_columns(self.name, decided)
        return decided

    def _check_given(self, updates: Updates) -> None:
        """Raise ``Refused`` if the updates lack something that this rule needs."""
        updates.require(*sorted(self.needs), by=self.name)
        if self.needs_everyone and len(updates) < updates.population:
            raise Refused(
                f"{self.name} is defined for full participation, and {len(updates)} of "
                f"{updates.population} clients took part in round {updates.round}; use participation=1.0",
                "combination",
            )

    def weights_from(
        self,
        gram: ArrayLike,
        *,
        losses: Vector | None = None,
        shares: Vector | None = None,
        extras: Mapping[str, Any] = {},
        **others: Any,
    ) -> Weights:
        """The weights and rates of this rule for a Gram matrix ``A = G Gᵀ`` (K, K) that you computed yourself.

        They are those of ``direction(updates)`` for updates with this Gram matrix; ``others`` are further keywords of
        ``Updates``. Only a ``GramRule`` and a ``WeightRule`` have them. The direction itself is ``Gᵀ λ``. Compute the
        matrix in float64: which rows count as dependent is decided at about 1e-12 of their lengths. May change the
        rule's state, as ``direction`` does.

        Raises ``Refused`` for a rule that is no function of A, for a matrix that is not symmetric, finite and positive
        semidefinite up to rounding, and if the rule needs numbers that are not given.
        """
        raise Refused(
            f"{self.name} is no function of the Gram matrix: it reads the updates themselves; pass them, "
            f"rule.direction(Updates(rows, ...)), or take a rule that is a GramRule or a WeightRule",
            "combination",
        )

    def combine(self, updates: Updates) -> Direction:
        raise NotImplementedError(
            f"{self.name} must define combine(updates), or weights(updates) as a WeightRule, or "
            "weights(gram, updates) as a GramRule"
        )

    def observe(self, w: torch.Tensor) -> None:
        """Take note of the new model ``w`` (d,) after the server's step. Called once per round."""

    def report(self, w: torch.Tensor) -> torch.Tensor:
        """The model to evaluate, given the new ``w`` (d,). Changes nothing, however often it is called."""
        return w

    def state_dict(self) -> dict:
        """The rule's state, as tensors and plain numbers; empty before the first round and for stateless rules."""
        state = {name: getattr(self, f"_{name}", None) for name in self.remembers}
        if all(value is None for value in state.values()):
            return {}
        return {name: value.clone() if torch.is_tensor(value) else value for name, value in state.items()}

    def load_state_dict(self, state: dict) -> None:
        """Continue from ``state``, bit for bit. An empty state starts afresh."""
        if not isinstance(state, Mapping):
            what, allowed = f"{self.name}'s saved state", "values by name"
            raise refuse(what, type(state).__name__, allowed, "Pass what state_dict() returned.", "state")
        if state and not self.remembers:
            message = f"{self.name} keeps no state, but got {sorted(state)}; load it into the rule that it came from"
            raise Refused(message, "state")
        if state and set(state) != set(self.remembers):
            raise Refused(
                f"{self.name}'s state is made of {sorted(self.remembers)}, but got {sorted(state)}; "
                "load what this rule's own state_dict() returned",
                "state",
            )
        for name in self.remembers:
            value = state.get(name)
            setattr(self, f"_{name}", value.clone() if torch.is_tensor(value) else value)


def check_updates(updates: object) -> None:
    """Raise ``Refused`` of kind "type" for anything but ``Updates``."""
    if not isinstance(updates, Updates):
        remedy = "Wrap the rows, one per client: Updates(rows)."
        raise refuse("updates", type(updates).__name__, "Updates", remedy, "type")


def _check_columns(rule: str, decided: Direction) -> None:
    """Validate the weights and rates that ``rule`` returns: ``None``, or one number per row.

    How many rows there are is not checked, because a rule may use rows that it remembers. Raises ``Refused`` of kind
    "shape", and ``Diverged`` if a rate is not finite.
    """
    for what, values in (("weights", decided.weights), ("rates", decided.rates)):
        if values is not None and (not isinstance(values, torch.Tensor) or values.ndim != 1 or len(values) == 0):
            raise refuse(
                f"the shape of {rule}'s {what}",
                tuple(values.shape) if isinstance(values, torch.Tensor) else type(values).__name__,
                "a tensor (K,), one number per row, or None",
                f"Leave {what} out, or give one number for each row.",
                "shape",
            )
    if decided.rates is not None and not bool(torch.isfinite(decided.rates).all()):
        raise Diverged(
            f"{rule}'s rates have non-finite entries; allowed: finite products of an update and the direction. "
            "Lower the local learning rate, or check how the rule computes its rates"
        )


class _OfGram(Rule):
    """Base class of rules whose weights are a function of the Gram matrix and a few numbers per client."""

    def weights_from(
        self,
        gram: ArrayLike,
        *,
        losses: Vector | None = None,
        shares: Vector | None = None,
        extras: Mapping[str, Any] = {},
        **others: Any,
    ) -> Weights:
        A, updates = with_gram(gram, losses, shares, extras, others)
        self._check_given(updates)
        answer = _checked(self._of_gram(A, updates), self.name, len(updates))
        return replace(answer, rates=A @ answer.values)

    def _of_gram(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        raise NotImplementedError


class WeightRule(_OfGram):
    """Base class of rules that choose weights λ from a few numbers per client, without looking at their updates.

    A subclass defines ``weights(updates) → λ`` (K,), or returns ``Weights(λ, reason=...)`` if its formula has no
    solution. The base class reads the gradients twice: once for ``Gᵀ λ``, and once for the rates.
    """

    def weights(self, updates: Updates) -> torch.Tensor | Weights:
        raise NotImplementedError(f"{self.name} must define weights(updates)")

    def _of_gram(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        return self.weights(updates)

    def combine(self, updates: Updates) -> Direction:
        answer, rows = _checked(self.weights(updates), self.name, len(updates)), updates.gradients
        # One norm detects both ends of the type's range. Its squares only leave that range sooner than the entries do.
        vector = combine(rows, answer.values, look=False)
        length = float(torch.linalg.vector_norm(vector))
        if not math.isfinite(length):
            vector = combine(rows, answer.values)
        # Only a vector as short as this can have lost digits. Its own rates are then not those of the weights.
        if length < 2 * torch.finfo(vector.dtype).tiny:
            expected = gram_matrix(rows) @ answer.values
            answer = _unless_lost(answer, expected, vector.dtype)
            return Direction(vector, answer.values, expected, reason=answer.reason)
        return Direction(vector, answer.values, rates(rows, vector), reason=answer.reason)


class GramRule(_OfGram):
    """Base class of rules that choose weights λ from the Gram matrix ``A = G Gᵀ`` and a few numbers per client.

    A subclass defines ``weights(gram, updates) → λ`` with ``gram`` (K, K), float64 on the CPU, and λ (K,); or returns
    ``Weights(λ, reason=...)`` if its formula has no solution. The base class reads the gradients twice: once for A, and
    once for ``Gᵀ λ``. A ``WeightRule`` does without A.
    """

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        raise NotImplementedError(f"{self.name} must define weights(gram, updates)")

    def _of_gram(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        return self.weights(gram, updates)

    def combine(self, updates: Updates) -> Direction:
        gram = gram_matrix(updates.gradients)
        answer = _checked(self.weights(gram, updates), self.name, len(updates))
        vector = combine(updates.gradients, answer.values, gram.diagonal().sqrt())
        expected = gram @ answer.values
        answer = _unless_lost(answer, expected, vector.dtype)
        return Direction(vector, answer.values, expected, reason=answer.reason)


def _checked(answer: torch.Tensor | Weights, rule: str, clients: int) -> Weights:
    """What ``rule.weights`` returned, validated, with values (K,) in float64 on the CPU."""
    answer = answer if isinstance(answer, Weights) else Weights(answer)
    values = tensor(f"what {rule} returns as weights", answer.values).double().cpu()
    remedy = "Return one weight for each row of gradients, zero for a client that does not count."
    return replace(answer, values=one_per_client(f"{rule}'s weights", values, clients, remedy))


def _unless_lost(answer: Weights, rates: torch.Tensor, dtype: torch.dtype) -> Weights:
    """``answer``, with a reason if the direction is too short for its type. ``rates`` (K,): ``A λ``."""
    largest = answer.values.abs().max()
    length = float(largest * (answer.values / largest @ (rates / largest)).clamp(min=0).sqrt()) if largest > 0 else 0.0
    return replace(answer, reason=joined(answer.reason, too_short(length, dtype)))


def joined(*reasons: str) -> str:
    """The reasons that are not empty, separated by semicolons."""
    return "; ".join(filter(None, reasons))


def too_short(length: float, dtype: torch.dtype) -> str:
    """A reason if a direction of this ``length`` is too short for ``dtype`` to hold all its digits, otherwise ""."""
    if not 0 < length < torch.finfo(dtype).tiny:
        return ""
    return f"the direction's length {length:.1e} is below what {dtype} holds; use float64 updates"


def nonzero(gram: torch.Tensor, updates: Updates) -> tuple[torch.Tensor, str]:
    """Indices of the rows that are not zero, and a reason that names the clients of those that are.

    A zero update is the point of every hull that contains it nearest to the origin: left in, it would stop everybody.
    Rules that look for a nearest point or for unit vectors set such clients aside.
    """
    keep = (gram.diagonal() > 0).nonzero().flatten()
    if len(keep) == len(gram):
        return keep, ""
    absent = updates.clients[gram.diagonal() <= 0].tolist()
    if len(absent) == 1:
        return keep, f"client {absent[0]} sent a zero update and was set aside"
    more = f" and {len(absent) - 8} more" if len(absent) > 8 else ""
    return keep, f"clients {', '.join(map(str, absent[:8]))}{more} sent zero updates and were set aside"


def part(gram: torch.Tensor, updates: Updates, keep: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The Gram matrix and the rows of the clients at ``keep``. The rows are not copied if these are all of them."""
    return gram[keep][:, keep], updates.gradients if len(keep) == len(gram) else updates.gradients[keep]


def of_nonzero(gram: torch.Tensor, updates: Updates, solve: Callable[..., Weights]) -> Weights:
    """``solve(gram, rows, keep)`` for the clients whose update is not zero; weight 0 and a reason for the others."""
    keep, reason = nonzero(gram, updates)
    weights = torch.zeros(len(updates), dtype=torch.float64)
    if len(keep) == 0:
        return Weights(weights, reason=reason)
    found = solve(*part(gram, updates, keep), keep)
    weights[keep] = found.values
    return Weights(weights, reason=joined(reason, found.reason))
