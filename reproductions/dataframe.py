"""Recorded runs as a DataFrame, for tables and figures of your own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

    from reproductions.result_folders import Records


def load(name: str, records: "Records | None" = None) -> "pandas.DataFrame":
    """The recorded runs of the declared table ``name``, one line for each row, seed and client.

    Columns: ``row``, the row's label; ``seed``; ``client``, from 0; ``test_size``, its number of test examples; ``accuracy``, its final
    test accuracy in per cent; ``settings``, a dictionary of all the run's settings, the same object in all lines of one run. Runs that
    diverged are left out. A row that is a reprint has the runs of the row that it reprints. A table without runs gives an empty frame.

    ``records``: the folders to read (default: those of the clone). ``fairfl-reproduce run`` without a name lists
    the tables. Raises ``Refused`` for a table that is not declared.
    """
    # These imports take seconds, and importing the package should not.
    import pandas as pd

    from reproductions import catalogue, result_folders, results

    records, experiment = records or result_folders.find(), catalogue.load(name)
    others = {row.reprinted[0] for row in experiment.rows if row.reprints}
    provenance = {}
    for one in (experiment, *map(catalogue.load, sorted(others))):
        provenance |= results.provenance(one, records.results)
    keys = {(line["row"], line["seed"]): line["key"] for line in results.load(experiment, records.results)}
    lines = [
        (row, seed, client, int(size), 100 * accuracy, provenance.get(keys[row, seed], {}).get("job", {}))
        for (row, seed), final in results.finals(experiment, records.results).items()
        for client, (accuracy, size) in enumerate(zip(*final))
    ]
    return pd.DataFrame(lines, columns=["row", "seed", "client", "test_size", "accuracy", "settings"])
