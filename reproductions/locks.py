"""Who works on what: a lock a job, so that several runners share a folder. The system lets go of a killed runner's locks."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def take(folder: Path, keys: list[str]) -> Iterator[list[str]]:
    """Those of ``keys`` that no other runner holds; held until the block ends."""
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
