import re

import numpy as np
from refusals import refused

from reproductions import catalogue, command, result_folders
from reproductions.published import published, wide


def test_every_cell_is_there_once():
    frame = published()
    assert len(frame) == 2015
    assert not frame.duplicated(["paper", "table", "dataset", "setup", "algorithm", "hyperparameters", "metric"]).any()
    assert frame["value"].notna().all() and (frame["printed"].astype(float) == frame["value"]).all()


def test_a_table_is_selected_and_laid_out():
    table = wide(published(paper="fedfv", table="Table 3"))
    assert list(table.algorithm[:2]) == ["FedAvg", "AFL"] and len(table) == 13
    assert table.accuracy_shirt[0] == 64.26 and np.isclose(table.mean_accuracy[0], 80.42)
    assert published(paper="fedfv", table="Table 3", algorithm="FedAvg", metric="accuracy_shirt")[
        "spread"
    ].tolist() == [1.07]


def test_slips_are_named():
    with refused("name", "'Table 33'", "'Table 3'"):
        published(paper="fedfv", table="Table 33")
    with refused("name", "column", "'tabel'"):
        published(tabel="Table 3")


def test_every_published_table_is_declared_or_said_not_to_be():
    declared = {(experiment.paper, experiment.table) for experiment in map(catalogue.load, catalogue.names())}
    told, printed = catalogue.undeclared(), {(line.paper, line.table) for line in published().itertuples()}
    kept = {(paper, table) for paper, table in told if paper in {paper for paper, _ in printed}}
    assert not declared & set(told) and declared | kept >= printed >= kept
    assert {paper for paper, _ in set(told) - kept} == {"fairmoo"}  # of no paper whose numbers are kept
    listed = command.listing(result_folders.find())
    assert all(f"{table} " in listed and why in listed for (_, table), why in told.items())


def test_the_listing_counts_no_job_of_a_row_that_is_reprinted():
    listed = command.listing(result_folders.find()).splitlines()
    counts = [re.findall(r"(\d+) of +(\d+) jobs", line)[0] for line in listed if "jobs recorded" in line]
    assert len(counts) == len(catalogue.names()) and all(int(one) <= int(many) for one, many in counts)
    (seven,) = (line for line in listed if line.startswith("adafed_table_7_logged "))
    assert " of   10 jobs" in seven  # AdaFed's own row, and each client alone
