"""Batches under way: a checkpoint each, beside a note of whose it is, so that what a kill leaves is continued or cleared away."""

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from fairfl import _atomic_files
from reproductions import locks


@dataclass(frozen=True)
class Batch:
    """The jobs ``keys`` that train together on ``device``, in this order. ``runs``: the folder of the jobs' files.

    ``trained``: the last round is done, and some of the jobs' files may have been written. Only who holds the locks of all ``keys``
    may call ``begin``, ``finish_training`` or ``clear``.
    """

    runs: Path
    keys: tuple[str, ...]
    device: str
    trained: bool = False

    @property
    def name(self) -> str:
        """Twelve hexadecimal digits that follow from all keys, in any order, and the device."""
        return hashlib.blake2b(" ".join([*sorted(self.keys), self.device]).encode(), digest_size=6).hexdigest()

    @property
    def checkpoint(self) -> Path:
        return self.runs / "unfinished" / f"{self.name}.pt"

    @property
    def note(self) -> Path:
        return self.runs / "unfinished" / f"{self.name}.json"

    def begin(self) -> None:
        """Leave the note, and clear away what a kill left of files half written."""
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self._clear_parts()
        self._tell(trained=False)

    def finish_training(self) -> None:
        """Note that only the jobs' files remain to be written."""
        self._tell(trained=True)

    def clear(self) -> None:
        """Take the checkpoint and the note away."""
        self.checkpoint.unlink(missing_ok=True)
        self._clear_parts()
        self.note.unlink(missing_ok=True)

    def _tell(self, trained: bool) -> None:
        _atomic_files.write(
            self.note, json.dumps({"keys": self.keys, "device": self.device, "trained": trained}).encode()
        )

    def _clear_parts(self):
        for folder, name in ((self.note.parent, self.name), *((self.runs, key) for key in self.keys)):
            for part in folder.glob(f".{name}.*.part"):
                part.unlink(missing_ok=True)


def left(runs: Path) -> list[Batch]:
    """The batches that were begun in ``runs`` and not cleared away: under way now, or killed."""
    out = []
    for note in sorted((Path(runs) / "unfinished").glob("*.json")):
        try:
            told = json.loads(note.read_text(encoding="utf-8"))
        except FileNotFoundError:  # its runner has just finished
            continue
        out.append(Batch(Path(runs), tuple(told["keys"]), told["device"], told["trained"]))
    return out


def killed(runs: Path, wanted: Collection[str], free: Collection[str], device: str) -> Batch | None:
    """The batch whose checkpoint brings the jobs ``wanted`` on, of those whose jobs are all ``free``; ``None`` if there is none.

    It holds these jobs and no others, or it was trained to the end and killed before the last of their files was written.
    """
    for batch in left(runs):
        fits = set(batch.keys) == set(wanted) or batch.trained and set(wanted) <= set(batch.keys) <= set(free)
        if fits and batch.device == device and batch.checkpoint.exists():
            return batch
    return None


def sweep(runs: Path, finished: Callable[[str], bool]) -> None:
    """Clear away killed batches that nobody can continue: all of their jobs have been ``finished``, or some have in other batches."""
    for batch in left(runs):
        done = [finished(key) for key in batch.keys]
        if all(done) or any(done) and not batch.trained:
            with locks.take(runs / "locks", list(batch.keys)) as free:
                if len(free) == len(batch.keys):
                    batch.clear()
