"""``Footing`` undoes a step that ruined the model: it keeps the state before the step, and the suspected senders."""

import copy
import math
from collections.abc import Iterable, Mapping

import torch

from fairfl.deployment.attribution import FAR, far_rows
from fairfl.deployment.collect import Sound
from fairfl.deployment.reply import NotFinite, Refusal
from fairfl.training.server_step import ServerStep
from fairfl.updates import Updates


class Footing:
    """Refuse outsized rows before a rule sees them, and roll back a model from which no client replies soundly.

    ``ceiling``: the largest allowed length of a row that is ``FAR`` times as long as the median row. It starts where
    the square of the length overflows the model's type (about 1.8e19 in float32), and is lowered when a shorter row has
    ruined a model. ``before``: the server's state before the newest step, from which clients did send sound replies.
    ``suspects``: the clients whose row in the newest step was far longer than the others', each with its name, the
    median length, and what it sent.
    """

    def __init__(self, dtype: torch.dtype):
        self.ceiling = math.sqrt(torch.finfo(dtype).max)
        self.before: dict | None = None
        self.suspects: dict[int, tuple[str, float, str]] = {}

    def outsized(self, updates: Updates) -> dict[int, str]:
        """The clients whose rows are too long for any rule, and why, in words that follow "it"."""
        return {
            k: f"{sent}, too large for any rule"
            for k, (length, _, sent) in far_rows(updates).items()
            if length > self.ceiling
        }

    def note(self, step: ServerStep, updates: Updates) -> dict | None:
        """A copy of ``step``'s state, for ``stepped`` to keep; ``None`` if no row of ``updates`` is suspect."""
        return copy.deepcopy(step.state_dict()) if far_rows(updates) else None

    def stepped(self, before: dict | None, updates: Updates, sound: Mapping[int, Sound]) -> None:
        """Record a step: the state ``before`` it, and its suspects."""
        self.before = before
        self.suspects = {k: (sound[k].who, median, sent) for k, (_, median, sent) in far_rows(updates).items()}

    def lost(self, sound: Iterable[int], refused: Iterable[Refusal], quorum: int) -> bool:
        """Whether a suspect has ruined the newest model.

        It has if ``quorum`` or more clients replied with numbers that are not finite, and only suspects replied
        soundly. Without a suspect the model is never judged, only the replies.
        """
        broken = sum(isinstance(refusal.reason, NotFinite) for refusal in refused)
        return bool(self.suspects) and broken >= quorum and not set(sound) - set(self.suspects)

    def back(self, step: ServerStep) -> list[Refusal]:
        """Restore ``step`` to the state before the newest model, and return refusals of the suspects."""
        assert self.before is not None
        step.load_state_dict(self.before)
        named = [Refusal(who, f"{sent}, which ruined the model") for who, _, sent in self.suspects.values()]
        for _, median, _ in self.suspects.values():
            self.ceiling = min(self.ceiling, FAR * max(1.0, median))
        self.before, self.suspects = None, {}
        return named

    def state_dict(self) -> dict:
        return {"ceiling": self.ceiling, "before": self.before, "suspects": dict(self.suspects)}

    def load_state_dict(self, state: Mapping) -> None:
        self.ceiling, self.before = float(state["ceiling"]), state["before"]
        self.suspects = {int(k): tuple(suspect) for k, suspect in state["suspects"].items()}
