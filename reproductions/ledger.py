"""The ledger: every recorded table's cells with their verdicts."""

from collections import Counter

from reproductions import catalogue, report, results
from reproductions.places import Records
from reproductions.report import Cell


def ledger(records: Records) -> dict[str, list[Cell]]:
    """The judged cells of each declared table of which something is recorded, by the table's name."""
    out = {}
    for name in catalogue.names():
        experiment = catalogue.load(name)
        if recorded := results.load(experiment, records.results):
            out[name] = report.cells(experiment, recorded, records.papers)
    return out


def headline(records: Records) -> str:
    """The ledger in a sentence; other readings of a table are left out, since they are about the same cells."""
    told = {name: cells for name, cells in ledger(records).items() if not catalogue.load(name).reading_of}
    counts = Counter(cell.verdict.word for cells in told.values() for cell in cells)
    judged = counts["reproduced"] + counts["not reproduced"]
    return (
        f"{judged + counts['underspecified'] + counts['undecided']} published cells rerun in {len(told)} tables: {counts['reproduced']} reproduced, "
        f"{counts['not reproduced']} not reproduced, {counts['underspecified']} underspecified, {counts['undecided']} undecided"
    )
