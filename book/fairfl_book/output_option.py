"""``--out FILE``, as every command that writes one file takes it."""

from pathlib import Path

from fairfl.errors import Refused


def refuse_unwritable(out: Path | None) -> None:
    """Refuse a file that could not be written at the end: asked before the work, which may be long. A folder with a slip in its name is not made."""
    if out and (out.is_dir() or not out.parent.is_dir()):
        wrong = "is a folder" if out.is_dir() else f"would stand in {out.parent}, which is no folder"
        raise Refused(
            f"--out is {out} and {wrong}; allowed: a file in a folder that is there. Make the folder, or name another file"
        )
