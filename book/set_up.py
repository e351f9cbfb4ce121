"""Makes .venv hold the project: ``python3 book/set_up.py EXTRA``, which the Makefile calls before whatever needs it.

It runs before anything is installed, so it uses the standard library alone; and any Python 3 must be able to read it, to be told that it is too old.
Which PyTorch: TORCH=cpu and TORCH=cuda insist. Without a word a computer with an NVIDIA card, and any but Linux, gets the build of the Python
package index, and any other the CPU build, a tenth of the size, if PyTorch's own index answers at once.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PATIENCE = 3  # seconds for PyTorch's index to answer
ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
SIZES = {  # to download, on the disk, and how long; measured and rounded up
    "cpu": "about 0.5 GB to download, 2.5 GB on the disk: two to five minutes",
    "cuda": "about 3 GB to download, 8 GB on the disk (PyTorch's build for NVIDIA cards): five to fifteen minutes",
    "own": "about 0.5 GB to download, 2 GB on the disk: two to five minutes",
}


def card():
    """Whether an NVIDIA card is there for PyTorch to use."""
    if any(Path("/proc/driver/nvidia/gpus").glob("*")):
        return True
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and "GPU " in listed.stdout


def answers(index, patience=PATIENCE):
    """Whether the package index at ``index`` answers within ``patience`` seconds, name servers and proxies included."""
    found = []

    def ask():
        try:
            with urllib.request.urlopen(index + "/torch/", timeout=patience) as page:
                found.append(page.status == 200)
        except (OSError, ValueError):
            pass

    asking = threading.Thread(target=ask, daemon=True)  # a name server may take minutes to say no
    asking.start()
    asking.join(patience)
    return found == [True]


def build(asked, system, seen, reachable):
    """Which PyTorch, "cpu" or "cuda" or "own" (the only one for this system), and why, as a pair.

    ``asked``: $TORCH. ``system``: sys.platform. ``seen``, ``reachable``: functions that answer whether there is a card, and an index.
    """
    if asked:
        return asked, "as TORCH says"
    if system != "linux":
        return "own", "this system has one build"
    if os.environ.get("PIP_NO_INDEX"):
        return "cuda", "from the folder that PIP_FIND_LINKS names"
    if seen():
        return "cuda", "there is an NVIDIA card"
    if reachable():
        return "cpu", "no NVIDIA card is seen; TORCH=cuda insists on the other build"
    return "cuda", "no NVIDIA card is seen, but PyTorch's own index does not answer; TORCH=cpu insists on the small build"


def unsound(venv, root, asked):
    """Why the set-up in ``venv`` cannot be gone on with; empty if it can."""
    if not venv.exists():
        return "it is not there"
    if (venv / ".unfinished").exists():
        return "it was interrupted"
    if text(venv / ".place") not in ("", str(root)):
        return "the folder was moved"
    if subprocess.run([str(python(venv)), "-I", "-S", "-c", ""], capture_output=True).returncode:
        return "its Python is gone"
    has = text(venv / ".torch") or "cuda"
    if asked and has not in (asked, "own"):
        return "it was made for TORCH=" + has
    return ""
