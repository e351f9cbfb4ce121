"""FedFV's logs, as kept in data/papers, are the runs behind its print."""

import numpy as np
import pandas as pd

from reproductions import catalogue, report, result_folders

PAPERS = result_folders.find().papers
TABLES = [
    "fedfv_table_2_dealt_once",
    "fedfv_table_3_logged",
    "fedfv_table_4_fashion_mnist_logged",
    "fedfv_table_4_cifar10_dealt_once",
]


def test_the_logs_last_points_are_the_printed_cells():
    finals, compared = pd.read_csv(PAPERS / "fedfv_finals.csv"), 0
    for name in TABLES:
        experiment = catalogue.load(name)
        printed = report.printed(experiment, PAPERS)
        for row in (row for row in experiment.rows if row.algorithm):
            logged = finals[(finals.table == name) & (finals.row == row.label)]
            assert len(logged) == 5
            for column in experiment.columns:
                value, spread = printed[row.algorithm, row.hyperparameters][column.metric]
                # Four decimals are kept of each run, so that a half may be rounded the other way.
                assert abs(logged[column.of].mean() - float(value)) < 0.00506, (name, row.label, column.of)
                assert abs(logged[column.of].std(ddof=0) - float(spread)) < 0.00506, (name, row.label, column.of)
                compared += 1
    assert compared == 143


def test_the_curves_end_in_the_finals_and_begin_at_round_0():
    curves, finals = pd.read_csv(PAPERS / "fedfv_curves.csv"), pd.read_csv(PAPERS / "fedfv_finals.csv")
    for name, last, every in (("fedfv_table_2_dealt_once", 2001, 50), ("fedfv_table_3_logged", 201, 10)):
        for row in (row for row in catalogue.load(name).rows if row.algorithm):
            curve = curves[(curves.table == name) & (curves.row == row.label)]
            assert list(curve["round"]) == [*range(0, last, every), last]
            final = finals[(finals.table == name) & (finals.row == row.label)]
            np.testing.assert_allclose(curve[["mean", "std"]].iloc[-1], final[["mean", "std"]].mean(), atol=0.00051)
            assert abs(curve["mean_std"].iloc[-1] - final["mean"].std(ddof=0)) < 0.00055
    assert (PAPERS / "fedfv_curves.csv").stat().st_size < 400_000
