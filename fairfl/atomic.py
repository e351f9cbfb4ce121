"""Writing a file so that a reader finds the old one or the new one, never half of one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """``with writing(path) as file:`` a binary file that takes ``path``'s place at the end, if nothing failed until then.

    The content goes through a temporary file beside it. The folder must exist.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path``."""
    with writing(path) as file:
        file.write(content)
