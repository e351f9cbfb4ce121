"""``ServerStep``: from a round's ``Updates`` to the next model, the same for ``train``, for a ``Coordinator`` and for a
loop of your own.
"""

import copy
import math
from dataclasses import dataclass
from typing import Any

import torch

from fairfl._validation import instance_of, integer
from fairfl.clients.client_statistics import ALWAYS
from fairfl.errors import Diverged, Refused, refuse
from fairfl.rules import Direction, Rule, as_rule
from fairfl.training.server_optimiser import Server
from fairfl.updates import Updates


@dataclass(frozen=True)
class Taken:
    """What a round did: the ``direction`` that was followed, and its ``norm``."""

    direction: Direction
    norm: float

    @property
    def smallest_rate(self) -> float:
        """``min_k ρ_k``; NaN where the rule gives no rates. Negative: the step sacrificed somebody, to first order."""
        return float("nan") if self.direction.rates is None else float(self.direction.rates.min())


class ServerStep:
    """A rule and a model that it moves, round by round.

    ``rule``: a ``Rule`` (a copy is used) or its name. ``w`` (d,): the first model, as one vector. ``rounds``: T, which
    ``server``'s decay refers to. ``undo``: whether a round that raises leaves the rule's memory as it was, which takes
    a copy of it every round; ``train`` ends there and does without.

    ``w`` (d,): the model that clients start from. ``reported`` (d,): the model that the method reports. Each step makes
    new ones, and writes into none that was given out. ``needs``: what clients have to send beside gradient and size, by
    name. Raises ``Refused`` for arguments of the wrong kind or out of range.

    >>> import torch
    >>> from fairfl import Updates
    >>> from fairfl.training import ServerStep
    >>> towns = torch.tensor([[0.0, 0.0], [6.0, 0.0], [0.0, 3.0]])  # client k's loss is ‖w − town_k‖² / 2
    >>> server = ServerStep("FedAvg", w=torch.ones(2), rounds=50)
    >>> for t in range(50):
    ...     taken = server.take(Updates(0.5 * (server.w - towns), round=t))
    >>> server.reported.round(decimals=3)
    tensor([2., 1.])
    """

    def __init__(
        self,
        rule: Rule | str,
        w: torch.Tensor,
        rounds: int,
        server: Server = Server(),  # noqa: B008 (frozen)
        *,
        undo: bool = True,
    ):
        self.rule = copy.deepcopy(as_rule(rule))
        self.rounds = integer("rounds", rounds, 1, "A round is one exchange between server and clients.")
        self.server, self.undo = instance_of("server", server, Server), undo
        if not isinstance(w, torch.Tensor) or w.ndim != 1 or len(w) == 0 or not w.is_floating_point():
            given = f"{w.dtype} of shape {tuple(w.shape)}" if isinstance(w, torch.Tensor) else type(w).__name__
            remedy = "Of a module, torch.nn.utils.parameters_to_vector(module.parameters()) makes one."
            raise refuse("w", given, "one flat tensor (d,) of floating-point numbers", remedy)
        self._state = server.begin(w.detach())
        self.reported = self.w

    @property
    def w(self) -> torch.Tensor:
        return self._state["w"]

    @property
    def needs(self) -> list[str]:
        return sorted(self.rule.needs - ALWAYS)

    def take(self, updates: Updates) -> Taken:
        """One round: ask the rule, step against its direction, show the rule where that led, report.

        Raises ``Refused`` for a direction of the wrong shape, ``Diverged`` where it, the next model or what server and
        rule would remember is not finite, and whatever the rule raises. Then nothing has happened: the model, and with
        ``undo`` all memories, are as they were.
        """
        memory = copy.deepcopy(vars(self.rule), {id(self.rule): self.rule}) if self.undo else vars(self.rule).copy()
        try:
            decided = self.rule.direction(updates)
            if decided.vector.shape != self.w.shape:
                raise refuse(
                    f"the shape of {self.rule.name}'s direction",
                    tuple(decided.vector.shape),
                    str(tuple(self.w.shape)),
                    "A direction is one flat vector, like a row of gradients.",
                )
            norm = torch.linalg.vector_norm(decided.vector, dtype=torch.float64)
            state = self.server.step(self._state, decided.vector, self.server.lr_at(updates.round, self.rounds))
            self.rule.observe(state["w"])
            reported = self.rule.report(state["w"]).clone()
            held: dict[str, Any] = {f"{self.rule.name}'s direction": norm}
            held |= {"the next model": state["w"], "the next reported model": reported}
            held |= {f"the server's {name} moment": state[name] for name in ("first", "second") if name in state}
            if self.undo:  # where a training ends anyhow, a memory of gigabytes need not be read every round
                held |= {
                    f"{self.rule.name}'s {name}": getattr(self.rule, f"_{name}", None) for name in self.rule.remembers
                }
            length = self._finite(held, updates)[0]
        except BaseException:
            vars(self.rule).clear()
            vars(self.rule).update(memory)
            raise
        self._state, self.reported = state, reported
        return Taken(decided, length)

    @staticmethod
    def _finite(values: dict, updates: Updates) -> list[float]:
        """The sums of the tensors and numbers in ``values``; ``Diverged``, naming it, for one that is not finite."""
        tensors = {what: torch.as_tensor(v) for what, v in values.items() if isinstance(v, (torch.Tensor, float))}
        tensors = {what: value for what, value in tensors.items() if value.is_floating_point()}
        # A sum is finite only if all that it adds is, so that one cheap pass clears nearly every round; and one look
        # at all sums, for which a card waits once.
        sums = [value.sum().double() for value in tensors.values()]
        told = torch.stack([s.to(sums[0].device) for s in sums]).tolist()
        if not all(map(math.isfinite, told)):
            for what, value in tensors.items():
                if not torch.isfinite(value).all():
                    raise Diverged(f"{what} has non-finite entries (round {updates.round}); look at the updates' sizes")
        return told

    def state_dict(self) -> dict:
        """All that changes from round to round, as tensors and plain values."""
        return {"server": dict(self._state), "rule": self.rule.state_dict(), "reported": self.reported}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state``, bit for bit. Raises ``Refused`` for another model's, rule's or optimiser's, and for
        what is no state.
        """
        lacking = [name for name in ("server", "rule", "reported") if not isinstance(state, dict) or name not in state]
        if lacking or not isinstance(state["server"], dict) or not isinstance(state["reported"], torch.Tensor):
            said = f"lacks {', '.join(lacking)}" if lacking else "holds no tensors"
            raise Refused(f"the saved state {said}; give what state_dict() gave")
        if state["reported"].shape != self.w.shape:
            raise refuse(
                "the size of the saved model",
                tuple(state["reported"].shape),
                str(tuple(self.w.shape)),
                "Start from the model that it was saved with.",
            )
        if set(state["server"]) != set(self._state):
            raise Refused(
                "the saved state is that of another server optimiser; start with the Server that it was saved with"
            )
        for name, value in state["server"].items():
            if not isinstance(value, torch.Tensor) or value.shape != self.w.shape:
                told = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
                raise refuse(
                    f"the saved server's {name}", told, str(tuple(self.w.shape)), "Load the state as it was saved."
                )
        self.rule.load_state_dict(state["rule"])
        device = self.w.device
        self.reported = state["reported"].to(device)
        self._state = {name: value.to(device) for name, value in state["server"].items()}
