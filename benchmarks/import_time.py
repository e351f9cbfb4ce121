"""Measure how long imports and the command lines' help take, each in a fresh process, and which of them load PyTorch.

python benchmarks/import_time.py [REPEATS]
"""

import argparse
import statistics
import subprocess
import sys

# What is measured → its code. A command's help ends in SystemExit, which is the end of the measurement.
HELP = "import runpy, sys; sys.argv = ['{0}', '--help']; runpy.run_module('{0}', run_name='__main__')"
CASES = {
    "import torch": "import torch",
    "import fairfl": "import fairfl",
    "from fairfl import *": "from fairfl import *",
    "import fairfl_book.toy": "import fairfl_book.toy",
    "chapter 0's first lab": "from fairfl_book.labs import TwoClients; TwoClients().numbers()",
    "chapter 0's exercises": "from fairfl_book.exercises import check, claim, hint, solution",
    "python -m fairfl_book --help": HELP.format("fairfl_book"),
    "python -m reproductions --help": HELP.format("reproductions"),
}

MEASURE = """
import contextlib, io, sys, time
start = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    exec({code!r}, {{}})
print(time.perf_counter() - start, "torch" in sys.modules)
"""


def measure(code: str) -> tuple[float, bool]:
    """Seconds that ``code`` takes in a fresh process, without Python's own start, and whether it loads PyTorch."""
    command = [sys.executable, "-c", MEASURE.format(code=code)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, loads_torch = done.stdout.split()
    return float(seconds), loads_torch == "True"


def main(repeats: int) -> None:
    for code in CASES.values():
        measure(code)  # fills the disk's cache
    # All cases in turn, so a busy moment of the machine slows all of them alike.
    rounds = [{name: measure(code) for name, code in CASES.items()} for _ in range(repeats)]
    print(f"median of {repeats}:")
    for name in CASES:
        seconds = statistics.median(one[name][0] for one in rounds)
        print(f"{name:32} {seconds:6.2f} s  {'loads PyTorch' if rounds[0][name][1] else ''}".rstrip())
    ratio = statistics.median(one["from fairfl import *"][0] / one["import torch"][0] for one in rounds)
    print(f"from fairfl import * takes {ratio:.2f} times as long as import torch")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repeats", nargs="?", type=int, default=7, metavar="REPEATS", help="of each (default: 7)")
    main(parser.parse_args().repeats)
