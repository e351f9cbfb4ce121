"""Whether what a declaration names makes what it is named for. This is asked before it is called, since a declaration may be a stranger's.

A name such as ``subprocess:Popen`` can be called with settings as a rule can. A class is known by what it is derived from, a function by the
return type that it states.
"""

import typing
from collections.abc import Callable

from torch import nn

from fairfl.errors import Refused
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.updates import Updates

ASKED = {
    "rule": (Rule, "fairfl.rules.Rule; derive your class from it"),
    "federation": (Federation, "fairfl.Federation; write `-> Federation` where your function is defined"),
    "model": (nn.Module, "torch.nn.Module; write `-> nn.Module` where your function is defined"),
    "attack": (
        Updates,
        "fairfl.Updates; name a class whose `__call__` says `-> Updates`, or derive one from the attacks in fairfl.attacks",
    ),
}


def refuse_others(kind: str, reference: str, found: Callable) -> None:
    """Raise ``Refused`` unless ``found``, which a declaration calls ``reference``, says that it makes a ``kind``: one of ``ASKED``.

    A class makes its instances, and an attack is a class whose instances, called, make ``Updates``. Nothing is called here.
    """
    wanted, told = ASKED[kind]
    if kind == "attack":
        made = _returned(found.__call__) if isinstance(found, type) else None
    else:
        made = found if isinstance(found, type) else _returned(found)
    if not (isinstance(made, type) and issubclass(made, wanted)):
        raise Refused(f"{kind} {reference!r} does not say that it makes what is a {told}")


def _returned(function: Callable) -> object:
    """The return type that ``function`` states; ``None`` where it states none, or one that cannot be looked up."""
    try:
        return typing.get_type_hints(function).get("return")
    except (AttributeError, NameError, TypeError):
        return None
