"""``train``'s ``tamper``: one copy per run, and a check that a checkpoint holds all of its state."""

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
    """One copy per run, so a tamper's state does not depend on which seeds train beside it.

    A function is used as it is, whatever it captured. Raises ``Refused`` if a tamper cannot be copied.
    """
    copies = []
    for tamper in tampers:
        try:
            copies.append(copy.deepcopy(tamper))
        except Exception as error:
            raise Refused(
                f"tamper is {_called(tamper)}, which cannot be copied ({error}), and every run needs a copy. Keep only "
                f"attributes that can be copied, or pass a function, which is used as it is",
                "type",
            ) from error
    return copies


def state(tamper: Tamper) -> dict:
    """The part of a run's checkpoint for its ``tamper``: the ``state_dict``, or nothing if it has none."""
    holder: Any = _holder(tamper)
    return {"tamper": holder.state_dict()} if _saves_its_state(holder) else {}


def restore(tamper: Tamper, state: dict) -> None:
    """Restore what ``state`` saved of ``tamper``. Tensors are on the CPU."""
    if "tamper" in state:
        holder: Any = _holder(tamper)
        holder.load_state_dict(state["tamper"])


class TamperMemory:
    """A snapshot of a tamper, to detect state that no checkpoint would hold.

    It covers all attributes of an object, and the variables that a function captured, its attributes, and the globals
    that it reads. A tamper with ``state_dict`` and ``load_state_dict`` is trusted.
    """

    def __init__(self, tamper: Tamper):
        self.tamper = tamper
        self.trusted = _saves_its_state(_holder(tamper))
        self.before = self._snapshot()

    def check(self, readable: bool = False) -> None:
        """Raise ``Refused``, which names what changed, if a checkpoint would lose it.

        ``readable``: also check that the saved state can be read back.
        """
        if changed := differences(self._snapshot(), self.before):
            raise Refused(
                f"tamper {_called(self.tamper)} changed {changed[0].split(':')[0]} in a round, and a checkpoint would "
                f"not hold it, so a resumed run would lose it. Give the tamper state_dict() and "
                f"load_state_dict(state), or compute the value anew in each round, or leave checkpoint= out",
                "state",
            )
        for name, value in state(self.tamper).items() if readable else ():
            readable_back(f"{name} {_called(self.tamper)}", "state_dict()", value)

    def _snapshot(self) -> dict:
        if self.trusted or self.tamper is None:
            return {}
        found: dict[str, Any] = {"settings": identify("tamper", self.tamper)}
        for place, part in enumerate(_parts(self.tamper)):
            found[f"part {place}"] = state_of(part)
            if isinstance(part, types.FunctionType):
                found[f"attributes {place}"] = {
                    name: "(itself)" if value is part else state_of(value) for name, value in vars(part).items()
                }
        return found


def _saves_its_state(holder: object) -> bool:
    return all(callable(getattr(holder, name, None)) for name in ("state_dict", "load_state_dict"))


def _holder(tamper: object) -> object:
    """The object that holds the state; for a bound method, its instance."""
    return tamper.__self__ if isinstance(tamper, types.MethodType) else tamper


def _parts(tamper: object) -> list:
    """The objects inside ``tamper``: a partial's function and arguments (recursively), or a method's instance."""
    if isinstance(tamper, functools.partial):
        return [part for given in (tamper.func, *tamper.args, *tamper.keywords.values()) for part in _parts(given)]
    return [_holder(tamper)]


def _called(tamper: object) -> str:
    return getattr(tamper, "__name__", None) or type(tamper).__name__
