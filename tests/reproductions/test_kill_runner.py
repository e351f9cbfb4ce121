import os
import subprocess
import sys
from pathlib import Path

import own
import pytest

from reproductions import runner
from reproductions.jobs import select


def start(script, *arguments):
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parent / "fairfl"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1", "FAIRFL_PROGRESS": "0", "PYTHONPATH": paths},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which this system does not have")
@pytest.mark.parametrize("together", ["none", "rows"])
def test_a_runner_killed_again_and_again_ends_with_the_same_bits(tmp_path, together):
    worker = start("kill_jobs.py", own.declared(tmp_path), tmp_path, together)
    said, wrong = worker.communicate()
    assert worker.returncode == 0, wrong
    # Six kinds of moment, four kills each: in a round, before, amid and after a file's writing, before a file's end.
    assert said == "kills=24 differ=0\n"


def test_two_runners_share_a_folder(tmp_path):
    declared = own.declared(tmp_path)
    pair = [start("one_runner.py", declared, tmp_path / "runs", "none") for _ in range(2)]
    said = [child.communicate()[0] for child in pair]
    assert [child.returncode for child in pair] == [0, 0]
    jobs = select(own.small(tmp_path))
    assert all(runner.where(tmp_path / "runs", job).exists() for job in jobs)
    titles = [line.split(", ", 1)[1] for out in said for line in out.splitlines() if "batch" in line]
    assert sorted(titles) == sorted(job.title for job in jobs)
