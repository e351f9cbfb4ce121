"""The ledger: every recorded table's cells with their verdicts."""

from collections import Counter
from collections.abc import Iterable

from reproductions import catalogue, report, results
from reproductions.equivalence import WORDS
from reproductions.report import Cell
from reproductions.result_folders import Records


def ledger(records: Records) -> dict[str, list[Cell]]:
    """The judged cells of each declared table of which something is recorded, by the table's name."""
    out = {}
    for name in catalogue.names():
        experiment = catalogue.load(name)
        if recorded := results.load(experiment, records.results):
            out[name] = report.cells(experiment, recorded, records.papers)
    return out


def distinct(cells: Iterable[Cell]) -> list[Cell]:
    """Those of ``cells`` that were run, each once: two of the same runs, metric and printed value are one, printed in two tables.

    Where one table prints a ± and another does not, the one with it stays.
    """
    kept: dict[tuple, Cell] = {}
    for cell in cells:
        same = cell.keys, cell.metric, cell.value
        if cell.keys and (same not in kept or cell.spread and not kept[same].spread):
            kept[same] = cell
    return list(kept.values())


def counted(records: Records) -> dict[str, list[Cell]]:
    """``ledger`` without second readings, by the printed table's name. A row that its paper reprints is there as a reading judges it by the
    runs of whom it reprints, under the same label, where these were made."""
    told = ledger(records)
    out = {
        name: {(cell.row, cell.metric): cell for cell in cells}
        for name, cells in told.items()
        if not catalogue.load(name).reading_of
    }
    for name, cells in told.items():
        reading = catalogue.load(name)
        reprinted = [cell for cell in cells if cell.keys and reading.row(cell.row).reprints]
        if reading.reading_of and reprinted:
            out.setdefault(reading.reading_of, {}).update({(cell.row, cell.metric): cell for cell in reprinted})
    return {name: list(cells.values()) for name, cells in out.items()}


def headline(records: Records) -> str:
    """The ledger in a sentence: ``counted``, and a cell that several tables print only once."""
    told = counted(records)
    once = distinct(cell for cells in told.values() for cell in cells)
    counts = Counter(cell.equivalence.word for cell in once)
    return f"{len(once)} published cells rerun, in {len(told)} tables: " + ", ".join(
        f"{counts[word]} {word}" for word in WORDS if counts[word]
    )
