"""Write files atomically: a reader finds the old file or the new one, never half of one."""

import glob
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from fairfl._incoming import place, regular

try:
    import fcntl
except ImportError:  # on Windows, leftovers of killed writers are not removed
    fcntl = None  # type: ignore[assignment]


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """``with writing(path) as file:`` opens a binary file that replaces ``path`` at the end of the block.

    If the block raises, ``path`` stays as it was. The content is written to a temporary file beside it,
    ``.NAME.….part``. Leftovers of killed writers of the same path are removed; living writers hold a lock on their
    temporary files. A file that is replaced keeps its permissions, a new one gets those that the process gives to all
    its files, and of a symbolic link, the file that it leads to is replaced. Raises ``OSError`` naming ``path`` if no
    file can be made beside it, for instance because the folder does not exist, and ``Refused`` if ``path`` is a folder,
    a pipe, a socket or a device.
    """
    path = place(path)
    _remove_leftovers(path)
    with _temporary(path) as (file, name):
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            with suppress(FileNotFoundError):
                os.chmod(name, stat.S_IMODE(os.stat(path).st_mode))
            if fcntl is None:
                file.close()  # Windows renames only closed files
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):  # flushing the rest may fail on a full disk
                file.close()
            with suppress(FileNotFoundError):  # an interrupt may come just after the renaming
                os.unlink(name)
            raise


@contextmanager
def _temporary(path: Path) -> Iterator[tuple[BinaryIO, str]]:
    """A new file beside ``path``, locked while it is open. Raises ``Refused`` if ``path`` is no ordinary file."""
    with suppress(FileNotFoundError, NotADirectoryError):  # below, the folder is named if there is none
        regular(path)
    while True:
        try:
            name = str(path.parent / f".{path.name}.{secrets.token_hex(4)}.part")
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError as error:  # it names the temporary file, which the reader does not know
            lacks = f"there is no folder {path.parent}; make it, or give another path"
            reason = error.strerror if path.parent.is_dir() else lacks
            raise OSError(error.errno, reason, str(path)) from error
        if fcntl is None:
            break
        with suppress(OSError):  # without file locks, no other writer takes it for a leftover either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            break
        os.close(handle)  # another writer removed it as a leftover before it was locked
    with os.fdopen(handle, "wb") as file:
        yield file, name


def attempt(path: Path) -> None:
    """Raise as ``writing(path)`` if it could not begin; ``path`` itself is not changed."""
    with _temporary(place(path)) as (file, name):
        file.close()  # Windows removes only closed files
        Path(name).unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    if fcntl is None:
        return
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError):  # locked by a living writer, or already removed
            with open(left, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(left)


def write(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` atomically."""
    with writing(path) as file:
        file.write(content)
