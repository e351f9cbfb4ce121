"""Checkpoints: written whole or not at all, continued only under equal settings."""

from pathlib import Path

import torch

from fairfl import atomic
from fairfl.errors import Refused


def differences(ours: dict, theirs: dict, path: str = "") -> list[str]:
    """The settings in which two nested dictionaries differ, as "rule.epsilon: 0.1 here, 0.5 there"."""
    out = []
    for name in sorted(set(ours) | set(theirs), key=str):
        here, there = ours.get(name, "absent"), theirs.get(name, "absent")
        if isinstance(here, dict) and isinstance(there, dict):
            out += differences(here, there, f"{path}{name}.")
        elif here != there:
            out.append(f"{path}{name}: {here!r} here, {there!r} in the checkpoint")
    return out


def save(path: str | Path, settings: dict, state: dict) -> None:
    """Write ``state`` to ``path`` by way of a temporary file beside it."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic.writing(path) as file:
        torch.save({"settings": settings, "state": state}, file)


def load(path: str | Path, settings: dict) -> dict | None:
    """The state at ``path``, or ``None`` if there is none.

    Raises ``ValueError`` if the file is no checkpoint, or was made under other settings (each difference is named).
    """
    path = Path(path)
    if not path.exists():
        return None
    try:
        held = torch.load(path, map_location="cpu", weights_only=True)
        theirs, state = held["settings"], held["state"]
    except Exception as error:
        raise Refused(f"{path} is not a readable checkpoint ({error}); delete it or give another path") from error
    different = differences(settings, theirs)
    if different:
        raise Refused(f"{path} is a checkpoint of a run with other settings: {'; '.join(different)}. "
                         f"Give another path, or the same settings")
    return state
