"""Checks that code named in a declaration makes what it is declared to make.

The check comes before the first call, because a declaration may come from a stranger: ``subprocess:Popen`` can be called with
settings just as a rule can. A class is judged by its base classes, a function by its return annotation.
"""

from collections.abc import Callable

from torch import nn

from fairfl.errors import Refused
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.updates import Updates
from reproductions import own_code
from reproductions.declared_settings import types_of

WANTED = {
    "rule": (Rule, "fairfl.rules.Rule", "derive your class from it"),
    "federation": (Federation, "fairfl.Federation", "annotate your function with `-> Federation`"),
    "model": (nn.Module, "torch.nn.Module", "annotate your function with `-> nn.Module`"),
    "measure": (float, "float", "annotate your function with `-> float`"),
    "attack": (
        Updates,
        "fairfl.Updates",
        "name a class whose `__call__` has `-> Updates`, or derive one from the attacks in fairfl.attacks",
    ),
}


def find(kind: str, reference: str, *arguments: str, **settings: object) -> Callable:
    """The code that a declaration calls ``reference`` ("module:name"), for a ``kind`` in ``WANTED``. It is not called here.

    With ``arguments`` (described in words), it is also checked that it can be called with them and the ``settings``. A class makes its
    instances; an attack is a class whose instances return ``Updates``. Raises ``Refused``.
    """
    found = own_code.function(kind, reference, *arguments, **settings) if arguments else own_code.find(kind, reference)
    wanted, name, remedy = WANTED[kind]
    if kind == "attack":
        made = types_of(found.__call__).get("return") if isinstance(found, type) else None
    else:
        made = found if isinstance(found, type) else types_of(found).get("return")
    if not (isinstance(made, type) and issubclass(made, wanted)):
        raise Refused(f"{kind} {reference!r} does not declare that it makes a {name}; {remedy}", "type")
    return found
