"""In the authors' logs a client's accuracies are alike from seed to seed, because its classes are; so they are in ours."""

import numpy as np
import pytest

from reproductions import load


def correlation(table, row):
    """The mean correlation, over pairs of seeds, of the clients' final accuracies."""
    runs = load(table).query("row == @row").pivot(index="seed", columns="client", values="accuracy").to_numpy()
    assert len(runs) >= 3
    return np.corrcoef(runs)[np.triu_indices(len(runs), 1)].mean()


@pytest.mark.parametrize("table, row", [("fedfv_table_2_dealt_once", "FedAvg")])
def test_clients_correlate_between_seeds_as_in_the_logs(table, row):
    assert 0.4 <= correlation(table, row) <= 0.7


@pytest.mark.parametrize("table", ["fedfv_table_2_logged", "fedfv_table_2_one_softmax"])
def test_where_shards_are_dealt_anew_they_do_not(table):
    assert abs(correlation(table, "FedAvg")) < 0.1
