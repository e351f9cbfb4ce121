"""Install the project into .venv: ``python3 book/set_up.py EXTRA``, which the Makefile calls before targets that need it.

It runs before anything is installed, so it uses only the standard library, and any Python 3 must be able to parse it in order to report that it is too old.
TORCH=cpu and TORCH=cuda choose the build of PyTorch. By default a computer with an NVIDIA card, or without Linux, gets the build from the Python
package index; any other gets the CPU build, a tenth of the size, if PyTorch's own index answers at once.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable  # before 3.9, Python cannot evaluate Callable[...], so annotations quote it
from pathlib import Path

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PATIENCE = 3  # seconds to wait for PyTorch's index
ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
SIZES = {  # CPU: measured and rounded up; CUDA: estimated
    "cpu": "about 0.5 GB to download, 2.5 GB on the disk: two to five minutes",
    "cuda": "about 3 GB to download, 8 GB on the disk (PyTorch's build for NVIDIA cards): five to fifteen minutes",
    "own": "about 0.5 GB to download, 2 GB on the disk: two to five minutes",
}


def card() -> bool:
    """Whether there is an NVIDIA card that PyTorch can use."""
    if any(Path("/proc/driver/nvidia/gpus").glob("*")):
        return True
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and "GPU " in listed.stdout


def answers(index: str, patience: float = PATIENCE) -> bool:
    """Whether the package index at ``index`` answers within ``patience`` seconds, including name servers and proxies."""
    found = []

    def ask():
        try:
            with urllib.request.urlopen(index + "/torch/", timeout=patience) as page:
                found.append(page.status == 200)
        except (OSError, ValueError):
            pass

    asking = threading.Thread(target=ask, daemon=True)  # a name server may take minutes to fail
    asking.start()
    asking.join(patience)
    return found == [True]


def build(asked: str, system: str, seen: "Callable[[], bool]", reachable: "Callable[[], bool]") -> "tuple[str, str]":
    """The build of PyTorch, "cpu", "cuda" or "own" (the only one for this system), and the reason, as a pair.

    ``asked``: $TORCH. ``system``: sys.platform. ``seen``, ``reachable``: functions that return whether there is a card, and whether the index answers.
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
    """The text of the file at ``path``, stripped; "" if it does not exist."""
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def unsound(venv: Path, root: Path, asked: str) -> str:
    """Why the installation in ``venv`` cannot be used; "" if it can."""
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
    """Install the project with ``extra`` into ``venv``; returns pip's exit status.

    On a terminal one line shows the progress; pip's full output goes into a file.
    """
    terminal = sys.stdout.isatty()
    command = [str(python(venv)), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    command += ["--constraint", str(root / "requirements.lock")]
    command += ["--extra-index-url", CPU_INDEX] if which == "cpu" else []
    command += ["--report", str(venv / "set_up.json"), "--editable", f"{root}[{extra}]"]
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
        lines = [line for line in text(log).splitlines() if line.strip()]
        print("\n".join(lines[-8:]), file=sys.stderr)
        print(
            f"pip could not install everything; its output is in {log}. Check the network and the disk", file=sys.stderr
        )
        print("and run the same command again; downloaded files are kept.", file=sys.stderr)
    elif strange := strangers(venv / "set_up.json", root / "requirements.hashes"):
        print(f"Not the archives that this book was made with: {', '.join(strange)}.", file=sys.stderr)
        print(
            "Their SHA-256 is not in requirements.hashes. Do not use .venv; check the package index.", file=sys.stderr
        )
        (venv / ".unfinished").touch()
        return 1
    return pip.returncode


def strangers(report: Path, hashes: Path) -> "list[str]":
    """The archives in pip's ``report`` whose SHA-256 is not among the ``hashes`` of their package.

    PyTorch's own builds, such as 2.9.0+cpu, and packages that ``hashes`` does not name are not judged.
    """
    plain = lambda name: re.sub(r"[-_.]+", "-", name).lower()
    listed, strange = {}, []
    for block in re.split(r"\n(?=[A-Za-z0-9])", text(hashes)):
        listed[plain(block.partition("==")[0])] = re.findall(r"sha256:([0-9a-f]{64})", block)
    for package in json.loads(text(report) or '{"install": []}')["install"]:
        name, version = package["metadata"]["name"], package["metadata"]["version"]
        archive = package["download_info"].get("archive_info", {})
        digest = archive.get("hashes", {}).get("sha256") or archive.get("hash", "").partition("=")[2]
        if plain(name) in listed and "+" not in version and digest not in listed[plain(name)]:
            strange.append(f"{name}=={version}")
    return strange


def main(extra: str, asked: str) -> int:
    """Install what is missing; returns the exit status."""
    if asked not in ("", "cpu", "cuda"):
        print(
            f"TORCH is '{asked}'; allowed: cpu, cuda. Leave it out to choose by this computer's hardware.",
            file=sys.stderr,
        )
        return 1
    why = unsound(VENV, ROOT, asked)
    if why and sys.version_info < (3, 11):
        print("fairfl needs Python 3.11 or newer; this is {}.{}.".format(*sys.version_info), file=sys.stderr)
        print(
            "Install one from https://www.python.org, or choose an installed one: make lab PYTHON=python3.12",
            file=sys.stderr,
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
                "This Python cannot create an environment; on Debian and Ubuntu, install the package python3-venv.",
                file=sys.stderr,
            )
            return 1
        (VENV / ".torch").write_text(which + "\n", encoding="utf-8")
    else:
        which = text(VENV / ".torch")
        print(f"Updating .venv for '{extra}': about a minute.", flush=True)
    status = install(VENV, ROOT, extra, which)
    if status == 0:
        (VENV / ".place").write_text(str(ROOT) + "\n", encoding="utf-8")
        if (VENV / ".unfinished").exists():
            (VENV / ".unfinished").unlink()
    return status


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sound"]:  # for the Makefile: whether an installation is needed, without starting it
        sys.exit(bool(unsound(VENV, ROOT, os.environ.get("TORCH", ""))))
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "lab", os.environ.get("TORCH", "")))
    except KeyboardInterrupt:
        sys.exit("stopped; the same command starts again, and downloaded files are kept")
