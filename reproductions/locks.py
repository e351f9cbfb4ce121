"""One lock per job, so several runners can share a folder. The operating system releases the locks of a killed runner."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def take(folder: Path, keys: list[str]) -> Iterator[list[str]]:
    """Lock those of ``keys`` that no other runner holds, and yield them; the locks are held until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        free = []
        for key in keys:
            try:
                held.enter_context(FileLock(folder / f"{key}.lock", timeout=0))
                free.append(key)
            except Timeout:
                pass
        yield free
