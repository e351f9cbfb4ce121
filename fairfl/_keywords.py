"""``teaches_keywords``: an unknown keyword argument raises a ``Refused`` that names the known ones."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from fairfl.errors import Refused, unknown

C = TypeVar("C", bound=Callable[..., Any])

# Names of other libraries, and ours.
OURS = {
    "sampler": "participation",
    "fraction": "participation",
    "optimizer": "optimiser",
    "learning_rate": "lr",
    "lr_scheduler": "lr",
    "callback": "on_round",
    "callbacks": "on_round",
    "metrics": "score",
    "attack": "tamper",
    "seeds": "seed",
    "mu": "proximal",
}


def teaches_keywords(called: C) -> C:
    """``called``, a function or a class, which raises ``Refused`` of kind "name" for an unknown keyword argument.

    A subclass with a constructor of its own is not affected.
    """
    # Other calls go through unchanged, and raise Python's own errors.
    plain: Callable[..., Any] = called.__init__ if isinstance(called, type) else called  # type: ignore[misc]
    known = list(inspect.signature(called).parameters)

    @functools.wraps(plain)
    def checked(*positional: Any, **given: Any) -> Any:
        for name in (name for name in given if name not in known):
            ours = OURS.get(name, "")
            what = f"argument of {called.__name__}"
            if ours in known:
                raise Refused(
                    f"unknown {what} {name!r}; known: {', '.join(known)}. Here it is called {ours!r}.", "name"
                )
            raise unknown(what, name, known)
        return plain(*positional, **given)

    if isinstance(called, type):
        called.__init__ = checked  # type: ignore[misc]
        return called
    return checked  # type: ignore[return-value]
