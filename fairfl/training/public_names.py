"""What a class or function is called in a run's identity: by its room, whatever file of the room it is in.

So a file can move or be split, and a checkpoint is still continued.
"""

import re
from typing import Any

# The rooms of the second edition that have another name today, the longest first.
_ROOMS = {
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
    """``module:name``; for what this package defines, only its room: "fairfl.rules:FedAvg".

    ``module`` may be a name of the second edition.

    >>> public_name("fairfl.rules.mgda", "FedMGDA"), public_name("fairfl.server.step", "Server")
    ('fairfl.rules:FedMGDA', 'fairfl.training:Server')
    """
    if module.partition(".")[0] != "fairfl":
        return f"{module}:{name}"
    for old, room in _ROOMS.items():
        if module == old or module.startswith(f"{old}."):
            return f"{room}:{name}"
    return f"{'.'.join(module.split('.')[:2])}:{name}"


def translated(told: Any) -> Any:
    """Settings as a checkpoint of any edition holds them, with today's names for what this package defines."""
    if isinstance(told, dict):
        return {name: translated(value) for name, value in told.items()}
    if isinstance(told, list):
        return [translated(value) for value in told]
    found = _NAME.fullmatch(told) if isinstance(told, str) else None
    return public_name(found[1], found[2]) if found else told
