"""The name of a class or function in a run's identity: its subpackage, without the file inside it.

So a file can be moved or split, and old checkpoints can still be continued.
"""

import re
from typing import Any

# Subpackages of the second edition that have another name today, the longest first.
_RENAMED = {
    "fairfl.server.round": "fairfl.training",
    "fairfl.server.step": "fairfl.training",
    "fairfl.server": "fairfl.deployment",
    "fairfl.flower": "fairfl.deployment",
    "fairfl.secure": "fairfl.deployment",
    "fairfl.randomness": "fairfl._randomness",
    "fairfl.layers": "fairfl._layers",
}
_NAME = re.compile(r"(fairfl(?:\.\w+)+):([\w.<>]+)")


def public_name(module: str, name: str) -> str:
    """``module:name``; for names of this package, with the subpackage instead of the module: "fairfl.rules:FedAvg".

    ``module`` may be a name of the second edition.

    >>> public_name("fairfl.rules.mgda", "FedMGDA"), public_name("fairfl.server.step", "Server")
    ('fairfl.rules:FedMGDA', 'fairfl.training:Server')
    """
    if module.partition(".")[0] != "fairfl":
        return f"{module}:{name}"
    for old, new in _RENAMED.items():
        if module == old or module.startswith(f"{old}."):
            return f"{new}:{name}"
    return f"{'.'.join(module.split('.')[:2])}:{name}"


def translated(settings: Any) -> Any:
    """``settings`` from a checkpoint of any edition, with today's names for classes and functions of this package."""
    if isinstance(settings, dict):
        return {name: translated(value) for name, value in settings.items()}
    if isinstance(settings, list):
        return [translated(value) for value in settings]
    found = _NAME.fullmatch(settings) if isinstance(settings, str) else None
    return public_name(found[1], found[2]) if found else settings
