"""Checkpoints: written whole or not at all, continued only under equal settings."""

import errno
import math
import os
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from fairfl import _atomic_files
from fairfl.errors import Refused
from fairfl.training.public_names import translated


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
        with _atomic_files.writing(path) as file:
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


def load(path: str | os.PathLike, settings: dict, fresh: dict) -> dict | None:
    """The state at ``path``, or ``None`` if there is none.

    ``fresh``: the state that would be saved before the first round, which has the parts that the loaded one must have.

    Raises ``Refused`` if nothing can be written there, the file is no checkpoint, a bit of it is not as it was written,
    a part is lacking, or it was made under other settings (each difference is named).
    """
    path = Path(path)
    _try_writing(path)
    if not path.exists():
        return None
    try:
        # PyTorch writes a ZIP archive with a checksum of every record, and does not look at them when it reads: a run
        # would go on from a model with a flipped bit.
        with zipfile.ZipFile(path) as records:
            damaged = records.testzip()
        held = None if damaged else torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}); give another path") from error
    except Exception:
        # Not chained: torch's own words advise to load the file without protection against code in it.
        raise _unreadable(path) from None
    theirs, state = (held.get("settings"), held.get("state")) if isinstance(held, dict) else (None, None)
    if not isinstance(theirs, dict):
        raise _unreadable(path)
    different = differences(settings, translated(theirs))
    if different:
        told, remedy = "; ".join(different), "Give another path, or the same settings"
        if len(set(re.findall(r"(Python [\d.]+) code:", told))) > 1:
            remedy = "Code is compared within one version of Python: give another path, or go on with the version there"
        raise Refused(f"{path} is a checkpoint of a run with other settings: {told}. {remedy}")
    if not isinstance(state, dict) or not _complete(state, fresh):
        raise _unreadable(path)
    return state


def _complete(state: dict, fresh: dict) -> bool:
    """Whether ``state`` has the parts of ``fresh``, of the same kinds. A rule's own state is the rule's to judge."""
    if _kinds(state) != _kinds(fresh) or len(state["runs"]) != len(fresh["runs"]):
        return False
    for theirs, ours in zip(state["runs"], fresh["runs"]):
        if not isinstance(theirs, dict) or _kinds(theirs) != _kinds(ours):
            return False
        if any(_kinds(theirs[name]) != _kinds(ours[name]) for name in ("record", "server")):
            return False
    return True


def _kinds(parts: dict) -> dict:
    # A tensor is one wherever it lies and whatever carries it.
    return {name: torch.Tensor if isinstance(part, torch.Tensor) else type(part) for name, part in parts.items()}


def _unreadable(path: Path) -> Refused:
    return Refused(
        f"{path} is not a readable checkpoint: it was cut short, damaged, or not written by train; "
        f"delete it or give another path"
    )


def _try_writing(path: Path) -> None:
    """Refuse now, and not after the first rounds, a folder that takes no files and a name that is too long for it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _atomic_files.attempt(path)
    except OSError as error:
        better = "a shorter name" if error.errno == errno.ENAMETOOLONG else "a path in a folder that you may write to"
        raise Refused(
            f"no checkpoint can be written to {path} ({error.strerror}); give checkpoint= {better}"
        ) from error
