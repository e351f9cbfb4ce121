"""The spread over clients, row by row, and how many lose by joining; from records alone."""

import dataclasses

import numpy as np
import own
import pytest

from reproductions import catalogue, measures, report, result_folders, results, runner, spread
from reproductions.jobs import select
from reproductions.measures import measure

ALONE = '\n[[rows]]\nlabel = "each alone"\npersonal = { strength = 0 }\n'


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A small table of two rows of ours and each client alone: the declaration, and the folder of its records."""
    folder = tmp_path_factory.mktemp("spread")
    experiment = own.small(folder, own.TOML + ALONE)
    runner.run(select(experiment), folder / "runs", device="cpu", report=lambda line: None)
    results.compile(experiment, folder / "runs", folder / "results")
    return experiment, folder / "results"


def test_the_rows_numbers_are_means_over_seeds_of_what_was_recorded(recorded):
    experiment, folder = recorded
    finals = results.finals(experiment, folder)
    found = {one.row: one for one in spread.spreads(experiment, folder)}
    assert list(found) == [row.label for row in experiment.rows]
    a, n = (np.array([finals["FedAvg", seed][i] for seed in (0, 1)]) for i in (0, 1))
    weighted = [np.sqrt(np.cov(one, fweights=sizes.astype(int), ddof=0)) for one, sizes in zip(a, n)]
    one = found["FedAvg"]
    assert one.runs == 2 and one.clients == 5 and one.lacking == ()
    assert one.numbers["std"] == pytest.approx(100 * np.mean(a.std(1)))
    assert one.numbers["std by test rows"] == pytest.approx(100 * np.mean(weighted))
    assert one.numbers["CVaR 10 %"] == pytest.approx(100 * a.min(1).mean())
    assert one.numbers["Jain"] == pytest.approx(np.mean(a.sum(1) ** 2 / (5 * (a**2).sum(1))))
    distances = np.abs(a[:, :, None] - a[:, None]).mean((1, 2))
    assert one.numbers["Gini"] == pytest.approx(np.mean(distances / (2 * a.mean(1))))


def test_the_gain_is_over_models_that_never_saw_the_others(recorded):
    experiment, folder = recorded
    finals = results.finals(experiment, folder)
    gains = 100 * np.array([finals["FedAvg", seed][0] - finals["each alone", seed][0] for seed in (0, 1)])
    one, alone = (
        next(s for s in spread.spreads(experiment, folder) if s.row == row) for row in ("FedAvg", "each alone")
    )
    assert one.gain == pytest.approx(gains.mean()) and one.worst_gain == pytest.approx(gains.min(1).mean())
    assert one.losers == (gains < 0).sum() / 2 and alone.gain == 0 and alone.losers == 0
    # What one client trains alone is what it trains in a federation where it is the only client.
    federation = own.offices(0)
    from fairfl import Federation, LocalSGD, train

    lonely = Federation(federation.dataset, federation.train[4:], federation.validation[4:], federation.test[4:])
    by_itself = train(lonely, "FedAvg", "logistic", rounds=6, local=LocalSGD(lr=0.1, batch_size=20), seed=0)
    assert finals["each alone", 0][0][4] == pytest.approx(by_itself.accuracy[-1][0], abs=0.02)


def test_without_own_models_the_gain_is_not_run(recorded):
    experiment, folder = recorded
    without = dataclasses.replace(experiment, rows=experiment.rows[:-1])
    assert experiment.alone == "each alone" and without.alone is None
    found = spread.spreads(without, folder)
    assert all(one.gain is None for one in found)
    assert spread.table(found)[1][-3:] == ["not run"] * 3


def test_the_report_shows_both_spreads_and_names_runs_without_accuracies(recorded):
    experiment, folder = recorded
    found = spread.spreads(experiment, folder)
    text = report.render(experiment, results.load(experiment, folder), result_folders.find().papers, spreads=found)
    header = next(line for line in text.splitlines() if "gain by joining" in line)
    assert "std by test rows" in header and "Jain" in header and spread.READ in text
    assert spread.READ not in report.render(experiment, results.load(experiment, folder), result_folders.find().papers)
    diverged = catalogue.load("dqn_fed_table_9")
    lacking = [one for row in spread.spreads(diverged, result_folders.find().results) for one in row.lacking]
    assert len(lacking) == 5 and all(one.startswith("DQN-Fed, seed ") for one in lacking)
    assert lacking[0] in report.render(
        diverged, [], result_folders.find().papers, spreads=spread.spreads(diverged, result_folders.find().results)
    )


@pytest.mark.parametrize("of", spread.OF)
def test_each_index_is_a_measure_that_a_table_may_declare(of):
    measures.check(of)
    assert np.isfinite(measure(of, np.array([0.2, 0.9]), np.array([1.0, 9.0])))


def test_indices_of_shares_are_nan_where_nobody_is_right():
    assert all(np.isnan(measure(of, np.zeros(3), np.ones(3))) for of in ("Jain", "Gini", "KL"))
