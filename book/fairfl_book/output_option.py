"""The option ``--out FILE`` of commands that write one file."""

from pathlib import Path

from fairfl.errors import Refused


def refuse_unwritable(out: Path | None) -> None:
    """Raise ``Refused`` if the file ``out`` cannot be written. Called before the work starts, which may take long.

    Missing folders are not created, because the path may be mistyped.
    """
    if out and (out.is_dir() or not out.parent.is_dir()):
        wrong = "which is a folder" if out.is_dir() else f"but {out.parent} is not a folder"
        raise Refused(
            f"--out is {out}, {wrong}; allowed: a file in an existing folder. Create the folder or choose another file",
            "file",
        )
