"""Run the server and the clients of ``fairfl.deployment`` on separate machines with Flower.

In and out: Flower's messages. ``FairStrategy``, ``client_app`` and ``server_app`` write replies into them and read them
again; ``fairfl.deployment.Coordinator`` processes the replies. Needs ``pip install "fairfl[flower]"``; Flower is
imported on first use.

``FairStrategy``: a ``Coordinator`` behind Flower's ``Strategy``. ``client_app``: the program of a SuperNode, from a
``Member``. ``server_app``: the program of the SuperLink. See their own docstrings.
"""

import importlib
import importlib.util

from fairfl._extras import needed_by

_WITH_FLOWER = {"FairStrategy": "strategy", "client_app": "apps", "server_app": "apps"}

__all__ = [*_WITH_FLOWER]


def __dir__() -> list[str]:
    # ``help`` reads every name listed here, and would fail at names that cannot be imported.
    return sorted({*globals(), *(__all__ if importlib.util.find_spec("flwr") else ())})


def __getattr__(name: str) -> object:
    if name not in _WITH_FLOWER:
        raise AttributeError(
            f"module 'fairfl.deployment.flower' has no attribute {name!r}; it has {', '.join(_WITH_FLOWER)}"
        )
    with needed_by(f"fairfl.deployment.flower.{name}"):
        return getattr(importlib.import_module(f"fairfl.deployment.flower.{_WITH_FLOWER[name]}"), name)
