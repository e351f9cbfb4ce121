"""Checkpoints: written whole or not at all, continued only under equal settings."""

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from fairfl import atomic
from fairfl.errors import Refused


class Pace:
    """When the next checkpoint is due, such that long ones take a twentieth of a run's time at most.

    FedFV remembers 263 MB in Table 2: written every 100 rounds, as declared, they took longer than the training between
    them does on a card. Checkpoints that take less than a quarter of a second are due whenever they are asked for.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter):
        self._clock, self._next = clock, -math.inf

    def due(self) -> bool:
        return self._clock() >= self._next

    @contextmanager
    def writing(self) -> Iterator[None]:
        begun = self._clock()
        yield
        took = self._clock() - begun
        self._next = self._clock() + 19 * took if took > 0.25 else -math.inf


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


def save(path: str | os.PathLike, settings: dict, state: dict) -> None:
    """Write ``state`` to ``path`` by way of a temporary file beside it.

    Raises ``OSError`` naming the file where it cannot be written; the checkpoint before, if any, stays.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic.writing(path) as file:
            torch.save({"settings": settings, "state": state}, file)
    except (OSError, RuntimeError) as error:
        # torch's writer buries a full disk under an error of its own.
        cause = error if isinstance(error, OSError) else error.__context__
        if not isinstance(cause, OSError):
            raise
        told = (
            f"{cause.strerror}, so that the checkpoint could not be written. Make room there, or give another "
            f"path. An earlier checkpoint there is whole, and the same call continues from it"
        )
        raise OSError(cause.errno, told, str(path)) from error


def load(path: str | os.PathLike, settings: dict) -> dict | None:
    """The state at ``path``, or ``None`` if there is none.

    Raises ``Refused`` if nothing can be written there, the file is no checkpoint, or it was made under other settings
    (each difference is named).
    """
    path = Path(path)
    _try_writing(path)
    if not path.exists():
        return None
    try:
        held = torch.load(path, map_location="cpu", weights_only=True)
        theirs, state = held["settings"], held["state"]
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}); give another path") from error
    except Exception:
        # Not chained: torch's own words advise to load the file without protection against code in it.
        raise Refused(
            f"{path} is not a readable checkpoint: it was cut short, damaged, or not written by train; "
            f"delete it or give another path"
        ) from None
    different = differences(settings, theirs)
    if different:
        raise Refused(
            f"{path} is a checkpoint of a run with other settings: {'; '.join(different)}. "
            f"Give another path, or the same settings"
        )
    return state


def _try_writing(path: Path) -> None:
    """Refuse a folder that takes no files now, and not after the first rounds."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise Refused(
            f"no checkpoint can be written in {path.parent} ({error.strerror}); give checkpoint= a path in a "
            f"folder that you may write to"
        ) from error
