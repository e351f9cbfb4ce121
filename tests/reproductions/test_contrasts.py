"""Rows minus FedAvg, ours beside the authors' logs or print: as SciPy computes them from the raw files, and in the report."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproductions import catalogue, contrasts, report, result_folders, results, terminal_report
from reproductions.command import main

RECORDS = result_folders.find()


def of(name):
    experiment = catalogue.load(name)
    return contrasts.contrasts(experiment, results.load(experiment, RECORDS.results), RECORDS.papers)


def test_against_logs_the_interval_is_welchs_for_two_sets_of_differences():
    found = {(one.row, one.metric): one for one in of("fedfv_table_3_logged")}
    assert len(found) == 60
    ours = pd.read_csv(RECORDS.results / "fedfv_table_3_logged.csv").pivot(index="seed", columns="row")
    logs = pd.read_csv(RECORDS.papers / "fedfv_finals.csv").query("table == 'fedfv_table_3_logged'")
    logs = logs.drop(columns="table").pivot(index="seed", columns="row")
    for metric, measure in (("accuracy_shirt", "client 0"), ("mean_accuracy", "mean"), ("variance_as_printed", "std")):
        for row in ("AFL, step 0.5", "FedFV, α = 2/3", "FedMGDA+, ε = 1.0"):
            mine, theirs = ours[metric][row] - ours[metric]["FedAvg"], logs[measure][row] - logs[measure]["FedAvg"]
            want = stats.ttest_ind(mine, theirs, equal_var=False).confidence_interval(0.90)
            one = found[row, metric]
            assert (one.base, one.source, one.seeds) == ("FedAvg", "logs", 5)
            np.testing.assert_allclose((one.low, one.high), want, atol=1e-9)
            within, outside = want.low >= -1 and want.high <= 1, want.low > 1 or want.high < -1
            assert one.word == ("equivalent" if within else "different" if outside else "undecided")


def test_against_print_two_printed_spreads_are_added():
    one = next(one for one in of("fedmgda_table_7_leads") if one.source == "print" and one.word != "undecided")
    assert one.low < one.ours - one.theirs < one.high
    table = next(
        one for one in of("adafed_table_7_logged") if (one.row, one.metric) == ("AdaFed, γ = 1", "mean_accuracy")
    )
    printed = report.printed(catalogue.load("adafed_table_7_logged"), RECORDS.papers)
    row, base = catalogue.load("adafed_table_7_logged").row("AdaFed, γ = 1"), printed["FedAvg", ""]
    own = float(printed[row.algorithm, row.hyperparameters]["mean_accuracy"][0]) - float(base["mean_accuracy"][0])
    assert table.source == "print" and table.theirs == pytest.approx(own)


def test_one_seed_is_undecided_and_has_no_interval():
    found = of("fedfv_table_2")
    assert found and all(one.word == "undecided" and np.isnan(one.low) for one in found)
    assert contrasts.told(found) == "" and contrasts.told([]) == ""


def test_contrasts_agree_more_often_than_levels():
    """FedFV's Table 3: 20 of 60 differences, and 8 of 65 levels."""
    assert contrasts.told(of("fedfv_table_3_logged")) == "20/60"
    experiment = catalogue.load("fedfv_table_3_logged")
    cells = report.cells(experiment, results.load(experiment, RECORDS.results), RECORDS.papers)
    assert sum(cell.equivalence.word == "equivalent" for cell in cells) == 8
    assert sum(cell.equivalence.lacks == "theirs" for cell in cells) == 39


@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.parametrize(
    "name",
    ["fedfv_table_3_logged", "adafed_table_7_logged", "dqn_fed_table_9", "adafed_table_8", "dqn_fed_table_9_losses"],
)
def test_a_terminals_report_fits_and_says_where_the_rest_is(name, width):
    experiment = catalogue.load(name)
    text = terminal_report.render(experiment, results.load(experiment, RECORDS.results), RECORDS.papers, width)
    assert max(map(len, text.splitlines())) <= width
    assert "--format markdown" in " ".join(text.split())


def test_the_terminals_report_is_printed_and_the_whole_one_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COLUMNS", "90")
    assert main(["report", "fedfv_table_4_fashion_mnist_logged", "--runs", str(tmp_path / "none")]) == 0
    screen = capsys.readouterr().out
    assert max(map(len, screen.splitlines())) <= 90 and "Rows minus FedFV, ascending" in screen and "Gini" not in screen
    for more in (["--format", "markdown"], ["--out", str(tmp_path / "page.txt")]):
        assert main(["report", "fedfv_table_4_fashion_mnist_logged", "--runs", str(tmp_path / "none"), *more]) == 0
        text = capsys.readouterr().out or (tmp_path / "page.txt").read_text(encoding="utf-8")
        assert "Gini" in text and "90 % interval of the difference" in text and "undecided: theirs too few" in text
