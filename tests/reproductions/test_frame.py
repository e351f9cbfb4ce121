"""Recorded runs in a reader's own hands: the frame says what the files say."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import reproductions
from reproductions import catalogue, result_folders, results

NAME = "adafed_table_7_logged"  # two of its rows ran here, the others are reprinted
RESULTS = result_folders.find().results


@pytest.fixture(scope="module")
def frame():
    return reproductions.load(NAME)


def test_a_line_is_a_row_a_seed_and_a_client(frame):
    assert list(frame.columns) == ["row", "seed", "client", "test_size", "accuracy", "settings"]
    assert not frame.duplicated(["row", "seed", "client"]).any()
    stored = pd.read_csv(RESULTS / f"{NAME}.clients.csv").set_index(["row", "seed", "client"])
    ours = frame.set_index(["row", "seed", "client"]).loc[stored.index]
    np.testing.assert_allclose(ours.accuracy, stored.accuracy, atol=5e-5)  # recorded to four decimals
    assert (ours.test_size == stored.test_size).all()


def test_reprinted_rows_are_there_with_the_settings_of_their_own_runs(frame):
    reprinted = [row for row in catalogue.load(NAME).rows if row.reprints]
    assert reprinted
    for row in reprinted:
        table, label = row.reprinted
        there = reproductions.load(table).query("row == @label")
        here = frame.query("row == @row.label")
        assert here.accuracy.tolist() == there.accuracy.tolist() and here.settings.tolist() == there.settings.tolist()


def test_settings_are_those_of_the_run(frame):
    line = frame.query("row == 'AdaFed, γ = 1' and seed == 3").iloc[0]
    assert line.settings["rule"]["gamma"] == 1.0 and line.settings["seed"] == 3


def test_means_are_those_of_the_report(frame):
    for line in results.load(catalogue.load(NAME), RESULTS):
        mine = frame.query("row == @line['row'] and seed == @line['seed']").accuracy.mean()
        assert mine == pytest.approx(line["mean_accuracy"], abs=1e-4)


def test_an_unknown_table_is_named():
    with refused("name", "adafed_table_7_logged"):
        reproductions.load("adafed_table_7_loged")


def test_the_package_is_imported_without_torch_and_pandas():
    code = "import sys, reproductions; print(sorted({'torch', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
