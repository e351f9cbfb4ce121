"""Checkpoints: written completely or not at all, and continued only under equal settings."""

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
from fairfl._incoming import place, regular
from fairfl.errors import Refused
from fairfl.training.public_names import translated


class Pace:
    """The schedule of checkpoints: slow ones take at most a twentieth of a run's time.

    In Table 2, FedFV's state has 263 MB. Writing it every 100 rounds, as declared, took longer than the training in
    between on a GPU. Checkpoints that take less than a quarter of a second are always due.
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


def differences(current: dict, saved: dict, path: str = "") -> list[str]:
    """The settings that differ between two nested dictionaries, as "rule.epsilon: 0.1 here, 0.5 in the checkpoint"."""
    out = []
    for name in sorted(set(current) | set(saved), key=str):
        here, there = current.get(name, "absent"), saved.get(name, "absent")
        if isinstance(here, dict) and isinstance(there, dict):
            out += differences(here, there, f"{path}{name}.")
        elif here != there:
            out.append(f"{path}{name}: {here!r} here, {there!r} in the checkpoint")
    return out


def save(path: str | os.PathLike, settings: dict, state: dict) -> None:
    """Write ``state`` to ``path``, through a temporary file beside it.

    Raises ``OSError``, which names the file, if it cannot be written. An earlier checkpoint there is kept.
    """
    path = place(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _atomic_files.writing(path) as file:
            torch.save({"settings": settings, "state": state}, file)
    except (OSError, RuntimeError) as error:
        # torch's writer replaces the error of a full disk by one of its own.
        cause = error if isinstance(error, OSError) else error.__context__
        if not isinstance(cause, OSError):
            raise
        message = (
            f"{cause.strerror}; the checkpoint could not be written. Free some space there, or pass another path. An "
            f"earlier checkpoint there is intact, and the same call continues from it"
        )
        raise OSError(cause.errno, message, str(path)) from error


def load(path: str | os.PathLike, settings: dict, fresh: dict, schedule: str = "") -> dict | None:
    """The state at ``path``, or ``None`` if there is no file.

    ``fresh``: the state that would be saved before the first round. The loaded state must have the same parts.
    ``schedule``: the name of a setting that depends on the number of rounds. Without one, a run of another length is
    continued.

    Raises ``Refused`` if the path is not writable, if the file is not a checkpoint, is damaged or lacks a part, if it
    has more rounds than ``settings``, and if it was made under other settings (the message names each difference).
    """
    path = place(path)
    _try_writing(path)
    if not path.exists():
        return None
    regular(path)
    try:
        # PyTorch writes a ZIP archive with a checksum for every record, but does not verify them on reading: a run
        # would continue from a model with a flipped bit.
        with zipfile.ZipFile(path) as records:
            damaged = records.testzip()
        held = None if damaged else torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}); pass another path", "file") from error
    except MemoryError:  # the file may be sound
        raise
    except Exception:
        # Not chained: torch's message recommends loading the file without protection against code in it.
        raise _unreadable(path) from None
    saved, state = (held.get("settings"), held.get("state")) if isinstance(held, dict) else (None, None)
    if not isinstance(saved, dict):
        raise _unreadable(path)
    length, saved_length = settings["rounds"], saved.get("rounds")
    different = differences(settings, translated(saved) | {"rounds": length})
    if different:
        listed, remedy = "; ".join(different), "Pass another path, or the same settings"
        if len(set(re.findall(r"(Python [\d.]+) code:", listed))) > 1:
            remedy = (
                "Code can be compared only within one version of Python: pass another path, or continue with the "
                "checkpoint's version"
            )
        raise Refused(f"{path} is a checkpoint of a run with other settings: {listed}. {remedy}", "state")
    if not isinstance(state, dict) or not _complete(state, fresh) or state["round"] < 0:
        raise _unreadable(path)
    if schedule and saved_length != length:
        raise Refused(
            f"rounds is {length}, and {path} is a checkpoint of a run with rounds={saved_length}, whose {schedule} "
            f"depends on their number; pass rounds={saved_length}, or another path, or a setting that does not "
            f"depend on it",
            "state",
        )
    if state["round"] > length:
        raise Refused(
            f"rounds is {length}, and {path} is a checkpoint after {state['round']} rounds; pass rounds="
            f"{state['round']} or more, or another path",
            "state",
        )
    return state


# Parts that earlier editions did not write, or that only some calls have.
OPTIONAL = {"weights", "rates", "stopped", "callback"}


def _complete(state: dict, fresh: dict) -> bool:
    """Whether ``state`` has the parts of ``fresh``, with the same types. A rule's state is checked by the rule."""
    if _kinds(state) != _kinds(fresh) or len(state["runs"]) != len(fresh["runs"]):
        return False
    for loaded, expected in zip(state["runs"], fresh["runs"]):
        if not isinstance(loaded, dict) or _kinds(loaded) != _kinds(expected):
            return False
        if any(_kinds(loaded[name]) != _kinds(expected[name]) for name in ("record", "server")):
            return False
    return True


def _kinds(parts: dict) -> dict:
    # All tensors count as one type, whatever their device and subclass.
    kinds = {name: torch.Tensor if isinstance(part, torch.Tensor) else type(part) for name, part in parts.items()}
    return {name: kind for name, kind in kinds.items() if name not in OPTIONAL}


def _unreadable(path: Path) -> Refused:
    return Refused(
        f"{path} is not a readable checkpoint: it was truncated, damaged, or not written by train; "
        f"delete it or pass another path",
        "file",
    )


def _try_writing(path: Path) -> None:
    """Raise ``Refused`` for a folder that is not writable, or a name that is too long, before the first round."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _atomic_files.attempt(path)
    except OSError as error:
        better = "a shorter name" if error.errno == errno.ENAMETOOLONG else "a path in a folder that you may write to"
        raise Refused(
            f"no checkpoint can be written to {path} ({error.strerror}); pass checkpoint= {better}", "file"
        ) from error
