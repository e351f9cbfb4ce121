"""``Memory``: a check that a checkpoint holds all the state that a rule keeps between rounds."""

import functools
import io

import torch

from fairfl.errors import Refused
from fairfl.rules import Rule
from fairfl.training.description import state_of


class Memory:
    """A snapshot of a rule's attributes, to detect those that it uses as memory.

    Attributes declared in ``remembers`` are left out, and so is a ``functools.cached_property``, which can be computed
    again. A rule with its own ``state_dict`` is trusted.
    """

    def __init__(self, rule: Rule):
        self.rule = rule
        self.trusted = type(rule).state_dict is not Rule.state_dict
        self.before = self._attributes()

    def check(self, readable: bool = False) -> None:
        """Raise ``Refused``, which names the attribute, if a checkpoint would lose a change since the snapshot.

        ``readable``: also check that the saved state can be read back.
        """
        now = self._attributes()
        changed = sorted(name for name in now if name not in self.before or now[name] != self.before[name])
        if changed:
            name, word = changed[0], changed[0].lstrip("_")
            raise Refused(
                f"{self.rule.name} changed self.{name} in a round, and a checkpoint would not hold it, so a resumed "
                f"run would lose it. Keep it as self._{word} and declare it with remembers = ({word!r},), or compute "
                f"it anew in each round, or leave checkpoint= out",
                "state",
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


def readable_back(owner: str, name: str, value: object) -> None:
    """Raise ``Refused`` if ``owner``'s ``value`` could be saved in a checkpoint but not loaded from it."""
    try:
        torch.save(value, file := io.BytesIO())
        file.seek(0)
        torch.load(file, weights_only=True)
    except Exception as error:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise Refused(
            f"{owner} remembers {name!r} as a {kind}, which could not be read back from a checkpoint; keep tensors, "
            f"plain numbers, strings, and lists or dicts of these",
            "type",
        ) from error
