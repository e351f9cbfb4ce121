"""Run by test_kill_runner.py in its own process: runs a declaration to the end."""

import sys
from pathlib import Path

from reproductions import catalogue, runner
from reproductions.jobs import select

if __name__ == "__main__":
    experiment = catalogue.load(Path(sys.argv[1]))
    runner.run(select(experiment), Path(sys.argv[2]), together=sys.argv[3], report=lambda line: print(line, flush=True))
