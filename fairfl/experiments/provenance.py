"""Where a number comes from: code, versions, machine."""

import platform
import subprocess
from pathlib import Path

import numpy
import torch

import fairfl


def versions() -> dict[str, str]:
    """What ran: the project's commit where it is a checkout, and the versions that could matter."""
    return {"fairfl": commit(), "python": platform.python_version(), "torch": str(torch.__version__), "numpy": numpy.__version__,
            "system": f"{platform.system()} {platform.machine()}"}


def commit() -> str:
    """The checkout's commit, with "+changes" if its code differs from it; the package's version where there is no checkout."""
    root = Path(fairfl.__file__).parent

    def git(*arguments):
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+changes" if git("status", "--porcelain", "--", str(root)) else "")
    except (OSError, subprocess.CalledProcessError):
        return getattr(fairfl, "__version__", "unknown")
