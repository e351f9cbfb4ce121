"""A table's agreement in one line, compared with the raw files and with cases of known answer."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproductions import agreement, catalogue, result_folders, results
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


def test_a_table_of_rows_that_hardly_differ_lets_wrong_rows_pass(table):
    assert table.wrong < 0.05, "rows of FedFV's Table 3 are apart"
    assert of("fedmgda_table_7").wrong > 0.3, "those on Adult are not"


def test_a_line_is_short_and_says_it_all():
    line = agreement.Agreement("a_table", (1, 5), Counter(equivalent=2, undecided=3), 0.5, (-0.2, 1.0), 0.25).line()
    assert line.split() == ["a_table", "1–5", "5", "2", "0", "3", "0.50", "-0.20", "to", "1.00", "25", "%"]
    bare = agreement.Agreement("a_table", (5, 5), Counter(different=1), float("nan"), (), float("nan")).line()
    assert bare.split() == ["a_table", "5", "1", "0", "1", "0"]


def test_a_table_without_runs_has_no_line():
    experiment = catalogue.load("fedfv_table_3_logged")
    assert agreement.agreement(experiment, [], RECORDS.papers) is None


def test_the_command_prints_every_recorded_table_in_a_line(capsys):
    assert main(["report", "--short", "fedfv_table_3_logged", "adafed_table_12_logged"]) == 0
    head, first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("fedfv_table_3_logged") and second.startswith("adafed_table_12_logged")
    assert all(len(line) <= 100 for line in (head, first, second))
