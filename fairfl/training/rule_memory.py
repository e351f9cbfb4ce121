"""``Memory``: does a rule keep from round to round what its checkpoint would not hold?"""

import functools
import io

import torch

from fairfl.errors import Refused
from fairfl.rules import Rule
from fairfl.training.description import state_of


class Memory:
    """A rule's attributes as they were when ``Memory`` was made, so that one can see which of them it uses as memory.

    Left out: what the rule declares in ``remembers``, and a ``functools.cached_property``, which can be computed again.
    A rule with a ``state_dict`` of its own answers for itself.
    """

    def __init__(self, rule: Rule):
        self.rule = rule
        self.trusted = type(rule).state_dict is not Rule.state_dict
        self.before = self._attributes()

    def check(self, readable: bool = False) -> None:
        """Raise ``Refused``, naming the attribute, if a checkpoint would lose what changed since ``Memory`` was made.

        ``readable``: look also whether the state that it would hold can be read back.
        """
        now = self._attributes()
        changed = sorted(name for name in now if name not in self.before or now[name] != self.before[name])
        if changed:
            name, word = changed[0], changed[0].lstrip("_")
            raise Refused(
                f"{self.rule.name} changed self.{name} in a round, and no checkpoint would hold it: a "
                f"resumed run would go on without. Keep it as self._{word} and declare it, "
                f"remembers = ({word!r},), or compute it anew in each round, or leave checkpoint= out"
            )
        for name, value in self.rule.state_dict().items() if readable else ():
            readable_back(self.rule.name, name, value)

    def _attributes(self) -> dict:
        if self.trusted:
            return {}
        declared = {f"_{name}" for name in self.rule.remembers}
        cached = lambda name: isinstance(getattr(type(self.rule), name, None), functools.cached_property)
        return {
            name: state_of(value)
            for name, value in vars(self.rule).items()
            if name not in declared and not cached(name)
        }


def readable_back(who: str, name: str, value: object) -> None:
    """Raise ``Refused`` if a checkpoint could hold ``who``'s ``value`` and not give it back."""
    try:
        torch.save(value, file := io.BytesIO())
        file.seek(0)
        torch.load(file, weights_only=True)
    except Exception as error:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise Refused(
            f"{who} remembers {name!r} as a {kind}, which could not be read back from a "
            f"checkpoint; keep tensors, plain numbers, text, and lists or dicts of these"
        ) from error
