"""Recorded runs as a DataFrame, for one's own tables and figures."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

    from reproductions.result_folders import Records


def load(name: str, records: "Records | None" = None) -> "pandas.DataFrame":
    """The recorded runs of the declared table ``name``, a line for each row, seed and client.

    Columns: ``row``, the row's label; ``seed``; ``client``, from 0; ``test_size``, its test examples; ``accuracy``, its final test accuracy in
    per cent; ``settings``, a dictionary of everything that was set for the run, the same object in all lines of one run. Runs that diverged are
    left out. A row that its paper reprints has the runs of the row that it reprints. ``records``: where the records lie (default: the clone).
    Raises ``ValueError`` for a table that is not declared; one without runs gives a frame without lines.
    """
    # Here, and not above: they take seconds, and whoever imports the package may want none of them.
    import pandas as pd

    from reproductions import catalogue, result_folders, results

    records, experiment = records or result_folders.find(), catalogue.load(name)
    others = {row.reprinted[0] for row in experiment.rows if row.reprints}
    told = {}
    for one in (experiment, *map(catalogue.load, sorted(others))):
        told |= results.provenance(one, records.results)
    keys = {(line["row"], line["seed"]): line["key"] for line in results.load(experiment, records.results)}
    lines = [
        (row, seed, client, int(size), 100 * accuracy, told.get(keys[row, seed], {}).get("job", {}))
        for (row, seed), final in results.finals(experiment, records.results).items()
        for client, (accuracy, size) in enumerate(zip(*final))
    ]
    return pd.DataFrame(lines, columns=["row", "seed", "client", "test_size", "accuracy", "settings"])
