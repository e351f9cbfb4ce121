import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from experiments import own

from fairfl.experiments import runner
from fairfl.experiments.jobs import select
from fairfl.training import History


def start(declared, folder, together):
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen([sys.executable, str(Path(__file__).with_name("kill_runner.py")), str(declared), str(folder), together], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1", "FAIRFL_PROGRESS": "0", "PYTHONPATH": paths})


@pytest.mark.parametrize("together", ["none", "rows"])
def test_a_killed_runner_continues_and_ends_with_the_same_bits(tmp_path, together):
    text = own.TOML.replace("rounds = 6", "rounds = 40").replace("batch_size = 20", "batch_size = 5")
    declared = own.declared(tmp_path, text)
    jobs = select(own.small(tmp_path, text))
    begun = time.perf_counter()
    whole = start(declared, tmp_path / "whole", together)
    whole.stdout.readline()
    ready = time.perf_counter()
    assert whole.wait() == 0, whole.stderr.read()
    lasted = time.perf_counter() - ready
    moments, struck, checkpoints = random.Random(0), 0, 0
    for _ in range(3 if together == "none" else 5):
        child = start(declared, tmp_path / "killed", together)
        child.stdout.readline()
        time.sleep(moments.uniform(0.1, 0.5) * lasted)
        struck += child.poll() is None
        child.kill()
        child.wait()
        checkpoints += len(list((tmp_path / "killed").glob("*.pt")))
        if all(runner.where(tmp_path / "killed", job).exists() for job in jobs):
            break
    last = start(declared, tmp_path / "killed", together)
    assert last.wait() == 0, last.stderr.read()
    assert struck >= 2 and checkpoints >= 1
    for job in jobs:
        a, b = (History.load(runner.where(tmp_path / name, job)) for name in ("whole", "killed"))
        for name in ("accuracy", "loss", "direction_norm", "smallest_rate", "participants"):
            assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), (job.title, name)
        assert a.settings["group"] == b.settings["group"]
    assert not list((tmp_path / "killed").glob("*.pt"))


def test_two_runners_share_a_folder(tmp_path):
    declared = own.declared(tmp_path)
    pair = [start(declared, tmp_path / "runs", "none") for _ in range(2)]
    said = [child.communicate()[0] for child in pair]
    assert [child.returncode for child in pair] == [0, 0]
    jobs = select(own.small(tmp_path))
    assert all(runner.where(tmp_path / "runs", job).exists() for job in jobs)
    titles = [line.split(", ", 1)[1] for out in said for line in out.splitlines() if "batch" in line]
    assert sorted(titles) == sorted(job.title for job in jobs)
