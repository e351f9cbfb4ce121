"""Callbacks for ``train(on_round=…)``: keep the best model, stop early, write TensorBoard's files, and combine them."""

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fairfl._extras import needed_by
from fairfl._validation import integer, number, one_of
from fairfl.errors import Refused
from fairfl.federation import PARTS
from fairfl.training.on_round import STOP, Callback, Round, named, restore, shown, state
from fairfl.training.user_objects import saves_its_state


class _Best:
    """The best score of a run so far. Starts anew at round 0."""

    def __init__(self, part: str, by: str):
        self.part, self.by = one_of("part", part, *PARTS), one_of("by", by, "mean", "worst")
        self._begin()

    def _begin(self) -> None:
        self.score, self.round = math.nan, -1

    def _gain(self, round: Round) -> float:
        """By how much this round's score is better than the best one so far; NaN if it was not evaluated."""
        if round.round == 0:
            self._begin()
        score = math.nan if round.scores is None else score_of(round, self.part, self.by)
        if round.scores is None or math.isnan(score):
            return math.nan
        better = score - self.score if "accuracy" in round.scores[self.part] else self.score - score
        return math.inf if self.round < 0 else better

    def _improve(self, round: Round) -> None:
        self.score, self.round = score_of(round, self.part, self.by), round.round

    def state_dict(self) -> dict[str, Any]:
        return {"score": self.score, "round": self.round}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.score, self.round = state["score"], state["round"]


class BestModel(_Best):
    """Keep the parameters of the best evaluated round.

    - ``part``: the rows that decide, "validation" by default; name it in ``train(score=…)``.
    - ``by``: "mean", the mean over clients, or "worst", the worst client's score. Scores are accuracies, or in
      regression losses.

    After the training, ``parameters`` (d,) are the best ones, on the CPU, and ``history.model(parameters=...)`` makes
    a module of them. ``round`` is their round, from 0, and ``score`` their score; the scores of this round are in the
    row of the history where ``rounds`` is ``round + 1``. The initial model does not count. With Ditto, the scores are
    those of the personal models, and ``personal`` (N, d) has the best ones.

    >>> from fairfl import data, partition, train
    >>> from fairfl.training import BestModel
    >>> federation = partition.iid(data.load("digits"), 4, validation=0.1)
    >>> best = BestModel(by="worst")
    >>> history = train(federation, rounds=5, score=["validation"], on_round=best)
    >>> bool(best.score == history.validation_accuracy[1:].min(1).max()), best.parameters.shape
    (True, torch.Size([650]))
    """

    parameters: torch.Tensor | None
    personal: torch.Tensor | None

    def __init__(self, part: str = "validation", by: str = "mean"):
        super().__init__(part, by)

    def _begin(self) -> None:
        super()._begin()
        self.parameters = self.personal = None

    def __call__(self, round: Round) -> None:
        if self._gain(round) > 0:
            self._improve(round)
            self.parameters = round.parameters.detach().cpu().clone()
            self.personal = None if round.personal is None else round.personal.detach().cpu().clone()

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"parameters": self.parameters, "personal": self.personal}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.parameters, self.personal = state["parameters"], state["personal"]


class EarlyStop(_Best):
    """Stop a run when its score has not improved for ``patience`` evaluations in a row.

    ``part`` and ``by`` are as in ``BestModel``. ``least``: the smallest gain that counts as an improvement.
    """

    def __init__(self, patience: int = 5, part: str = "validation", by: str = "mean", least: float = 0.0):
        self.patience = integer("patience", patience, 1, "It is a number of evaluations.")
        self.least = number("least", least, 0)
        super().__init__(part, by)

    def _begin(self) -> None:
        super()._begin()
        self.waited = 0

    def __call__(self, round: Round) -> object:
        gain = self._gain(round)
        if round.scores is None:
            return None
        if gain > self.least:
            self._improve(round)
        self.waited = 0 if gain > self.least else self.waited + 1
        return STOP if self.waited >= self.patience else None

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"waited": self.waited}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.waited = state["waited"]


class TensorBoard:
    """Write scores, rates and the direction's length as TensorBoard's scalars, one folder per seed in ``folder``.

    The tags are ``test/accuracy/mean``, ``test/accuracy/worst`` and the same for losses and other parts,
    ``rates/smallest`` and ``direction/norm``. The step is the number of finished rounds. One instance serves several
    seeds. Raises ``NotInstalled`` without the extra ``tensorboard``.
    """

    def __init__(self, folder: str | os.PathLike):
        with needed_by("TensorBoard"):
            from torch.utils.tensorboard import SummaryWriter
        self.folder, self._make = Path(folder), SummaryWriter
        self._writers: dict[int, Any] = {}

    def __call__(self, round: Round) -> None:
        done = round.round + 1
        if round.seed not in self._writers or round.round == 0:
            # A resumed run repeats the rounds after its checkpoint: purge what was written of them.
            self._writers[round.seed] = self._make(str(self.folder / f"seed_{round.seed}"), purge_step=done)
        writer = self._writers[round.seed]
        writer.add_scalar("direction/norm", float(torch.linalg.vector_norm(round.direction.vector)), done)
        if round.direction.rates is not None:
            writer.add_scalar("rates/smallest", float(round.direction.rates.min()), done)
        for part, scores in (round.scores or {}).items():
            for what in scores:
                for by in ("mean", "worst"):
                    writer.add_scalar(f"{part}/{what}/{by}", score_of(round, part, by, what), done)
        writer.flush()


class Compose:
    """Several callbacks as one; the run stops if one of them returns ``STOP``.

    >>> from fairfl.training import BestModel, Compose, EarlyStop
    >>> both = Compose(BestModel(), EarlyStop(patience=3))
    """

    def __init__(self, *callbacks: Callback):
        self.callbacks = callbacks

    def __call__(self, round: Round) -> object:
        answers = [callback(round) for callback in self.callbacks]
        return STOP if any(answer is STOP for answer in answers) else None

    def state_dict(self) -> dict[str, Any]:
        return {"states": [state(callback) for callback in self.callbacks]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Raises ``Refused`` if the callbacks that keep a state are not those of ``state``, in the same order."""
        keeping = [callback for callback in self.callbacks if saves_its_state(callback)]
        states = [kept for kept in state["states"] if kept]
        if len(states) != len(keeping):
            saved = ", ".join(shown(kept["callback"]) for kept in states) or "none"
            given = ", ".join(shown(named(callback)) for callback in keeping) or "none"
            raise Refused(
                f"on_round composes these callbacks with a state: {given}. The checkpoint has these: {saved}. A "
                f"resumed run needs the same ones. Pass those, leave on_round out, or pass another path",
                "state",
            )
        for callback, kept in zip(keeping, states):
            restore(callback, kept)


def score_of(round: Round, part: str, by: str, what: str | None = None) -> float:
    """The mean or worst of an evaluated round's scores on ``part``: of ``what``, or of accuracies if there are any.

    Raises ``Refused`` if the run does not score ``part``.
    """
    scores = round.scores or {}
    if part not in scores:
        raise Refused(
            f"part is {part!r}, and this run scores {', '.join(map(repr, scores))}; name it in train(score=[{part!r}])",
            "missing",
        )
    what = what or ("accuracy" if "accuracy" in scores[part] else "loss")
    values = scores[part][what]
    return float(np.mean(values) if by == "mean" else values.max() if what == "loss" else values.min())
