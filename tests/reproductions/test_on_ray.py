"""The jobs on a real Ray cluster of two workers on this machine."""

import os
import sys
from pathlib import Path

import numpy as np
import own
import pytest

from fairfl.extras import NotInstalled
from fairfl.training import History
from reproductions import runner
from reproductions.jobs import select


def test_without_ray_the_remedy_is_named(tmp_path, monkeypatch):
    from reproductions import on_ray

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NotInstalled, match=r'pip install "fairfl\[ray\]"'):
        on_ray.run(select(own.small(tmp_path)), tmp_path)


@pytest.fixture
def cluster(monkeypatch):
    ray = pytest.importorskip("ray", reason="needs Ray: pip install 'fairfl[ray]'")
    from ray.cluster_utils import Cluster

    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", paths)
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes.add_node(num_cpus=1)
    yield nodes.address
    ray.shutdown()
    nodes.shutdown()


def test_two_workers_share_the_jobs_and_give_the_same_bits(tmp_path, cluster):
    from reproductions import on_ray

    jobs = select(own.small(tmp_path))
    said = []
    written = on_ray.run(jobs, tmp_path / "ray", address=cluster, report=said.append)
    assert (
        sorted(written.written) == sorted(runner.where((tmp_path / "ray").resolve(), job) for job in jobs)
        and len(said) == 6
    )
    runner.run(jobs, tmp_path / "here", report=lambda line: None)
    for job in jobs:
        a, b = (History.load(runner.where(tmp_path / name, job)) for name in ("ray", "here"))
        assert np.array_equal(a.accuracy, b.accuracy) and np.array_equal(a.loss, b.loss)
    assert on_ray.run(jobs, tmp_path / "ray", address=cluster).written == []
