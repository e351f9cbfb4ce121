"""A client that takes part in every round, among others that are drawn."""

import own
import torch
from refusals import refused

from reproductions import runner
from reproductions.attendance import Attendance
from reproductions.jobs import select
from reproductions.runner import load_run


def test_the_named_clients_are_always_there_and_the_others_are_drawn_uniformly():
    sampler, counts = Attendance(0.2, 20, always=(3,)), torch.zeros(20)
    for round in range(4000):
        clients, inclusion = sampler.sample(round, torch.Generator().manual_seed(round))
        assert len(set(clients.tolist())) == 4 and 3 in clients
        counts[clients] += 1
    share = counts / 4000
    assert share[3] == 1 and (share[torch.arange(20) != 3] - 3 / 19).abs().max() < 0.03
    assert inclusion[clients == 3] == 1 and torch.allclose(inclusion[clients != 3], torch.tensor(3 / 19).double())


def test_who_does_not_exist_or_does_not_fit_is_refused():
    with refused("value", "always", "20"):
        Attendance(0.2, 20, always=(20,))
    with refused("value", "always", "at most 2"):
        Attendance(0.1, 20, always=(1, 2, 3))


def test_a_declared_attacker_is_in_every_round(tmp_path):
    text = own.TOML.replace("rounds = 6", "rounds = 6\nparticipation = 0.4\nalways = [0]")
    experiment = own.small(tmp_path, text)
    jobs = select(experiment, ["FedAvg"], [0])
    assert jobs[0].key != select(own.small(tmp_path, text.replace("always = [0]", "")), ["FedAvg"], [0])[0].key
    runner.run(jobs, tmp_path / "runs", report=lambda line: None)
    weights = load_run(tmp_path / "runs", jobs[0]).weights
    assert (weights[:, 0] > 0).all() and ((weights > 0).sum(1) == 2).all()
