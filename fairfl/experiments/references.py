"""``module:name``: how a declaration names code that is not in the package."""

import importlib

from fairfl.errors import Refused, unknown


def find(kind: str, reference: str):
    """The object called ``name`` in ``module``, for a ``reference`` "module:name".

    Raises ``ValueError`` naming ``reference`` if the module cannot be imported or has no such name.
    """
    module, _, name = reference.partition(":")
    try:
        held = importlib.import_module(module)
    except ImportError as error:
        raise Refused(f"{kind} {reference!r}: module {module!r} cannot be imported ({error}); "
                         f"is its folder on PYTHONPATH?") from error
    if not hasattr(held, name):
        raise unknown(f"name in module {module!r} for {kind} {reference!r}", name, [n for n in vars(held) if not n.startswith("_")])
    return getattr(held, name)
