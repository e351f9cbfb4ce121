"""``summary``: means, tails and paired intervals over seeds, as SciPy and NumPy give them."""

import io
import warnings

import numpy as np
import pytest
from refusals import refused
from scipy import stats

from fairfl import Server, metrics, partition, sweep
from fairfl.training import summary

pandas = pytest.importorskip("pandas")
RULES, SEEDS, CLIENTS = ("FedAvg", "AFL", "TERM"), range(5), 7


@pytest.fixture
def table():
    """Three rules, five seeds, seven clients; a client's luck in a seed is the same under all rules."""
    rng, rows = np.random.default_rng(0), []
    luck = rng.normal(0, 0.1, (len(SEEDS), CLIENTS))
    for gain, rule in enumerate(RULES):
        for seed in SEEDS:
            noise = rng.normal(0, 0.02, CLIENTS)
            for client in range(CLIENTS):
                accuracy = 0.6 + 0.05 * gain + luck[seed, client] + noise[client]
                rows.append(
                    dict(rule=rule, seed=seed, client=client, accuracy=accuracy, loss=1 - accuracy, diverged="")
                )
    return pandas.DataFrame(rows)


def accuracies(table, rule, column="accuracy"):
    return table[table.rule == rule].pivot(index="seed", columns="client", values=column).to_numpy()


def test_means_and_deviations_over_seeds(table):
    short = summary(table, percent=20).set_index("rule")
    assert list(short.index) == [*RULES] and "pairs" not in short
    for rule in RULES:
        own = accuracies(table, rule)
        for name, values in (("mean", metrics.mean(own)), ("std", metrics.std(own)), ("worst", metrics.worst(own, 20))):
            assert short.loc[rule, name] == pytest.approx(values.mean())
            assert short.loc[rule, f"{name}_sd"] == pytest.approx(values.std(ddof=1))
    assert set(short.runs) == {5} and set(short.diverged) == {0}


def test_the_worst_have_the_largest_losses(table):
    short = summary(table, "loss").set_index("rule")
    assert short.loc["AFL", "worst"] == pytest.approx(accuracies(table, "AFL", "loss").max(1).mean())


@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_paired_differences_are_scipys(table, confidence):
    short = summary(table, reference="FedAvg", confidence=confidence).set_index("rule")
    for name, of in (("mean", metrics.mean), ("worst", metrics.worst)):
        for rule in ("AFL", "TERM"):
            own, other = of(accuracies(table, rule)), of(accuracies(table, "FedAvg"))
            interval = stats.ttest_rel(own, other).confidence_interval(confidence)
            found = short.loc[rule, [f"{name}_difference", f"{name}_low", f"{name}_high"]].tolist()
            assert found == pytest.approx([(own - other).mean(), interval.low, interval.high])
    assert short.loc["FedAvg", "pairs"] == 0 and short.loc["TERM", "pairs"] == 5
    assert short.loc["FedAvg", ["mean_difference", "mean_low"]].isna().all()


def test_equal_differences_have_an_interval_of_length_zero(table):
    table.loc[table.rule == "AFL", "accuracy"] = table[table.rule == "FedAvg"].accuracy.to_numpy() + 0.25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        line = summary(table, reference="FedAvg").set_index("rule").loc["AFL"]
    assert line.mean_low == pytest.approx(0.25) and line.mean_high == pytest.approx(0.25)


def test_runs_that_diverged_are_counted_and_left_out(table):
    table.loc[(table.rule == "AFL") & (table.seed == 2), "diverged"] = "a loss is nan"
    short = summary(table, reference="FedAvg").set_index("rule")
    assert short.runs.tolist() == [5, 4, 5] and short.diverged.tolist() == [0, 1, 0]
    assert short.loc["AFL", "pairs"] == 4
    own = np.delete(accuracies(table, "AFL"), 2, 0).mean(1)
    assert short.loc["AFL", "mean"] == pytest.approx(own.mean())
    expected = stats.ttest_rel(own, np.delete(accuracies(table, "FedAvg"), 2, 0).mean(1)).confidence_interval()
    assert short.loc["AFL", "mean_low"] == pytest.approx(expected.low)


def test_one_seed_has_a_mean_and_no_interval(table):
    line = summary(table[table.seed == 0], reference="FedAvg").set_index("rule").loc["AFL"]
    assert line.pairs == 1 and np.isfinite(line.mean_difference)
    assert np.isnan([line.mean_sd, line.mean_low, line.worst_high]).all()


def test_an_own_metric_says_who_is_worst_and_skips_who_has_none(table):
    table["gap"] = 1 - table.accuracy
    table.loc[table.client == 3, "gap"] = np.nan
    with refused("missing", "larger_is_better", "gap"):
        summary(table, "gap")
    short = summary(table, "gap", larger_is_better=False).set_index("rule")
    own = np.delete(accuracies(table, "TERM", "gap"), 3, 1)
    assert short.loc["TERM", "worst"] == pytest.approx(own.max(1).mean()) and short.loc["TERM", "runs"] == 5
    assert summary(table, "gap", larger_is_better=True).worst[2] == pytest.approx(own.min(1).mean())


def test_a_sweeps_table_and_its_copy_from_a_file(small):
    split = lambda seed: partition.iid(small, 3 + seed % 2, seed=seed, test=0.3, validation=0.2)
    steps = {"plain": Server(), "slow": Server(lr=0.1)}
    table = sweep(split, rules=["FedAvg", "AFL"], server=steps, seeds=[0, 1, 2], rounds=2, score="validation")
    short = summary(table, "validation_accuracy", reference="FedAvg")
    assert short[["rule", "server"]].values.tolist() == [
        ["FedAvg", "plain"],
        ["FedAvg", "slow"],
        ["AFL", "plain"],
        ["AFL", "slow"],
    ]
    of = lambda rule: table[(table.rule == rule) & (table.server == "slow")].groupby("seed").validation_accuracy.mean()
    assert short.mean_difference[3] == pytest.approx((of("AFL") - of("FedAvg")).mean()) and short.pairs[3] == 3
    read = pandas.read_csv(io.StringIO(table.to_csv(index=False)))
    pandas.testing.assert_frame_equal(summary(read, "validation_accuracy", reference="FedAvg"), short)


@pytest.mark.parametrize(
    "change, kind, mentions",
    [
        (dict(measure="acuracy"), "name", ["accuracy"]),
        (dict(measure="client"), "name", ["accuracy"]),
        (dict(reference="FedAv"), "name", ["FedAvg"]),
        (dict(percent=0), "value", ["percent"]),
        (dict(confidence=1), "value", ["confidence"]),
    ],
)
def test_refusals(table, change, kind, mentions):
    with refused(kind, *mentions):
        summary(table, **change)


def test_a_table_of_another_kind_is_refused(table):
    with refused("missing", "seed"):
        summary(table.drop(columns="seed"))
    with refused("type", "dict"):
        summary({})
    with refused("value", "twice"):
        summary(pandas.concat([table, table]))
