"""Batches in progress: each has a checkpoint and a note of its jobs, so after a kill it can be continued or removed."""

import hashlib
import json
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from fairfl import _atomic_files, _incoming
from fairfl.errors import Refused
from reproductions import locks


@dataclass(frozen=True)
class Batch:
    """The jobs ``keys`` that train together on ``device``, in this order. ``runs``: the folder of the jobs' files.

    ``trained``: the last round is finished, and some of the jobs' files may have been written. Only a process that holds the locks of
    all ``keys`` may call ``begin``, ``finish_training`` or ``clear``.
    """

    runs: Path
    keys: tuple[str, ...]
    device: str
    trained: bool = False

    @property
    def name(self) -> str:
        """Twelve hexadecimal digits computed from the set of keys and the device."""
        return hashlib.blake2b(" ".join([*sorted(self.keys), self.device]).encode(), digest_size=6).hexdigest()

    @property
    def checkpoint(self) -> Path:
        """The path of the checkpoint."""
        return self.runs / "unfinished" / f"{self.name}.pt"

    @property
    def note(self) -> Path:
        """The path of the note, which names the jobs."""
        return self.runs / "unfinished" / f"{self.name}.json"

    def begin(self) -> None:
        """Write the note, and remove partial files left by a kill."""
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self._clear_parts()
        self._write_note(trained=False)

    def finish_training(self) -> None:
        """Record in the note that only the jobs' files remain to be written."""
        self._write_note(trained=True)

    def clear(self) -> None:
        """Remove the checkpoint and the note."""
        self.checkpoint.unlink(missing_ok=True)
        self._clear_parts()
        self.note.unlink(missing_ok=True)

    def _write_note(self, trained: bool) -> None:
        _atomic_files.write(
            self.note, json.dumps({"keys": self.keys, "device": self.device, "trained": trained}).encode()
        )

    def _clear_parts(self):
        for folder, name in ((self.note.parent, self.name), *((self.runs, key) for key in self.keys)):
            for part in folder.glob(f".{name}.*.part"):
                part.unlink(missing_ok=True)


def left(runs: Path) -> list[Batch]:
    """The batches in ``runs`` that were begun and not cleared: in progress now, or killed."""
    out = []
    for note in sorted((Path(runs) / "unfinished").glob("*.json")):
        try:
            contents = _incoming.json_object(note)
            out.append(Batch(Path(runs), tuple(contents["keys"]), contents["device"], contents["trained"]))
        except FileNotFoundError:  # its runner has just finished
            continue
        except (Refused, KeyError, TypeError) as error:
            warnings.warn(f"{note} is skipped, because no runner wrote it ({error})", stacklevel=2)
    return out


def killed(runs: Path, wanted: Collection[str], free: Collection[str], device: str) -> Batch | None:
    """The killed batch whose checkpoint continues the jobs ``wanted``; ``None`` if there is none.

    It has exactly these jobs. Or it was trained to the end, and killed before all files were written; then it contains these jobs, and
    all its jobs are ``free``.
    """
    for batch in left(runs):
        fits = set(batch.keys) == set(wanted) or batch.trained and set(wanted) <= set(batch.keys) <= set(free)
        if fits and batch.device == device and batch.checkpoint.exists():
            return batch
    return None


def sweep(runs: Path, finished: Callable[[str], bool]) -> None:
    """Clear killed batches that cannot be continued: all their jobs are ``finished``, or some are, in other batches."""
    for batch in left(runs):
        done = [finished(key) for key in batch.keys]
        if all(done) or any(done) and not batch.trained:
            with locks.take(runs / "locks", list(batch.keys)) as free:
                if len(free) == len(batch.keys):
                    batch.clear()
