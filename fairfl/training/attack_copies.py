"""``train``'s ``tamper``: every run has its own, and a checkpoint holds what it remembers, or none is written."""

import copy
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

from fairfl.errors import Refused
from fairfl.training.checkpoint import differences
from fairfl.training.description import identify, state_of
from fairfl.training.rule_memory import readable_back

Tamper = Callable | None


def own_copies(tampers: Sequence[Tamper]) -> list[Tamper]:
    """One for every run, so that what one remembers does not depend on which seeds train beside it.

    A function stays the one that it is, whatever it captured. Raises ``Refused`` for what cannot be copied.
    """
    copies = []
    for tamper in tampers:
        try:
            copies.append(copy.deepcopy(tamper))
        except Exception as error:
            raise Refused(
                f"tamper is {_called(tamper)}, which cannot be copied ({error}), and every run gets a copy of its "
                f"own. Hold there what can be copied, or give a function, which is used as it is"
            ) from error
    return copies


def state(tamper: Tamper) -> dict:
    """What a run's checkpoint holds of its ``tamper``: nothing, or what its ``state_dict`` gives."""
    holder: Any = _holder(tamper)
    return {"tamper": holder.state_dict()} if _answers_for_itself(holder) else {}


def restore(tamper: Tamper, state: dict) -> None:
    """Give ``tamper`` back what ``state`` saved. Tensors come on the CPU."""
    if "tamper" in state:
        holder: Any = _holder(tamper)
        holder.load_state_dict(state["tamper"])


class TamperMemory:
    """A tamper as it was when this was made, so that one can see whether it remembers what no checkpoint would hold.

    Looked at: all attributes of an object, and what a function captured, carries as attributes and reads as globals. A
    tamper with ``state_dict`` and ``load_state_dict`` answers for itself.
    """

    def __init__(self, tamper: Tamper):
        self.tamper = tamper
        self.trusted = _answers_for_itself(_holder(tamper))
        self.before = self._told()

    def check(self, readable: bool = False) -> None:
        """Raise ``Refused``, naming what changed, if a checkpoint would lose it.

        ``readable``: look also whether the state that it would hold can be read back.
        """
        if changed := differences(self._told(), self.before):
            raise Refused(
                f"tamper {_called(self.tamper)} changed {changed[0].split(':')[0]} in a round, and no checkpoint would "
                f"hold it: a resumed run would go on without. Give it state_dict() and load_state_dict(state), "
                f"or compute it anew in each round, or leave checkpoint= out"
            )
        for name, value in state(self.tamper).items() if readable else ():
            readable_back(f"{name} {_called(self.tamper)}", "state_dict()", value)

    def _told(self) -> dict:
        if self.trusted or self.tamper is None:
            return {}
        told: dict[str, Any] = {"settings": identify("tamper", self.tamper)}
        for place, part in enumerate(_parts(self.tamper)):
            told[f"part {place}"] = state_of(part)
            if isinstance(part, types.FunctionType):
                told[f"attributes {place}"] = {
                    name: "(itself)" if value is part else state_of(value) for name, value in vars(part).items()
                }
        return told


def _answers_for_itself(holder: object) -> bool:
    return all(callable(getattr(holder, name, None)) for name in ("state_dict", "load_state_dict"))


def _holder(tamper: object) -> object:
    """The object that remembers: a method's own."""
    return tamper.__self__ if isinstance(tamper, types.MethodType) else tamper


def _parts(tamper: object) -> list:
    """A partial's function and arguments, each taken apart as well; of a method its object; anything else itself."""
    if isinstance(tamper, functools.partial):
        return [part for given in (tamper.func, *tamper.args, *tamper.keywords.values()) for part in _parts(given)]
    return [_holder(tamper)]


def _called(tamper: object) -> str:
    return getattr(tamper, "__name__", None) or type(tamper).__name__
