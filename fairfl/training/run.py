"""``Run``: one seed's part of a training: its participants, the state of its rule, and its record."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from fairfl._randomness import generator
from fairfl.clients import Ditto, FlatModel, LocalSGD, RoundWork, Slot
from fairfl.clients.client_statistics import PROVIDERS, RoundView
from fairfl.clients.evaluation import Scorer
from fairfl.clients.losses import Loss
from fairfl.clients.own_metrics import Metric, OwnMetrics
from fairfl.clients.slots import Examples
from fairfl.errors import Diverged, refuse
from fairfl.federation import Federation
from fairfl.training.history import History
from fairfl.training.server_step import ServerStep
from fairfl.updates import LOWER, Updates


class Run:
    """The state of one seed between rounds. ``state_dict`` has all of it that changes."""

    def __init__(
        self,
        federation: Federation,
        *,
        index: int,
        seed: int,
        server: ServerStep,
        data: Examples,
        participation: float,
        score: Sequence[str],
        metrics: Mapping[str, Metric],
        loss: Loss,
        personal: Ditto | None,
        engine: str,
    ):
        self.index, self.seed, self.federation = index, seed, federation
        self.ditto, self.engine = personal, engine
        self.server = server
        self.count = max(1, round(participation * len(federation)))
        device = data.inputs.device
        self.rows = [rows.to(device) for rows in federation.train]
        self.validation = [rows.to(device) for rows in federation.validation]
        # A personal model is scored only on its own client's rows.
        lists = {part: getattr(federation, part) for part in dict.fromkeys(("test", *score))}
        self.metrics, columns_of_rows = tuple(metrics), federation.dataset.columns
        clients = [[k] for k in range(len(federation))] if personal else [range(len(federation))]
        self.scorers = {
            part: [
                Scorer(data, [rows[k] for k in own], loss, own=OwnMetrics(metrics, columns_of_rows, own[0]))
                for own in clients
            ]
            for part, rows in lists.items()
        }
        self.slots: list[Slot] = []
        self.memory: dict[str, Any] = {}
        self.scored: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        self.personal = server.w.expand(len(federation), -1).clone() if personal else None
        columns = ("rounds", "participants", "direction_norm", "smallest_rate", "remarks")
        scores = [f"{part}/{what}" for part in self.scorers for what in ("accuracy", "loss", *metrics)]
        self.record: dict[str, list] = {name: [] for name in (*columns, *scores)}

    def sample(self, round: int) -> list[Slot]:
        """Draw this round's participants; the slots are in the order of their numbers."""
        N = len(self.rows)
        chosen = torch.arange(N)
        if self.count < N:
            chance = generator(self.seed, "participation", round)
            chosen = torch.randperm(N, generator=chance)[: self.count].sort().values
        self.slots = [Slot(self.index, self.seed, k, self.rows[k]) for k in chosen.tolist()]
        return self.slots

    def kept(self, local: LocalSGD) -> dict[str, torch.Tensor]:
        """The vectors that all N clients keep for ``local.correct``, by name, (N, d)."""
        if local.correct is not None and "kept" not in self.memory:
            zeros = lambda: torch.zeros_like(self.server.w).repeat(len(self.rows), 1)
            self.memory["kept"] = {name: zeros() for name in local.correct.keeps}
        return self.memory.get("kept", {})

    @property
    def curvature(self) -> dict[str, Any]:
        """The state of FedNL or FedNew, by name."""
        return self.memory.setdefault("curvature", {})

    def step(
        self, flat: FlatModel, work: RoundWork, gradients: torch.Tensor, tamper: Callable[[Updates], Updates] | None
    ) -> torch.Tensor:
        """Take the server step from this run's pseudo-gradients (K, d), and return the rule's direction (d,).

        ``work``: the round's local training of all runs.
        """
        work, round = replace(work, slots=self.slots), work.round
        sizes = torch.tensor([len(slot.rows) for slot in self.slots], dtype=torch.float64)
        view = RoundView(
            flat=flat,
            work=work,
            gradients=gradients,
            validation=[self.validation[slot.client] for slot in self.slots],
            memory=self.memory,
            scored=self.scored,
        )
        extras = {name: PROVIDERS[name](view) for name in self.server.needs}
        updates = Updates(
            gradients,
            losses=extras.pop("losses", None),
            shares=sizes / sizes.sum(),
            clients=torch.tensor(view.clients),
            population=len(self.rows),
            round=round,
            layout=flat.layout,
            extras=extras,
            local_lr=work.local.lr_at(round),
        )
        if tamper is not None:
            # The round is needed for the step size, even if the user's attack leaves it out.
            updates = replace(_tampered(tamper, updates), round=round)
        if self.ditto and self.personal is not None:
            self.ditto.step(flat, work, self.personal, self.engine)
        taken = self.server.take(updates)
        self.scored = {}
        self.record["participants"].append(updates.clients.tolist())
        self.record["direction_norm"].append(taken.norm)
        self.record["smallest_rate"].append(taken.smallest_rate)
        if taken.direction.reason:
            self.record["remarks"].append((round, taken.direction.reason))
        return taken.direction.vector

    def evaluate(self, flat: FlatModel, done: int) -> None:
        """Score the reported model, or the personal models, after ``done`` rounds."""
        models = self.server.reported[None] if self.personal is None else self.personal
        scored = {part: self._scores(flat, models, scorers) for part, scorers in self.scorers.items()}
        if not self.ditto and self.count == len(self.rows) and torch.equal(self.server.reported, self.server.w):
            # The next round needs the same scores of the same model on the same rows, so keep them.
            known = {part: scores for part, scores in scored.items() if self.scorers[part][0].place is None}
            self.scored = {part: (scores["accuracy"], scores["loss"]) for part, scores in known.items()}
        # Recorded together, so the record stays consistent if a run is interrupted during an evaluation.
        self.record["rounds"].append(done)
        for part, scores in scored.items():
            for what, values in scores.items():
                self.record[f"{part}/{what}"].append(values.tolist())

    def judge(self) -> None:
        """Raise ``Diverged``, which names a client, if a loss of the last evaluation is not finite.

        Earlier evaluations need no check: a model that diverged gives updates that the next round refuses. A loss can
        also overflow although all parameters are finite. That counts as divergence too, because such a model is of no
        use.
        """
        for part in self.scorers:
            losses = self.record[f"{part}/loss"][-1]
            if bad := [client for client, loss in enumerate(losses) if not math.isfinite(loss)]:
                raise Diverged(
                    f"client {bad[0]}'s {part} loss after the last round is {losses[bad[0]]} ({len(bad)} of "
                    f"{len(losses)} clients' are not finite); {LOWER}"
                )

    @staticmethod
    def _scores(flat: FlatModel, models: torch.Tensor, scorers: list[Scorer]) -> dict[str, torch.Tensor]:
        """Accuracies, losses and own metrics (N,), from one model and one scorer for all, or one of each per client."""
        scores = []
        for w, scorer in zip(models, scorers):
            flat.vector.copy_(w)
            scores.append(scorer.measure(flat.module))
        return {what: torch.cat([each[what] for each in scores]) for what in scores[0]}

    def state_dict(self) -> dict:
        return {"memory": self.memory, "personal": self.personal, "record": self.record, **self.server.state_dict()}

    def load_state_dict(self, state: dict) -> None:
        self.server.load_state_dict(state)
        self.record, self.memory = state["record"], _moved(state["memory"], self.server.w.device)
        self.personal = _moved(state["personal"], self.server.w.device)

    def history(self, settings: dict, seconds: float, federation: Federation) -> History:
        r = self.record
        scored: dict[str, Any] = {}
        metrics: dict[str, np.ndarray] = {}
        for part in self.scorers:
            prefix = "" if part == "test" else f"{part}_"
            scored |= {f"{prefix}{what}": np.array(r[f"{part}/{what}"]) for what in ("accuracy", "loss")}
            if not federation.dataset.classes:
                scored[f"{prefix}accuracy"] = None
            metrics |= {f"{prefix}{name}": np.array(r[f"{part}/{name}"]) for name in self.metrics}
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
            metrics=metrics,
            personal=None if self.personal is None else _array(self.personal),
            **scored,
        )


def _tampered(tamper: Callable[[Updates], Updates], updates: Updates) -> Updates:
    sent = tamper(updates)
    if not isinstance(sent, Updates):
        raise refuse(
            f"the type returned by tamper={getattr(tamper, '__name__', tamper)}",
            type(sent).__name__,
            "Updates",
            "End it with return dataclasses.replace(updates, gradients=...).",
            "type",
        )
    return sent


def _filled(rounds: list[list[int]]) -> np.ndarray:
    """One row per round, padded with −1 (no client) where a tamper left fewer clients than in other rounds."""
    longest = max(map(len, rounds), default=0)
    lines = [clients + [-1] * (longest - len(clients)) for clients in rounds]
    return np.array(lines, dtype=np.int64)


def _array(vector: torch.Tensor) -> np.ndarray:
    """``vector`` as a NumPy array; bfloat16, which NumPy does not have, becomes float32 without loss."""
    vector = vector.cpu()
    return (vector.float() if vector.dtype == torch.bfloat16 else vector).numpy()


def _moved(thing: Any, device: torch.device) -> Any:
    """``thing``, nested dictionaries, lists and tuples of tensors, moved to ``device``."""
    if isinstance(thing, torch.Tensor):
        return thing.to(device)
    if isinstance(thing, dict):
        return {name: _moved(value, device) for name, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return type(thing)(_moved(value, device) for value in thing)
    return thing
