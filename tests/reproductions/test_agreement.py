"""A table's agreement in one line, compared with the raw files and with cases of known answer."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproductions import agreement, catalogue, ledger, result_folders, results
from reproductions.command import main

RECORDS = result_folders.find()


def of(name):
    experiment = catalogue.load(name)
    return agreement.agreement(experiment, results.load(experiment, RECORDS.results), RECORDS.papers)


@pytest.fixture(scope="module")
def table():
    return of("fedfv_table_3_logged")


@pytest.fixture(scope="module")
def raw():
    """Printed value and our mean by row and column, from the two files alone."""
    experiment = catalogue.load("fedfv_table_3_logged")
    ours = pd.read_csv(RECORDS.results / "fedfv_table_3_logged.csv").groupby("row").mean(numeric_only=True)
    published = pd.read_csv(RECORDS.papers / "published_results.csv", dtype=str, keep_default_na=False)
    published = published.query("paper == 'fedfv' and table == 'Table 3'")
    lines = [
        (row.label, line.metric, float(line.value), ours.loc[row.label, line.metric])
        for row in experiment.rows
        for line in published.itertuples()
        if (line.algorithm, line.hyperparameters) == (row.algorithm, row.hyperparameters) and line.metric in ours
    ]
    return pd.DataFrame(lines, columns=["row", "metric", "theirs", "ours"])


def test_miss_and_order_follow_from_the_files(table, raw):
    assert sum(table.words.values()) == len(raw) == 65
    # All columns are in points: the one called variance holds a standard deviation.
    assert table.miss == pytest.approx((raw.ours - raw.theirs).abs().median(), abs=1e-6)
    orders = [stats.spearmanr(column.theirs, column.ours).statistic for _, column in raw.groupby("metric")]
    np.testing.assert_allclose(table.order, (min(orders), max(orders)))


def test_pairs_in_the_printed_order_follow_from_the_files(raw):
    """All columns of this table are in points."""
    experiment = catalogue.load("fedfv_table_3_logged")
    cells = ledger.ledger(RECORDS)["fedfv_table_3_logged"]
    alike = [
        np.sign(a.theirs - b.theirs) == np.sign(a.ours - b.ours)
        for _, column in raw.groupby("metric")
        for a, b in combinations(column.itertuples(), 2)
        if abs(a.theirs - b.theirs) > 1e-6
    ]
    assert agreement.pairs_in_order(experiment, cells) == (sum(alike), len(alike))


def test_a_table_of_rows_that_hardly_differ_lets_wrong_rows_pass(table):
    assert table.wrong < 0.05, "rows of FedFV's Table 3 are apart"
    assert of("fedmgda_table_7").wrong > 0.3, "those on Adult are not"


def test_a_line_is_short_and_says_it_all():
    words = Counter(equivalent=2, undecided=3, **{"not run": 5})
    told = agreement.Agreement("a_table", (1, 5), words, 0.5, (-0.2, 1.0), 0.25, "3/8", (("mean", 1.0), ("std", -0.2)))
    assert told.line().split() == [
        "a_table",
        "1–5",
        "0.50",
        "-0.20",
        "to",
        "1.00",
        "3/8",
        "40",
        "%",
        "25",
        "%",
        "2",
        "0",
        "3",
    ]
    text = " ".join(told.sentences())
    for part in (
        "1–5 seeds",
        "0.50 points",
        "mean 1.00, std -0.20",
        "Of 8 differences",
        "3 are equivalent",
        "40 %",
        "25 %",
    ):
        assert part in text
    bare = agreement.Agreement("a_table", (1, 1), Counter(different=1), float("nan"), (), float("nan"))
    assert bare.line().split() == ["a_table", "1", "0", "%", "0", "1", "0"]
    assert bare.sentences() == ["1 seed of ours.", "Equivalent to print: 0 % of the cells."]


def test_a_table_without_runs_has_no_line():
    experiment = catalogue.load("fedfv_table_3_logged")
    assert agreement.agreement(experiment, [], RECORDS.papers) is None


def test_the_command_prints_every_recorded_table_in_a_line(capsys):
    assert (
        main(["tables", "fedfv_table_3_logged", "adafed_table_12_logged", "fedfv_table_2_one_softmax_dealt_per_seed"])
        == 0
    )
    head, *lines = capsys.readouterr().out.splitlines()
    for name, line in zip(
        ("fedfv_table_3_logged", "adafed_table_12_logged", "fedfv_table_2_one_softmax_dealt_per_seed"), lines
    ):
        assert line.startswith(f"{name} ")
    assert all(len(line) <= 100 for line in (head, *lines)) and "" in lines


def test_the_ledgers_headline_counts_tables():
    told = ledger.outcomes(RECORDS)
    assert [one.name for one in told] == list(ledger.counted(RECORDS))
    near, both = sum(one.near for one in told), sum(one.near and one.ordered for one in told)
    text = ledger.headline(RECORDS)
    assert text.startswith(f"{len(told)} published tables rerun: in {near}, ") and f"in {both} of these" in text
    best = next(one for one in told if one.name == "fedfv_table_3_logged")
    assert best.near and best.ordered and best.miss == pytest.approx(of(best.name).miss)
