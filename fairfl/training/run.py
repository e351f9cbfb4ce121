"""``Run``: one seed's part of a training: its participants, the state of its rule, and its record."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from fairfl.clients import Ditto, FlatModel, RoundWork, Slot
from fairfl.clients.client_statistics import RoundView
from fairfl.clients.evaluation import Scorer
from fairfl.clients.losses import Loss
from fairfl.clients.own_metrics import Metric, OwnMetrics
from fairfl.clients.per_client import Local
from fairfl.clients.round_updates import collect
from fairfl.clients.slots import Examples
from fairfl.errors import Diverged, refuse
from fairfl.federation import Federation
from fairfl.rules import Direction
from fairfl.training.history import History
from fairfl.training.on_round import STOP, Callback, a_round
from fairfl.training.samplers import Sampler, draw, takes_everyone, with_inclusion
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
        sampler: Sampler,
        score: Sequence[str],
        metrics: Mapping[str, Metric],
        loss: Loss,
        personal: Ditto | None,
        engine: str,
        on_round: Callback | None = None,
        record_rates: bool = True,
    ):
        self.index, self.seed, self.federation = index, seed, federation
        self.ditto, self.engine = personal, engine
        self.on_round, self.record_rates, self.stopped = on_round, record_rates, False
        self._seen: tuple[Updates, Direction] | None = None
        self.server = server
        self.sampler, self.everyone = sampler, takes_everyone(sampler)
        self.inclusion: torch.Tensor | None = None
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
        columns = ("rounds", "participants", "weights", "rates", "direction_norm", "smallest_rate", "remarks")
        scores = [f"{part}/{what}" for part in self.scorers for what in ("accuracy", "loss", *metrics)]
        self.record: dict[str, list] = {name: [] for name in (*columns, *scores)}

    def sample(self, round: int) -> list[Slot]:
        """Draw this round's participants; the slots are in the order of their numbers."""
        drawn = draw(self.sampler, self.seed, round, len(self.rows))
        rule = self.server.rule
        self.inclusion = with_inclusion(drawn, rule.name, self.sampler) if "inclusion" in rule.needs else None
        self.slots = [Slot(self.index, self.seed, k, self.rows[k]) for k in drawn.clients]
        return self.slots

    def kept(self, local: Local) -> dict[str, torch.Tensor]:
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
        if not self.slots:
            return self._skip(round)
        view = RoundView(
            flat=flat,
            work=work,
            gradients=gradients,
            validation=[self.validation[slot.client] for slot in self.slots],
            memory=self.memory,
            scored=self.scored,
        )
        updates = collect(view, self.server.needs, len(self.rows))
        if self.inclusion is not None:
            updates = replace(updates, extras={**updates.extras, "inclusion": self.inclusion})
        if tamper is not None:
            # The round is needed for the step size, even if the user's attack leaves it out.
            updates = replace(_tampered(tamper, updates), round=round)
        if self.ditto and self.personal is not None:
            self.ditto.step(flat, work, self.personal, self.engine)
        taken = self.server.take(updates)
        self.scored = {}
        self.record["participants"].append(updates.clients.tolist())
        for name in ("weights", "rates"):
            given = getattr(taken.direction, name) if self.record_rates else None
            # A rule that remembers rows may give numbers for them too, which belong to no participant.
            self.record[name].append(given.tolist() if given is not None and len(given) == len(updates) else None)
        self.record["direction_norm"].append(taken.norm)
        self.record["smallest_rate"].append(taken.smallest_rate)
        if taken.direction.reason:
            self.record["remarks"].append((round, taken.direction.reason))
        if self.on_round is not None:
            self._seen = updates, taken.direction
        return taken.direction.vector

    def tell(self, flat: FlatModel, done: int) -> None:
        """Give the round that was just finished to ``on_round``. The run is ``stopped`` if it returns ``STOP``."""
        if self.on_round is None or self._seen is None:
            return
        (updates, direction), self._seen = self._seen, None
        scores = self._latest_scores() if self.record["rounds"][-1] == done else None
        seen = a_round(
            flat,
            self.server.reported,
            scores,
            round=updates.round,
            seed=self.seed,
            updates=updates,
            direction=direction,
            personal=None if self.personal is None else self.personal.clone(),
        )
        self.stopped = self.on_round(seen) is STOP

    def _latest_scores(self) -> dict[str, dict[str, np.ndarray]]:
        what = (*(("accuracy", "loss") if self.federation.dataset.classes else ("loss",)), *self.metrics)
        return {part: {name: np.array(self.record[f"{part}/{name}"][-1]) for name in what} for part in self.scorers}

    def _skip(self, round: int) -> torch.Tensor:
        """Record a round without participants. The model and all memories stay as they were."""
        self.record["participants"].append([])
        for name in ("weights", "rates"):
            self.record[name].append(None)
        self.record["direction_norm"].append(0.0)
        self.record["smallest_rate"].append(float("nan"))
        self.record["remarks"].append((round, "no client was drawn, and the model stayed as it was"))
        return torch.zeros_like(self.server.w)

    def evaluate(self, flat: FlatModel, done: int) -> None:
        """Score the reported model, or the personal models, after ``done`` rounds."""
        models = self.server.reported[None] if self.personal is None else self.personal
        scored = {part: self._scores(flat, models, scorers) for part, scorers in self.scorers.items()}
        if not self.ditto and self.everyone and torch.equal(self.server.reported, self.server.w):
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
        kept = {"memory": self.memory, "personal": self.personal, "record": self.record, **self.server.state_dict()}
        return kept | ({"stopped": True} if self.stopped else {})

    def load_state_dict(self, state: dict) -> None:
        self.server.load_state_dict(state)
        self.record, self.memory = state["record"], _moved(state["memory"], self.server.w.device)
        self.personal = _moved(state["personal"], self.server.w.device)
        self.stopped = state.get("stopped", False)
        for name in ("weights", "rates"):  # an earlier edition recorded none
            known = self.record.setdefault(name, [])
            self.record[name] = [None] * (len(self.record["participants"]) - len(known)) + known

    def continues(self, done: int) -> None:
        """Drop the evaluation after ``done`` rounds, which a longer run does not make."""
        if self.record["rounds"][-1] == done:
            for name in ("rounds", *(name for name in self.record if "/" in name)):
                self.record[name].pop()

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
            participants=_filled(r["participants"], -1, np.int64),
            weights=self._per_client("weights"),
            rates=self._per_client("rates"),
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

    def _per_client(self, name: str) -> np.ndarray | None:
        """The record of ``name`` as an array like ``History.participants``, or ``None`` if it is not recorded."""
        if not self.record_rates:
            return None
        pairs = zip(self.record["participants"], self.record[name])
        return _filled([[math.nan] * len(clients) if row is None else row for clients, row in pairs], math.nan, float)


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


def _filled(rounds: list[list], padding: float, dtype: type) -> np.ndarray:
    """One row per round, padded where fewer clients took part than in other rounds."""
    longest = max(map(len, rounds), default=0)
    lines = [row + [padding] * (longest - len(row)) for row in rounds]
    return np.array(lines, dtype=dtype).reshape(len(rounds), longest)


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
