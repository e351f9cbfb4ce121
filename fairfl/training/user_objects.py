"""Objects of the user's that may keep state: one copy per run of ``tamper`` and ``participation``, a check that a
checkpoint holds all of their state, and saving and restoring it, also for ``on_round``.
"""

import copy
import functools
import types
from collections.abc import Sequence
from typing import Any, TypeVar

from fairfl.attacks import Chain
from fairfl.errors import Refused
from fairfl.training.checkpoint import differences
from fairfl.training.description import identify, state_of
from fairfl.training.rule_memory import readable_back

T = TypeVar("T")


def own_copies(what: str, given: Sequence[T]) -> list[T]:
    """One copy per run, so the state of ``what`` does not depend on which seeds train beside it.

    A function is used as it is, whatever it captured. Raises ``Refused`` if an object cannot be copied.
    """
    copies = []
    for thing in given:
        try:
            copies.append(copy.deepcopy(thing))
        except Exception as error:
            raise Refused(
                f"{what} is {_called(thing)}, which cannot be copied ({error}), and every run needs a copy. Keep only "
                f"attributes that can be copied, or pass a function, which is used as it is",
                "type",
            ) from error
    return copies


def saves_its_state(thing: object) -> bool:
    """Whether a checkpoint holds the state of ``thing``; for a bound method, of its instance."""
    return all(callable(getattr(holder(thing), name, None)) for name in ("state_dict", "load_state_dict"))


def state(what: str, thing: object) -> dict:
    """The part of a run's checkpoint for ``thing``: the ``state_dict``, or nothing if it has none."""
    owner: Any = holder(thing)
    return {what: owner.state_dict()} if saves_its_state(owner) else {}


def restore(what: str, thing: object, state: dict) -> None:
    """Restore what ``state`` saved of ``thing``. Tensors are on the CPU."""
    if what in state:
        owner: Any = holder(thing)
        owner.load_state_dict(state[what])


class ObjectMemory:
    """A snapshot of an object, to detect state that no checkpoint would hold.

    It covers all attributes of an object, and the variables that a function captured, its attributes, and the globals
    that it reads. An object with ``state_dict`` and ``load_state_dict`` is trusted. Of a ``Chain``, every link is
    examined by itself.
    """

    def __init__(self, what: str, thing: object):
        self.what, self.thing = what, thing
        self.links = [ObjectMemory(what, link) for link in thing.tampers] if isinstance(thing, Chain) else []
        self.trusted = saves_its_state(thing)
        self.before = self._snapshot()

    def check(self, readable: bool = False) -> None:
        """Raise ``Refused``, which names what changed, if a checkpoint would lose it.

        ``readable``: also check that the saved state can be read back.
        """
        if changed := differences(self._snapshot(), self.before):
            raise Refused(
                f"{self.what} {_called(self.thing)} changed {changed[0].split(':')[0]} in a round, and a checkpoint "
                f"would not hold it, so a resumed run would lose it. Give it state_dict() and "
                f"load_state_dict(state), or compute the value anew in each round, or leave checkpoint= out",
                "state",
            )
        for link in self.links:
            link.check(readable)
        for name, value in state(self.what, self.thing).items() if readable and not self.links else ():
            readable_back(f"{name} {_called(self.thing)}", "state_dict()", value)

    def _snapshot(self) -> dict:
        if self.trusted or self.thing is None:
            return {}
        found: dict[str, Any] = {"settings": identify(self.what, self.thing)}
        for place, part in enumerate(_parts(self.thing)):
            found[f"part {place}"] = state_of(part)
            if isinstance(part, types.FunctionType):
                found[f"attributes {place}"] = {
                    name: "(itself)" if value is part else state_of(value) for name, value in vars(part).items()
                }
        return found


def holder(thing: object) -> object:
    """The object that holds the state; for a bound method, its instance."""
    return thing.__self__ if isinstance(thing, types.MethodType) else thing


def _parts(thing: object) -> list:
    """The objects inside ``thing``: a partial's function and arguments (recursively), or a method's instance."""
    if isinstance(thing, functools.partial):
        return [part for given in (thing.func, *thing.args, *thing.keywords.values()) for part in _parts(given)]
    return [holder(thing)]


def _called(thing: object) -> str:
    return getattr(thing, "__name__", None) or type(thing).__name__
