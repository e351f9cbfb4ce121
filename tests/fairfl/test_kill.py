import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which this system does not have")
def test_killed_again_and_again_a_run_ends_with_the_same_bits(tmp_path):
    worker = Path(__file__).with_name("kill_worker.py")
    done = subprocess.run(
        [sys.executable, str(worker), str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "FAIRFL_PROGRESS": "0"},
    )
    assert done.returncode == 0, done.stderr
    # In the middle of a round, and before, amid and after the writing of a checkpoint: three kills a run, each from where the last one left it.
    assert done.stdout == "kills=15 bits=0\n"
