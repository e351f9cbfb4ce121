"""Where a number comes from: code, versions, machine."""

import platform
import re
import subprocess
from functools import cache
from pathlib import Path

import numpy
import torch

import fairfl


@cache
def versions() -> dict[str, str]:
    """What runs: the project's commit where it is a checkout, as it was at the first call, and the versions that could matter."""
    return {
        "fairfl": commit(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": numpy.__version__,
        "system": f"{platform.system()} {platform.machine()}",
    }


def commit() -> str:
    """The checkout's commit, with "+changes" if its code differs from it; the package's version where there is no checkout."""
    root = Path(fairfl.__file__).parent

    def git(*arguments):
        return subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + (
            "+changes" if git("status", "--porcelain", "--", str(root)) else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return getattr(fairfl, "__version__", "unknown")


@cache
def processor() -> dict[str, str]:
    """What multiplied: bits depend on the processor and on the libraries behind a matrix product, and on nothing less.

    ``model``: the processor's own name. ``capability``: the widest instructions that PyTorch uses on it. ``torch_blas``,
    ``numpy_blas``: the libraries with their versions, as PyTorch and NumPy were built.
    """
    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    told = torch.__config__.show()
    kind = re.search(r"BLAS_INFO=(\w+)", told)
    mkl = re.search(r"Math Kernel Library Version (\S+)", told)
    return {
        "model": _model(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "torch_blas": " ".join(filter(None, (kind[1] if kind else "unknown", mkl[1] if mkl else ""))),
        "numpy_blas": f"{blas['name']} {blas['version']}",
    }


def _model():
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return found[1]
    try:
        return subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return platform.processor() or platform.machine()
