"""The option ``--out FILE`` of commands that write one file."""

from pathlib import Path

from fairfl.errors import Refused


def refuse_unwritable(out: Path | None) -> None:
    """Raise ``Refused`` if the file ``out`` cannot be written. Called before the work starts, which may take long.

    Missing folders are not created, because the path may be mistyped.
    """
    if out and (out.exists() and not out.is_file() or not out.parent.is_dir()):
        other = "which is a pipe, a socket or a device" if out.exists() else f"but {out.parent} is not a folder"
        wrong = "which is a folder" if out.is_dir() else other
        raise Refused(
            f"--out is {out}, {wrong}; allowed: a file in an existing folder. Create the folder or choose another file",
            "file",
        )
