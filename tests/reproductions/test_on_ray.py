"""The jobs on a real Ray cluster of two nodes on this machine, one of which is killed: `make test-ray`."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import own
import pytest

from fairfl.errors import NotInstalled
from fairfl.training import History
from reproductions import runner
from reproductions.jobs import select


def test_without_ray_the_remedy_is_named(tmp_path, monkeypatch):
    from reproductions import on_ray

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NotInstalled, match=r'pip install "fairfl\[ray\]"'):
        on_ray.run(select(own.small(tmp_path)), tmp_path)


def two_nodes(attempts=4):
    """A cluster of a head and a node that may die, each with one CPU. Ray gives a node 30 s to start: what a busy machine
    misses time and again is skipped by name, since it says nothing of the jobs."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=False)
    try:
        nodes.add_node(num_cpus=1)
        nodes.mortal = nodes.add_node(num_cpus=1)
    except Exception as late:
        nodes.shutdown()
        if "timed out during startup" not in str(late):
            raise
        if attempts == 1:
            pytest.skip(
                "Ray's nodes did not start within the 30 s it gives them; try again on a machine with less to do"
            )
        return two_nodes(attempts - 1)
    return nodes


@pytest.fixture
def cluster(monkeypatch):
    ray = pytest.importorskip("ray", reason="needs Ray: pip install 'fairfl[ray]'")
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", paths)
    nodes = two_nodes()
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def same_bits_as_here(jobs, folder):
    """The jobs' runs in ``folder`` / "ray" are, bit for bit, those of this process."""
    runner.run(jobs, folder / "here", report=lambda line: None)
    for job in jobs:
        a, b = (History.load(runner.where(folder / name, job)) for name in ("ray", "here"))
        assert np.array_equal(a.accuracy, b.accuracy) and np.array_equal(a.loss, b.loss)


def test_two_workers_share_the_jobs_and_give_the_same_bits(tmp_path, cluster):
    from reproductions import on_ray

    jobs = select(own.small(tmp_path))
    said = []
    written = on_ray.run(jobs, tmp_path / "ray", address=cluster.address, report=said.append)
    assert (
        sorted(written.written) == sorted(runner.where((tmp_path / "ray").resolve(), job) for job in jobs)
        and len(said) == 6
    )
    same_bits_as_here(jobs, tmp_path)
    assert on_ray.run(jobs, tmp_path / "ray", address=cluster.address).written == []


def test_a_machine_that_dies_in_mid_table_costs_no_bit(tmp_path, cluster):
    """Both machines stand in the third round of a run when one of them is killed; the other ends the table."""
    from reproductions import on_ray

    text = own.TOML.partition("[[rows]]")[0].replace("seeds = 2", "seeds = 1") + "".join(
        f'[[rows]]\nlabel = "row {n}"\nrule = "own:Waits"\nsettings = {{ factor = 0.{n}, folder = "{tmp_path.as_posix()}" }}\n'
        for n in range(1, 5)
    )
    jobs = select(own.small(tmp_path, text))

    def strike():
        while sum(bool(path.read_text()) for path in tmp_path.glob("began-*")) < 2:
            time.sleep(0.05)
        machine = cluster.mortal.all_processes["raylet"][0].process.pid
        workers = (map(int, path.read_text().split()) for path in tmp_path.glob("began-*"))
        [there] = [worker for worker, parent in workers if parent == machine]
        os.kill(there, signal.SIGKILL)  # a machine's death takes its workers with it, before they can end anything
        cluster.remove_node(cluster.mortal, allow_graceful=False)
        (tmp_path / "struck").touch()

    killer = threading.Thread(target=strike, daemon=True)
    killer.start()
    on_ray.run(jobs, tmp_path / "ray", address=cluster.address, report=lambda line: None)
    killer.join()
    assert len(list(tmp_path.glob("began-*"))) == len(jobs) + 1, "the killed run was begun again, and no other"
    same_bits_as_here(jobs, tmp_path)
