"""Where a number comes from: code, versions, machine."""

import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy
import torch

import fairfl


@cache
def versions() -> dict[str, str]:
    """The versions that may affect results, and in a checkout the project's commit, as of the first call."""
    return {
        "fairfl": commit(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": numpy.__version__,
        "system": f"{platform.system()} {platform.machine()}",
    }


def commit() -> str:
    """The checkout's commit, with "+changes" if the code differs from it; outside a checkout, the package's version."""
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
    """The processor and the libraries behind matrix products: the bits of a result depend on both.

    ``model``: the processor's name. ``capability``: the widest instruction set that PyTorch uses on it. ``torch_blas``,
    ``numpy_blas``: the libraries that PyTorch and NumPy were built with, and their versions.
    """
    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    config = torch.__config__.show()
    kind = re.search(r"BLAS_INFO=(\w+)", config)
    mkl = re.search(r"Math Kernel Library Version (\S+)", config)
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


def on_cards(recorded: Iterable[dict], origin: Mapping[str, dict]) -> list[str]:
    """A sentence per kind of graphics card, and per precision, on the ``recorded`` runs that trained there; ``origin``: as of
    ``results.provenance``."""
    runs: dict[str, dict[str, list[int]]] = {}
    for line in recorded:
        told = origin.get(line["key"], {})
        device = told.get("machine", {}).get("device", "cpu")
        if device != "cpu":
            where = device + (f", products in {told['precision'].upper()}" if "precision" in told else "")
            runs.setdefault(where, {}).setdefault(line["row"], []).append(line["seed"])
    return [
        f"Trained on {where}: "
        + "; ".join(
            f"{row} ({'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, sorted(seeds)))})"
            for row, seeds in rows.items()
        )
        + "."
        for where, rows in runs.items()
    ]
