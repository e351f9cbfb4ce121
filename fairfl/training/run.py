"""``Run``: one seed's part of a training: who takes part, what the rule remembers, what is recorded."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from fairfl._randomness import generator
from fairfl.clients import Ditto, FlatModel, LocalSGD, RoundWork, Slot
from fairfl.clients.client_statistics import PROVIDERS, RoundView
from fairfl.clients.evaluation import Scorer
from fairfl.clients.losses import Loss
from fairfl.clients.slots import Examples
from fairfl.errors import Diverged, refuse
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.training.history import History
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep
from fairfl.updates import LOWER, Updates


class Run:
    """State of one seed between rounds. All of it that changes is in ``state_dict``."""

    def __init__(
        self,
        index: int,
        seed: int,
        rule: Rule,
        w: torch.Tensor,
        federation: Federation,
        data: Examples,
        server: Server,
        rounds: int,
        participation: float,
        score: Sequence[str],
        loss: Loss,
        personal: Ditto | None,
        engine: str,
    ):
        self.index, self.seed, self.federation = index, seed, federation
        self.ditto, self.engine = personal, engine
        self.server = ServerStep(rule, w, rounds, server, undo=False)
        self.count = max(1, round(participation * len(federation)))
        device = data.inputs.device
        self.rows = [rows.to(device) for rows in federation.train]
        self.validation = [rows.to(device) for rows in federation.validation]
        # A personal model is scored on its own client's rows alone.
        lists = {part: getattr(federation, part) for part in dict.fromkeys(("test", *score))}
        self.scorers = {
            part: [Scorer(data, [own], loss) for own in rows] if personal else [Scorer(data, rows, loss)]
            for part, rows in lists.items()
        }
        self.slots: list[Slot] = []
        self.memory: dict[str, Any] = {}
        self.scored: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        self.personal = w.expand(len(federation), -1).clone() if personal else None
        told = ("rounds", "participants", "direction_norm", "smallest_rate", "remarks")
        scores = [f"{part}/{what}" for part in self.scorers for what in ("accuracy", "loss")]
        self.record: dict[str, list] = {name: [] for name in (*told, *scores)}

    def sample(self, round: int) -> list[Slot]:
        """This round's participants as slots, in the order of their numbers."""
        N = len(self.rows)
        chosen = torch.arange(N)
        if self.count < N:
            chance = generator(self.seed, "participation", round)
            chosen = torch.randperm(N, generator=chance)[: self.count].sort().values
        self.slots = [Slot(self.index, self.seed, k, self.rows[k]) for k in chosen.tolist()]
        return self.slots

    def kept(self, local: LocalSGD) -> dict[str, torch.Tensor]:
        """What all N clients keep for ``local.correct``, by name, (N, d)."""
        if local.correct is not None and "kept" not in self.memory:
            zeros = lambda: torch.zeros_like(self.server.w).repeat(len(self.rows), 1)
            self.memory["kept"] = {name: zeros() for name in local.correct.keeps}
        return self.memory.get("kept", {})

    @property
    def curvature(self) -> dict[str, Any]:
        """What FedNL or FedNew remembers, by name."""
        return self.memory.setdefault("curvature", {})

    def step(
        self, flat: FlatModel, work: RoundWork, gradients: torch.Tensor, tamper: Callable[[Updates], Updates] | None
    ) -> torch.Tensor:
        """From the round's pseudo-gradients to the next model, and the rule's direction (d,).

        ``work``: that of all runs side by side.
        """
        local, round = work.local, work.round
        clients = [slot.client for slot in self.slots]
        sizes = torch.tensor([len(slot.rows) for slot in self.slots], dtype=torch.float64)
        steps = [local.pseudo_lr(len(s.rows), round) for s in self.slots]
        view = RoundView(
            flat,
            work.data,
            work.loss,
            [s.rows for s in self.slots],
            [self.validation[k] for k in clients],
            self.server.w,
            gradients,
            clients,
            steps,
            self.memory,
            self.scored,
        )
        extras = {name: PROVIDERS[name](view) for name in self.server.needs}
        updates = Updates(
            gradients,
            losses=extras.pop("losses", None),
            shares=sizes / sizes.sum(),
            clients=torch.tensor(clients),
            population=len(self.rows),
            round=round,
            layout=flat.layout,
            extras=extras,
            local_lr=local.lr_at(round),
        )
        if tamper is not None:
            # The step size is the round's, whatever a reader's attack leaves out.
            updates = replace(_tampered(tamper, updates), round=round)
        if self.ditto and self.personal is not None:
            self.ditto.step(flat, work, self.slots, self.personal, self.server.w, self.engine)
        taken = self.server.take(updates)
        self.scored = {}
        self.record["participants"].append(updates.clients.tolist())
        self.record["direction_norm"].append(taken.norm)
        self.record["smallest_rate"].append(taken.smallest_rate)
        if taken.direction.reason:
            self.record["remarks"].append((round, taken.direction.reason))
        return taken.direction.vector

    def evaluate(self, flat: FlatModel, done: int) -> None:
        """Score the model that the method reports, or the personal models, after ``done`` rounds."""
        models = self.server.reported[None] if self.personal is None else self.personal
        scored = {part: self._scores(flat, models, scorers) for part, scorers in self.scorers.items()}
        if not self.ditto and self.count == len(self.rows) and torch.equal(self.server.reported, self.server.w):
            # What the next round asks for at this model, where it would be the same passes over the same rows.
            self.scored = {part: scores for part, scores in scored.items() if self.scorers[part][0].place is None}
        # Recorded together, so that who stops a run in the middle of an evaluation keeps a record that fits together.
        self.record["rounds"].append(done)
        for part, (accuracy, loss) in scored.items():
            self.record[f"{part}/accuracy"].append(accuracy.tolist())
            self.record[f"{part}/loss"].append(loss.tolist())

    def judge(self) -> None:
        """Raise ``Diverged``, naming a client, if a loss of the last evaluation is not finite.

        Of earlier evaluations the rounds after them judge: a model that is lost gives updates that are refused. A loss
        can also overflow where all parameters are finite; it is a divergence as well, for it is not that of a model
        that anybody could use.
        """
        for part in self.scorers:
            losses = self.record[f"{part}/loss"][-1]
            if bad := [client for client, loss in enumerate(losses) if not math.isfinite(loss)]:
                raise Diverged(
                    f"client {bad[0]}'s {part} loss after the last round is {losses[bad[0]]} ({len(bad)} of "
                    f"{len(losses)} clients' are not finite); {LOWER}"
                )

    @staticmethod
    def _scores(flat: FlatModel, models: torch.Tensor, scorers: list[Scorer]) -> tuple[torch.Tensor, torch.Tensor]:
        """Accuracies and losses (N,): one model and one scorer for all clients, or one of each a client."""
        scores = []
        for w, scorer in zip(models, scorers):
            flat.vector.copy_(w)
            scores.append(scorer(flat.module))
        accuracy, loss = (torch.cat(column) for column in zip(*scores))
        return accuracy, loss

    def state_dict(self) -> dict:
        return {"memory": self.memory, "personal": self.personal, "record": self.record, **self.server.state_dict()}

    def load_state_dict(self, state: dict) -> None:
        self.server.load_state_dict(state)
        self.record, self.memory = state["record"], _moved(state["memory"], self.server.w.device)
        self.personal = _moved(state["personal"], self.server.w.device)

    def history(self, settings: dict, seconds: float, federation: Federation) -> History:
        r = self.record
        scored: dict[str, Any] = {}
        for part in self.scorers:
            prefix = "" if part == "test" else f"{part}_"
            scored |= {f"{prefix}{what}": np.array(r[f"{part}/{what}"]) for what in ("accuracy", "loss")}
            if not federation.dataset.classes:
                scored[f"{prefix}accuracy"] = None
        return History(
            rounds=np.array(r["rounds"]),
            participants=_filled(r["participants"]),
            direction_norm=np.array(r["direction_norm"]),
            smallest_rate=np.array(r["smallest_rate"]),
            test_sizes=np.array([len(rows) for rows in federation.test]),
            parameters=_array(self.server.reported),
            remarks=list(r["remarks"]),
            settings=settings,
            seconds=seconds,
            **scored,
        )


def _tampered(tamper: Callable[[Updates], Updates], updates: Updates) -> Updates:
    sent = tamper(updates)
    if not isinstance(sent, Updates):
        raise refuse(
            f"what tamper={getattr(tamper, '__name__', tamper)} returns",
            type(sent).__name__,
            "Updates",
            "End it with return dataclasses.replace(updates, gradients=...).",
        )
    return sent


def _filled(rounds: list[list[int]]) -> np.ndarray:
    """One line a round, as long as the longest; −1, which is nobody, where a tamper left fewer."""
    longest = max(map(len, rounds), default=0)
    lines = [clients + [-1] * (longest - len(clients)) for clients in rounds]
    return np.array(lines, dtype=np.int64)


def _array(vector: torch.Tensor) -> np.ndarray:
    """``vector`` in NumPy; as float32 where NumPy lacks its type (bfloat16), which loses nothing."""
    vector = vector.cpu()
    return (vector.float() if vector.dtype == torch.bfloat16 else vector).numpy()


def _moved(thing: Any, device: torch.device) -> Any:
    """Nested dictionaries, lists and tuples of tensors, on ``device``."""
    if isinstance(thing, torch.Tensor):
        return thing.to(device)
    if isinstance(thing, dict):
        return {name: _moved(value, device) for name, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return type(thing)(_moved(value, device) for value in thing)
    return thing
