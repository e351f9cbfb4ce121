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
from collections.abc import Callable  # older than 3.9, Python cannot read Callable[...] outside of quotes
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PATIENCE = 3  # seconds for PyTorch's index to answer
ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
SIZES = {  # the CPU set-up measured and rounded up, the CUDA one an estimate
    "cpu": "about 0.5 GB to download, 2.5 GB on the disk: two to five minutes",
    "cuda": "about 3 GB to download, 8 GB on the disk (PyTorch's build for NVIDIA cards): five to fifteen minutes",
    "own": "about 0.5 GB to download, 2 GB on the disk: two to five minutes",
}


def card() -> bool:
    """Whether an NVIDIA card is there for PyTorch to use."""
    if any(Path("/proc/driver/nvidia/gpus").glob("*")):
        return True
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and "GPU " in listed.stdout


def answers(index: str, patience: float = PATIENCE) -> bool:
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


def build(asked: str, system: str, seen: "Callable[[], bool]", reachable: "Callable[[], bool]") -> "tuple[str, str]":
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
    return (
        "cuda",
        "no NVIDIA card is seen, but PyTorch's own index does not answer; TORCH=cpu insists on the small build",
    )


def python(venv: Path) -> Path:
    """The Python in ``venv``."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def text(path: Path) -> str:
    """What the file at ``path`` says, without spaces around it; nothing if it is not there."""
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def unsound(venv: Path, root: Path, asked: str) -> str:
    """Why the set-up in ``venv`` cannot be gone on with; empty if it can."""
    if not venv.exists():
        return "it is not there"
    if (venv / ".unfinished").exists():
        return "it was interrupted"
    if text(venv / ".place") not in ("", str(root)):
        return "the folder was moved"
    try:
        sound = subprocess.run([str(python(venv)), "-I", "-S", "-c", ""], capture_output=True).returncode == 0
    except OSError:
        sound = False
    if not sound:
        return "its Python is gone"
    has = text(venv / ".torch") or "cuda"
    if asked and has not in (asked, "own"):
        return "it holds PyTorch for TORCH=" + has
    return ""


def install(venv: Path, root: Path, extra: str, which: str) -> int:
    """Install the project with ``extra`` into ``venv``. On a terminal one line says what is under way; pip's own words go into a file.

    Returns pip's status.
    """
    terminal = sys.stdout.isatty()
    command = [str(python(venv)), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    command += ["--constraint", str(root / "requirements.lock")]
    command += ["--extra-index-url", CPU_INDEX] if which == "cpu" else []
    command += ["--editable", f"{root}[{extra}]"]
    log = venv / "set_up.log"
    with log.open("w", encoding="utf-8") as kept:
        pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        for line in pip.stdout:
            kept.write(line)
            if terminal and re.match(r" *(Collecting|Downloading|Installing|Using cached)", line):
                width = shutil.get_terminal_size().columns - 3
                print("\r\033[K  " + re.sub(r" \(from .*", "", line).strip()[:width], end="", flush=True)
    if terminal:
        print("\r\033[K", end="")
    if pip.wait():
        said = [line for line in text(log).splitlines() if line.strip()]
        print("\n".join(said[-8:]), file=sys.stderr)
        print(
            f"pip could not install everything; all it said is in {log}. Look at the network and the disk",
            file=sys.stderr,
        )
        print("and run the same command again: what was downloaded is kept.", file=sys.stderr)
    return pip.returncode


def main(extra: str, asked: str) -> int:
    """Set up what is missing; returns the exit status."""
    if asked not in ("", "cpu", "cuda"):
        print(f"TORCH is '{asked}'; allowed: cpu, cuda. Leave it out, and the computer is looked at.", file=sys.stderr)
        return 1
    why = unsound(VENV, ROOT, asked)
    if why and sys.version_info < (3, 11):
        print("fairfl needs Python 3.11 or newer; this is {}.{}.".format(*sys.version_info), file=sys.stderr)
        print(
            "Install one from https://www.python.org, or name one you have: make lab PYTHON=python3.12", file=sys.stderr
        )
        return 1
    if why:
        which, because = build(asked, sys.platform, card, lambda: answers(CPU_INDEX))
        print(f"Setting up .venv ({why}), once: {SIZES[which]}.")
        print("PyTorch: {} ({}).".format({"cpu": "the CPU build"}.get(which, "the usual build"), because), flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        VENV.mkdir()
        (VENV / ".unfinished").touch()
        if subprocess.run([sys.executable, "-m", "venv", str(VENV)]).returncode:
            print(
                "This Python cannot make an environment; Debian and Ubuntu keep that part in python3-venv.",
                file=sys.stderr,
            )
            return 1
        (VENV / ".torch").write_text(which + "\n", encoding="utf-8")
    else:
        which = text(VENV / ".torch")
        print(f"Bringing .venv up to date for '{extra}': a minute or so.", flush=True)
    status = install(VENV, ROOT, extra, which)
    if status == 0:
        (VENV / ".place").write_text(str(ROOT) + "\n", encoding="utf-8")
        if (VENV / ".unfinished").exists():
            (VENV / ".unfinished").unlink()
    return status


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sound"]:  # for the Makefile: whether a set-up has to be made, without making it
        sys.exit(bool(unsound(VENV, ROOT, os.environ.get("TORCH", ""))))
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "lab", os.environ.get("TORCH", "")))
    except KeyboardInterrupt:
        sys.exit("stopped; the same command starts again, and what was downloaded is kept")
