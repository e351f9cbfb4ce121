"""As the logs were made: a split a seed, a source a setting, and the released code's rules beside its own words."""

import numpy as np
import own
import pytest
import torch
from refusals import refused

from fairfl import History, Updates
from reproductions import catalogue, results, runner
from reproductions.experiment import SOURCES
from reproductions.jobs import groups, select
from reproductions.released_rules import QFedAvgAfter, UniformFedFA


def test_each_seed_has_its_own_split_and_no_batch_mixes_them(tmp_path):
    experiment = own.small(tmp_path, own.TOML.replace("rounds = 6", "rounds = 2\nsplit_per_seed = true"))
    jobs = select(experiment)
    for together in ("none", "seeds", "rows"):
        assert all(len({job.seed for job in batch}) == 1 for batch in groups(jobs, together))
    one, other, again = (runner.federation_of(experiment, seed) for seed in (0, 1, 0))
    assert one.digest == again.digest != other.digest
    runner.run(jobs, tmp_path, report=lambda line: None)
    told = {job.seed: History.load(runner.where(tmp_path, job)).settings["federation"] for job in jobs}
    assert told[0] != told[1]


def test_what_was_recorded_before_splits_could_differ_is_still_declared(tmp_path):
    plain, said = (
        own.small(tmp_path, own.TOML.replace("rounds = 6", f"rounds = 6{more}"))
        for more in ("", "\nsplit_per_seed = false")
    )
    assert [job.key for job in select(plain)] == [job.key for job in select(said)]


@pytest.mark.parametrize("name", catalogue.names())
def test_every_setting_has_a_source(name):
    experiment = catalogue.load(name)
    assert not experiment.unsourced and all(row.source.partition(":")[0] in SOURCES for row in experiment.rows)
    if name.endswith("_logged"):
        assert experiment.split_per_seed and (experiment.spread == "population" or experiment.paper != "fedfv")


@pytest.mark.parametrize(
    "text, mentions",
    [
        ('[sources]\nrounds = "hearsay"\n', ("'rounds'", "'hearsay'", "'paper'")),
        ("[sources]\nrounds = 3\n", ("'rounds'", "3")),
        ('[sources]\nround = "paper"\n', ("'round'", "'rounds'")),
    ],
)
def test_a_source_that_is_none_is_refused(tmp_path, text, mentions):
    with refused("name", *mentions):
        own.small(tmp_path, own.TOML.replace("[columns]", text + "[columns]"))


def test_fedfa_as_released_is_its_two_lines():
    rng, gamma, lr = np.random.default_rng(0), 0.5, 0.1
    rule, w, m, ours = UniformFedFA(momentum=gamma, lr=lr), np.zeros(4), np.zeros(4), np.zeros(4)
    for t in range(6):
        gradients = rng.normal(size=(3, 4))
        mean = (w - gradients).mean(0)
        m = gamma * m + (1 - gamma) * (mean - w)
        w = mean - lr * m
        ours = ours - rule.direction(Updates(torch.tensor(gradients), round=t)).vector.numpy()
    assert np.allclose(ours, w, atol=1e-12) and np.abs(w).max() > 0.1


def test_qfedavg_as_released_reads_the_losses_after_training():
    gradients, after, q, L = (
        torch.tensor([[1.0, 0.0], [0.0, 2.0]]).double(),
        torch.tensor([0.5, 2.0]).double(),
        2.0,
        10.0,
    )
    updates = Updates(gradients, losses=torch.ones(2), extras={"losses_after": after}, local_lr=0.1)
    f = after + 1e-10
    top = (L * f[:, None] ** q * gradients).sum(0)
    bottom = (q * f ** (q - 1) * (L * gradients).square().sum(1) + L * f**q).sum()
    assert torch.allclose(QFedAvgAfter(q=q).direction(updates).vector, top / bottom, rtol=1e-12)


def test_reprinted_rows_name_a_row_that_is_there_and_are_not_run():
    seen = 0
    for experiment in map(catalogue.load, catalogue.names()):
        for row in experiment.rows:
            if row.reprints:
                name, label = row.reprinted
                assert catalogue.load(name).row(label).label == label
                assert row.label not in {job.row.label for job in select(experiment)}
                seen += 1
    assert seen >= 4


def test_a_reprinted_row_is_measured_by_the_other_tables_runs(tmp_path, monkeypatch):
    source = own.small(tmp_path, own.TOML)
    runner.run(select(source), tmp_path / "runs", report=lambda line: None)
    results.compile(source, tmp_path / "runs", tmp_path / "results")
    known = catalogue.load
    monkeypatch.setattr(results.catalogue, "load", lambda name: source if name == source.name else known(name))
    again = own.small(
        tmp_path,
        own.TOML.replace('label = "First"', f'label = "First, printed again"\nreprints = "{source.name}: First"'),
    )
    lines = {
        line["seed"]: line
        for line in results.load(again, tmp_path / "results")
        if line["row"] == "First, printed again"
    }
    first = {line["seed"]: line for line in results.load(source, tmp_path / "results") if line["row"] == "First"}
    assert set(lines) == set(first) == {0, 1}
    for seed, line in lines.items():
        assert line["key"] == first[seed]["key"] and abs(line["mean_accuracy"] - first[seed]["mean_accuracy"]) < 1e-3
