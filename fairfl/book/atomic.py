"""Writing a file so that a reader finds the old one or the new one, never half of one."""

import os
import tempfile
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path``, through a temporary file beside it. The folder must exist."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
