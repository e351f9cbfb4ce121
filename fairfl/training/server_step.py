"""``ServerStep``: compute the next model from a round's ``Updates``, in ``train``, in a ``Coordinator`` and in your own
loop.
"""

import copy
import math
from dataclasses import dataclass, replace
from typing import Any

import torch

from fairfl._torch_modes import in_plain_modes
from fairfl._validation import boolean, instance_of, integer
from fairfl.clients.client_statistics import ALWAYS
from fairfl.errors import Diverged, Kind, Refused, refuse
from fairfl.rules import Direction, Rule, as_rule
from fairfl.rules.base import check_updates
from fairfl.training.server_optimiser import Server
from fairfl.updates import Updates


@dataclass(frozen=True)
class Taken:
    """The result of a round: the ``direction`` of its step, and the direction's ``norm``."""

    direction: Direction
    norm: float

    @property
    def smallest_rate(self) -> float:
        """``min_k ρ_k``; NaN without rates. If negative, the step increased a client's loss, to first order."""
        return float("nan") if self.direction.rates is None else float(self.direction.rates.min())


class ServerStep:
    """A rule and the model that it updates, round by round.

    - ``rule``: a ``Rule`` (a copy is used) or its name.
    - ``w`` (d,): the initial model, as one vector.
    - ``rounds``: T, the length of the run, to which ``server``'s decay refers.
    - ``undo``: whether a round that raises restores the rule's state. This copies the state every round; ``train``, for
      which an exception is the end, does without.

    As attributes, ``w`` (d,) is the model that clients start from, ``reported`` (d,) the model that the method reports,
    and ``needs`` the names of the numbers that clients have to send beside gradient and size. Each step makes new
    tensors and never changes one that it returned before.

    Raises ``Refused`` for arguments of the wrong type or out of range.

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
        self.server, self.undo = instance_of("server", server, Server), boolean("undo", undo)
        if not isinstance(w, torch.Tensor) or w.ndim != 1 or len(w) == 0 or not w.is_floating_point():
            given = f"{w.dtype} of shape {tuple(w.shape)}" if isinstance(w, torch.Tensor) else type(w).__name__
            remedy = "Convert a module with torch.nn.utils.parameters_to_vector(module.parameters())."
            kind: Kind = "shape" if isinstance(w, torch.Tensor) and w.is_floating_point() else "type"
            raise refuse("w", given, "one flat tensor (d,) of floating-point numbers", remedy, kind)
        self._state = server.begin(w.detach())
        self.reported = self.w

    @property
    def w(self) -> torch.Tensor:
        return self._state["w"]

    @property
    def needs(self) -> list[str]:
        return sorted(self.rule.needs - ALWAYS)

    @in_plain_modes
    def take(self, updates: Updates) -> Taken:
        """Take one round: compute the rule's direction, step against it, and let the rule observe the new model.

        Raises ``Refused`` for a direction of the wrong shape, ``Diverged`` if the direction, the next model or the
        state of server and rule is not finite, and any exception of the rule. The model, and with ``undo`` all state,
        is then unchanged.
        """
        check_updates(updates)
        memory = copy.deepcopy(vars(self.rule), {id(self.rule): self.rule}) if self.undo else vars(self.rule).copy()
        try:
            decided = self.rule.direction(updates)
            if decided.vector.requires_grad:  # of a rule with parameters; the model would keep every round's graph
                decided = replace(decided, vector=decided.vector.detach())
            if decided.vector.shape != self.w.shape:
                raise refuse(
                    f"the shape of {self.rule.name}'s direction",
                    tuple(decided.vector.shape),
                    str(tuple(self.w.shape)),
                    "A direction is one flat vector, like a row of gradients.",
                    "shape",
                )
            norm = torch.linalg.vector_norm(decided.vector, dtype=torch.float64)
            state = self.server.step(self._state, decided.vector, self.server.lr_at(updates.round, self.rounds))
            self.rule.observe(state["w"])
            reported = self.rule.report(state["w"]).clone()
            held: dict[str, Any] = {f"{self.rule.name}'s direction": norm}
            held |= {"the next model": state["w"], "the next reported model": reported}
            held |= {f"the server's {name} moment": state[name] for name in ("first", "second") if name in state}
            if self.undo:  # without it the training ends, and gigabytes of state need not be read every round
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
        """The sums of the tensors and numbers in ``values``. Raises ``Diverged``, which names a non-finite one."""
        tensors = {what: torch.as_tensor(v) for what, v in values.items() if isinstance(v, (torch.Tensor, float))}
        tensors = {what: value for what, value in tensors.items() if value.is_floating_point()}
        # A sum is finite only if all its terms are, so one cheap pass is enough in nearly every round. All sums are
        # read together, so a GPU synchronises once.
        sums = [value.sum().double() for value in tensors.values()]
        totals = torch.stack([s.to(sums[0].device) for s in sums]).tolist()
        if not all(map(math.isfinite, totals)):
            for what, value in tensors.items():
                if not torch.isfinite(value).all():
                    raise Diverged(f"{what} has non-finite entries (round {updates.round}); look at the updates' sizes")
        return totals

    def state_dict(self) -> dict:
        """Everything that changes from round to round, as tensors and plain values."""
        return {"server": dict(self._state), "rule": self.rule.state_dict(), "reported": self.reported}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state``, bit for bit.

        Raises ``Refused`` for the state of another model, rule or optimiser, and if ``state`` is not a saved state.
        """
        lacking = [name for name in ("server", "rule", "reported") if not isinstance(state, dict) or name not in state]
        if lacking or not isinstance(state["server"], dict) or not isinstance(state["reported"], torch.Tensor):
            fault = f"lacks {', '.join(lacking)}" if lacking else "holds no tensors"
            raise Refused(f"the saved state {fault}; pass the result of state_dict()", "state")
        if state["reported"].shape != self.w.shape:
            raise refuse(
                "the size of the saved model",
                tuple(state["reported"].shape),
                str(tuple(self.w.shape)),
                "Start from the model that it was saved with.",
                "state",
            )
        if set(state["server"]) != set(self._state):
            raise Refused(
                "the saved state is that of another server optimiser; start with the Server that it was saved with",
                "state",
            )
        for name, value in {**state["server"], "reported model": state["reported"]}.items():
            if isinstance(value, torch.Tensor) and not bool(torch.isfinite(value).all()):
                raise Refused(f"the saved {name} has non-finite entries; load a state saved earlier", "state")
            if not isinstance(value, torch.Tensor) or value.shape != self.w.shape:
                given = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
                remedy = "Load the state as it was saved."
                raise refuse(f"the saved server's {name}", given, str(tuple(self.w.shape)), remedy, "state")
        self.rule.load_state_dict(state["rule"])
        device = self.w.device
        self.reported = state["reported"].to(device)
        self._state = {name: value.to(device) for name, value in state["server"].items()}
