"""How much `import fairfl` adds to `import torch`: both in fresh processes, in turn, so that one run compares them.

python benchmarks/import_time.py [REPEATS]
"""

import argparse
import statistics
import subprocess
import sys

MEASURE = "import time; start = time.perf_counter(); import {name}; print(time.perf_counter() - start)"


def seconds(name: str) -> float:
    """The time of importing ``name`` in a fresh process, without the start of Python itself."""
    done = subprocess.run([sys.executable, "-c", MEASURE.format(name=name)], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main(repeats: int) -> None:
    seconds("fairfl")  # fills the disk's cache for both
    pairs = [(seconds("torch"), seconds("fairfl")) for _ in range(repeats)]
    torch, fairfl = (statistics.median(column) for column in zip(*pairs))
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    print(f"median of {repeats}: import torch {torch:.2f} s, import fairfl {fairfl:.2f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repeats", nargs="?", type=int, default=7, metavar="REPEATS", help="of both (default: 7)")
    main(parser.parse_args().repeats)
