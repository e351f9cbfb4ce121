"""In the authors' logs a client's accuracies are alike from seed to seed, because its classes are; so they are in ours."""

import numpy as np
import pytest

from reproductions import catalogue, load


def correlation(table, row):
    """The mean correlation, over pairs of seeds, of the clients' final accuracies."""
    runs = load(table).query("row == @row").pivot(index="seed", columns="client", values="accuracy").to_numpy()
    assert len(runs) >= 3
    return np.corrcoef(runs)[np.triu_indices(len(runs), 1)].mean()


def rows(ending):
    """The rows with three runs or more of the recorded tables whose names end like this."""
    seeds = {name: load(name).groupby("row")["seed"].nunique() for name in catalogue.names() if name.endswith(ending)}
    return [(name, row) for name, runs in seeds.items() for row in runs.index[runs >= 3] if row != "each alone"]


@pytest.mark.parametrize("table, row", rows("_dealt_once"))
def test_clients_correlate_between_seeds_as_in_the_logs(table, row):
    """In the logs of Table 2, 0.41 to 0.65 by row. We know of no client's accuracies in other logs."""
    least, most = (0.35, 0.7) if table == "fedfv_table_2_dealt_once" else (0.2, 0.9)
    assert least <= correlation(table, row) <= most


@pytest.mark.parametrize("table, row", rows("_dealt_per_seed"))
def test_where_shards_are_dealt_anew_they_do_not(table, row):
    assert abs(correlation(table, row)) < 0.1


def test_rows_of_both_kinds_are_recorded():
    assert len(rows("_dealt_once")) >= 3 and len(rows("_dealt_per_seed")) >= 9
