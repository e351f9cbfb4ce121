"""``Footing``: what a server needs to survive a model that one client ruined: the state before it, and who did it."""

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
    """Judges rows by their length before a rule sees them, and takes a model back from which nobody comes back sound.

    ``ceiling``: how long a row may be that is ``FAR`` times as long as the median row. It begins where the square of
    the length leaves the model's type (about 1.8e19 in float32), and falls when a shorter row than that has ruined a
    model. ``before``: the server's state before the newest step, from which clients did come back sound. ``suspects``:
    whose row of the newest step was far longer than the others', the median length, and what they sent.
    """

    def __init__(self, dtype: torch.dtype):
        self.ceiling = math.sqrt(torch.finfo(dtype).max)
        self.before: dict | None = None
        self.suspects: dict[int, tuple[str, float, str]] = {}

    def outsized(self, updates: Updates) -> dict[int, str]:
        """Whose rows are too long for any rule, and why, in words that follow "it"."""
        return {
            k: f"{sent}, too large for any rule"
            for k, (length, _, sent) in far_rows(updates).items()
            if length > self.ceiling
        }

    def note(self, step: ServerStep, updates: Updates) -> dict | None:
        """A copy of ``step``'s state, for ``stepped`` to keep; ``None`` where no row of ``updates`` asks for one."""
        return copy.deepcopy(step.state_dict()) if far_rows(updates) else None

    def stepped(self, before: dict | None, updates: Updates, sound: Mapping[int, Sound]) -> None:
        """A step was taken: from ``before``, with ``updates``."""
        self.before = before
        self.suspects = {k: (sound[k].who, median, sent) for k, (_, median, sent) in far_rows(updates).items()}

    def lost(self, sound: Iterable[int], refused: Iterable[Refusal], quorum: int) -> bool:
        """Whether a suspect has ruined the newest model: ``quorum`` or more came back from it with numbers that are not
        finite, and nobody came back sound who is not a suspect. Without a suspect it is the replies that are judged.
        """
        broken = sum(isinstance(refusal.reason, NotFinite) for refusal in refused)
        return bool(self.suspects) and broken >= quorum and not set(sound) - set(self.suspects)

    def back(self, step: ServerStep) -> list[Refusal]:
        """Put ``step`` where it was before the newest model, and say whose update made that model."""
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
        self.suspects = {int(k): tuple(told) for k, told in state["suspects"].items()}
