"""A table's report for a terminal: how well it came out, cell by cell and difference by difference, in lines that fit."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from reproductions import contrasts, report
from reproductions.agreement import agreement
from reproductions.equivalence import LACKS, WORDS
from reproductions.experiment import Experiment

WIDTH = 100  # where the screen's is not known
LEAST = 8  # letters of a shortened name
REST = "Settings, guesses, remarks, margins and each row's spread over clients: add --format markdown, or --out FILE."


def render(experiment: Experiment, recorded: list[dict], papers: Path, width: int = WIDTH, earlier: int = 0) -> str:
    """The report in lines of at most ``width`` characters; ``recorded`` and ``earlier`` as in ``report.render``.

    It leaves out what ``report.render`` also prints, and ends by saying where that is.
    """
    judged = report.cells(experiment, recorded, papers)
    found = contrasts.contrasts(experiment, recorded, papers)
    counts, lacks = (
        Counter(get(cell) for cell in judged) for get in (lambda c: c.equivalence.word, lambda c: c.equivalence.lacks)
    )
    reasons = report.counted(lacks, LACKS, LACKS)
    cells = f"Cells: {report.counted(counts, WORDS)}" + (f" ({reasons})." if reasons else ".")
    notes = [experiment.title, cells if judged else report.UNPRINTED]
    told = agreement(experiment, recorded, papers)
    notes += told.sentences() if told else []
    head = ["", "print", "ours", "Δ", "90 % interval", "verdict"]
    rows = {row.label: row.shown for row in experiment.rows}
    ran = [cell for cell in judged if cell.equivalence.word != "not run"]
    idle = list(dict.fromkeys(rows[cell.row] for cell in judged if cell.equivalence.word == "not run"))
    if earlier:
        notes.append(report.not_judged(experiment, earlier))
    if idle:
        notes.append(f"Not run: {'; '.join(idle)}.")
    blocks = [("Cells", head, _blocks(ran, lambda cell: rows[cell.row], _cell))] if ran else []
    if recorded and not judged:
        (_, *head), *lines = report.unprinted(experiment, recorded)
        blocks.append(
            (
                "Our runs",
                ["", *head[1:]],
                _blocks(lines, lambda line: line[0], lambda line: [f"  {line[1]}", *line[2:]]),
            )
        )
    if found:
        title = f"Rows minus {rows[found[0].base]}, seed by seed, beside {' or '.join(sorted({one.source for one in found}))}"
        head = ["", "theirs", "ours", "Δ", "90 % interval", "verdict"]
        blocks.append((title, head, _blocks(found, lambda one: rows[one.row], _contrast)))
    parts = ["\n".join(line for note in notes for line in textwrap.wrap(note, width))]
    for title, head, lines in blocks:
        parts.append("\n".join([*textwrap.wrap(title, width), *fitted([head, *lines], width)]))
    parts.append("\n".join(textwrap.wrap(REST, width)))
    return "\n\n".join(parts) + "\n"


def fitted(table: Sequence[Sequence[str]], width: int) -> list[str]:
    """The lines of a ``table`` in at most ``width`` characters: its first column is shortened first, then whole lines.

    A line of one entry is a heading and takes no part in the columns.
    """
    whole = [line for line in table if len(line) > 1]
    widths = [max(len(line[i]) for line in whole) for i in range(len(whole[0]))]
    over = sum(widths) + 2 * (len(widths) - 1) - width
    widths[0] = max(LEAST, widths[0] - max(0, over))
    out = []
    for line in table:
        cells = [short(line[0], widths[0] if len(line) > 1 else width), *line[1:]]
        text = "  ".join(cell.ljust(w) for cell, w in zip(cells, widths)) if len(line) > 1 else cells[0]
        out.append(short(text.rstrip(), width))
    return out


def short(text: str, width: int) -> str:
    """``text``, or as much as fits, with "…" for the rest."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _blocks(things, name, line) -> list[list[str]]:
    return [entry for row, group in groupby(things, name) for entry in ([row], *map(line, group))]


def _cell(cell: report.Cell) -> list[str]:
    e = cell.equivalence
    word = f"{e.word} ({e.lacks})" if e.lacks else e.word
    gap, interval = report.signed(e.difference), report.interval(e.low, e.high)
    return [f"  {cell.metric}", report.print_of(cell), report.mean_of(e), gap, interval, word]


def _contrast(one: contrasts.Contrast) -> list[str]:
    levels = [report.signed(value) for value in (one.theirs, one.ours, one.ours - one.theirs)]
    return [f"  {one.metric}", *levels, report.interval(one.low, one.high), one.word]
