"""A recorded table beside the published one: cell by cell with a verdict, row by row with paired differences and the spread over clients."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np

from fairfl.errors import Refused, unknown
from reproductions import catalogue, results, spread
from reproductions.cell_verdict import Verdict, judge
from reproductions.equivalence import Equivalence, compare, holm, margin_of
from reproductions.experiment import Column, Experiment, Row
from reproductions.spread import Spread

FORMATS = ("text", "markdown", "latex")


@dataclass(frozen=True)
class Cell:
    """One cell: published ``value`` and ``spread`` as printed ("" where there is none), the verdict on it (``equivalence``), the first
    edition's beside it (``verdict``), and the ``keys`` of the jobs that it is judged by."""

    row: str
    metric: str
    value: str
    spread: str
    verdict: Verdict
    equivalence: Equivalence
    keys: tuple[str, ...] = ()


def cells(experiment: Experiment, recorded: list[dict], papers: Path) -> list[Cell]:
    """Every published cell of the experiment's rows and columns, judged by the ``recorded`` lines of ``results.load``.

    Raises ``ValueError`` for a row whose algorithm and hyper-parameters the published table does not have.
    """
    table = printed(experiment, papers)
    out = []
    for row in experiment.rows:
        if not row.algorithm:
            continue
        found = table.get((row.algorithm, row.hyperparameters))
        if not found:
            raise Refused(
                f"{experiment.paper} {experiment.table} has no row {row.algorithm!r} with hyper-parameters {row.hyperparameters!r}; "
                f"it has {'; '.join(f'{a} {h}'.strip() for a, h in table)}"
            )
        mine = [line for line in recorded if line["row"] == row.label]
        failed = [line for line in mine if line["failed"]]
        for column in experiment.columns:
            if column.metric not in found:
                continue
            value, spread = found[column.metric]
            ours = measured(mine, column)
            left_out = bool(row.underspecified or experiment.underspecified)
            equal = beside(experiment, row, column, ours, value, spread)
            verdict = judge(ours, value, spread, experiment.published_seeds, experiment.spread, left_out)
            if failed:
                verdict = Verdict(
                    "underspecified" if left_out else "not reproduced",
                    remark=f"{len(failed)} of {len(mine)} runs diverged: {failed[0]['failed'][:80]}",
                )
                equal = Equivalence(
                    "undecided" if left_out or len(mine) < 2 else "different",
                    margin=margin_of(column.of),
                    remark=verdict.remark,
                )
            elif not mine and experiment.not_run:
                verdict = Verdict("not run", remark=experiment.not_run)
            keys = tuple(sorted(line["key"] for line in mine))
            out.append(Cell(row.label, column.metric, value, spread, verdict, equal, keys))
    return out


def measured(lines: list[dict], column: Column) -> list[float]:
    """What ``column`` is in a row's recorded ``lines``, one number a run that did not diverge."""
    # A column that was declared after the run is not in its line.
    return [line[column.metric] for line in lines if not line["failed"] and isinstance(line.get(column.metric), float)]


def beside(experiment: Experiment, row: Row, column: Column, ours: list[float], value: str, spread: str) -> Equivalence:
    """``compare`` of ``row``'s runs with a printed number, by all that the declaration says of both."""
    runs = catalogue.load(row.reprinted[0]) if row.reprints else experiment
    return compare(
        ours,
        value,
        spread,
        experiment.published_seeds,
        margin=margin_of(column.of),
        population=experiment.spread == "population",
        one_split=not (runs.split_per_seed or runs.split_given),
        settings=row.underspecified or experiment.underspecified,
    )


def printed(experiment: Experiment, papers: Path) -> dict[tuple[str, str], dict[str, tuple[str, str]]]:
    """(algorithm, hyper-parameters) → metric → (value, spread), of the experiment's table."""
    out: dict = {}
    with open(papers / "published_results.csv", newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if (
                (line["paper"], line["table"]) == (experiment.paper, experiment.table)
                and line["setup"].startswith(experiment.setup)
                and experiment.dataset in ("", line["dataset"])
            ):
                row = out.setdefault((line["algorithm"], line["hyperparameters"]), {})
                row[line["metric"]] = (line["value"], line["spread"])
    return out


def tally(judged: list[Cell]) -> dict[str, int]:
    """How many cells got which verdict."""
    return dict(Counter(cell.equivalence.word for cell in judged))


def multiplicity(judged: list[Cell]) -> str:
    """How many of the cells that are *different* may be so by chance, and how many still are when all are judged together; "" for none."""
    decided = [cell.equivalence for cell in judged if not isnan(cell.equivalence.p)]
    word = [one.word == "different" for one in decided]
    if not any(word):
        return ""
    still = sum(kept and told for kept, told in zip(holm([one.p for one in decided]), word))
    return (
        f"{len(decided)} cells were compared: were each true difference just the margin, {sum(one.risk for one in decided):.1f} would on average still come out different. "
        f"{sum(word)} do, {still} of them also when all are judged together (Holm)"
    )


def paired(experiment: Experiment, recorded: list[dict]) -> list[dict]:
    """Each row minus the first recorded one, seed by seed: mean difference and its standard error (NaN for one seed)."""
    by = {(line["row"], line["seed"]): line for line in recorded if not line["failed"]}
    rows = [row.label for row in experiment.rows if any(label == row.label for label, _ in by)]
    out = []
    for label in rows[1:]:
        seeds = [s for r, s in by if r == label and (rows[0], s) in by]
        for column in experiment.columns:
            both = [(by[label, s].get(column.metric), by[rows[0], s].get(column.metric)) for s in seeds]
            d = np.array(
                [ours - theirs for ours, theirs in both if isinstance(ours, float) and isinstance(theirs, float)]
            )
            if len(d):
                error = float(d.std(ddof=1) / np.sqrt(len(d))) if len(d) > 1 else float("nan")
                out.append(
                    {
                        "row": label,
                        "minus": rows[0],
                        "metric": column.metric,
                        "mean": float(d.mean()),
                        "error": error,
                        "seeds": len(d),
                    }
                )
    return out


def render(
    experiment: Experiment,
    recorded: list[dict],
    papers: Path,
    format: str = "text",
    variant: str = "",
    earlier: int = 0,
    told: Sequence[Spread] = (),
) -> str:
    """The whole report as ``format``: "text", "markdown" or "latex".

    ``recorded``: the lines of ``results.load``. ``variant``: what the data's copies differ in. ``earlier``: how many runs are recorded
    under an earlier declaration; they are mentioned, not judged. ``told``: the rows' spreads over clients (``spread.spreads``).
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    judged = cells(experiment, recorded, papers)
    shown = {row.label: row.shown for row in experiment.rows}
    table = [
        ["row", "metric", "published", "ours", "Δ", "90 % interval", "margin", "verdict", "first edition's", "remark"]
    ]
    for c in judged:
        v, e = c.verdict, c.equivalence
        ours = (
            ""
            if isnan(v.mean)
            else f"{v.mean:.2f}" + ("" if isnan(v.spread) else f" ± {v.spread:.2f}") + f" ({v.runs})"
        )
        table.append(
            [
                shown[c.row],
                c.metric,
                c.value + (f" ± {c.spread}" if c.spread else ""),
                ours,
                _signed(e.difference),
                "" if isnan(e.low) else f"{e.low:+.2f} to {e.high:+.2f}",
                _plain(e.margin),
                e.word,
                v.word,
                e.remark,
            ]
        )
    differences = [["row", "minus", "metric", "difference", "standard error", "seeds"]]
    differences += [
        [shown[d["row"]], shown[d["minus"]], d["metric"], _signed(d["mean"]), _plain(d["error"]), str(d["seeds"])]
        for d in paired(experiment, recorded)
    ]
    swing = max((line["swing"] for line in recorded if not line["failed"]), default=float("nan"))
    notes = [f"{count} {word}" for word, count in tally(judged).items()]
    lines = [experiment.title, "Cells: " + ", ".join(notes) + "."]
    if many := multiplicity(judged):
        lines.append(many + ".")
    if not isnan(swing):
        lines.append(
            f"Over the last {results.SWING} evaluations a client's accuracy swings by up to {swing:.1f} points."
        )
    if variant:
        lines.append(f"Data: {variant}.")
    if earlier:
        lines.append(
            f"Recorded under an earlier declaration, kept in {experiment.name}.csv and not judged: {earlier} {'run' if earlier == 1 else 'runs'}."
        )
    lines += [f"Column {c.metric}: {c.of}; {c.why}." for c in experiment.columns if c.why]
    lines += [f"Chosen: {what}" for what in experiment.chosen] + [
        f"{row.label}: {row.chosen}" for row in experiment.rows if row.chosen
    ]
    lines += [f"Underspecified: {experiment.underspecified}."] if experiment.underspecified else []
    lines += [f"{row.label}, underspecified: {row.underspecified}." for row in experiment.rows if row.underspecified]
    lines += [f"Tried: {experiment.tried}"] if experiment.tried else []
    lines += [f"{row.label}, tried: {row.tried}" for row in experiment.rows if row.tried]
    lines += [f"No final accuracies: {one}." for row in told for one in row.lacking]
    unequal = spread.table(told)
    if len(unequal) > 1:
        lines.append(spread.READ)
    parts = [LAYOUT[format](part) for part in (table, differences, unequal) if part is table or len(part) > 1]
    escape = _latex if format == "latex" else str
    return (
        "\n\n".join(["\n".join(map(escape, lines)) if format == "text" else "\n\n".join(map(escape, lines)), *parts])
        + "\n"
    )


def _signed(value: float) -> str:
    return "" if isnan(value) else f"{value:+.2f}"


def _plain(value: float) -> str:
    return "" if isnan(value) else f"{value:.2f}"


def _as_text(table):
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in table)


def _as_markdown(table):
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:]])


def _as_latex(table):
    body = [" & ".join(_latex(cell) for cell in line) + r" \\" for line in table]
    return "\n".join(
        [
            r"\begin{tabular}{" + "l" * len(table[0]) + "}",
            r"\hline",
            body[0],
            r"\hline",
            *body[1:],
            r"\hline",
            r"\end{tabular}",
        ]
    )


def _latex(text: str) -> str:
    for given, wanted in (
        ("\\", r"\textbackslash{}"),
        ("&", r"\&"),
        ("%", r"\%"),
        ("_", r"\_"),
        ("#", r"\#"),
        ("$", r"\$"),
        ("±", r"$\pm$"),
        ("Δ", r"$\Delta$"),
        ("ε", r"$\varepsilon$"),
        ("α", r"$\alpha$"),
        ("τ", r"$\tau$"),
        ("γ", r"$\gamma$"),
        ("λ", r"$\lambda$"),
        ("−", "$-$"),
        ("×", r"$\times$"),
    ):
        text = text.replace(given, wanted)
    return text


LAYOUT = {"text": _as_text, "markdown": _as_markdown, "latex": _as_latex}
