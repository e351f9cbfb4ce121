"""Writing a file so that a reader finds the old one or the new one, never half of one."""

import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows, where leftovers of killed writers stay
    fcntl = None  # type: ignore[assignment]


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """``with writing(path) as file:`` a binary file that takes ``path``'s place at the end, if nothing failed until
    then.

    The content goes through a temporary file beside it, ``.NAME.….part``. What killed writers of the same path have
    left there is removed; writers that are alive hold a lock on theirs. Raises ``OSError`` naming ``path`` where no
    file can be made beside it, which it cannot in a folder that is not there.
    """
    _remove_leftovers(path)
    with _temporary(path) as (file, name):
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.chmod(name, 0o644)  # mkstemp makes files that only their owner can read
            if fcntl is None:
                file.close()  # Windows renames closed files only
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):  # what is still to be written may not fit on the disk
                file.close()
            os.unlink(name)
            raise


@contextmanager
def _temporary(path: Path) -> Iterator[tuple[BinaryIO, str]]:
    """A new file beside ``path``, locked as long as it is open."""
    while True:
        try:
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        except OSError as error:  # of a name that nobody gave
            lacks = f"there is no folder {path.parent}; make it, or give another path"
            told = error.strerror if path.parent.is_dir() else lacks
            raise OSError(error.errno, told, str(path)) from error
        if fcntl is None:
            break
        with suppress(OSError):  # a file system without locks: nobody will take it for a leftover either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            break
        os.close(handle)  # another writer took it for a leftover before it was locked
    with os.fdopen(handle, "wb") as file:
        yield file, name


def attempt(path: Path) -> None:
    """Raise ``OSError`` where ``writing(path)`` could not begin; ``path`` itself stays as it is."""
    with _temporary(path) as (file, name):
        file.close()  # Windows removes closed files only
        Path(name).unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    if fcntl is None:
        return
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError):  # held by a living writer, or gone by now
            with open(left, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(left)


def write(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path``."""
    with writing(path) as file:
        file.write(content)
