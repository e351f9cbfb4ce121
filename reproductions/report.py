"""A recorded table beside the published one: a verdict for each cell, paired differences and the spread over clients for each row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from fairfl._validation import one_of
from fairfl.errors import Refused
from reproductions import catalogue, published, results, spread
from reproductions.cell_verdict import Verdict, first_word
from reproductions.equivalence import Equivalence, compare, holm, margin_between, margin_of
from reproductions.experiment import Column, Experiment, Row
from reproductions.spread import Spread

if TYPE_CHECKING:
    from reproductions.contrasts import Contrast

FORMATS = ("text", "markdown", "latex")


@dataclass(frozen=True)
class Cell:
    """One published cell and the verdict on it.

    ``value`` and ``spread``: as printed ("" where there is none). ``equivalence``: the verdict. ``keys``: the jobs it is judged by.
    ``first_word``: the first edition's word, which chapter 12 compares.
    """

    row: str
    metric: str
    value: str
    spread: str
    equivalence: Equivalence
    keys: tuple[str, ...] = ()
    first_word: str = ""

    @property
    def verdict(self) -> Verdict:
        """The first edition's verdict, as the chapters read it."""
        e = self.equivalence
        return Verdict(self.first_word, e.mean, e.spread, e.runs)


def cells(experiment: Experiment, recorded: list[dict], papers: Path) -> list[Cell]:
    """Every published cell of the experiment's rows and columns, judged by the ``recorded`` lines of ``results.load``.

    Raises ``Refused`` for a row whose algorithm and hyper-parameters the published table does not have.
    """
    table = printed(experiment, papers)
    limits = margins(experiment, table)
    out = []
    for row in experiment.rows:
        if not row.algorithm:
            continue
        found = table.get((row.algorithm, row.hyperparameters))
        if not found:
            raise Refused(
                f"row {row.label!r}: {experiment.paper} {experiment.table} has no algorithm {row.algorithm!r} with "
                f"hyperparameters {row.hyperparameters!r}; it has {'; '.join(f'{a} {h}'.strip() for a, h in table)}",
                "name",
            )
        lines = [line for line in recorded if line["row"] == row.label]
        keys = tuple(sorted(line["key"] for line in lines))
        for column in experiment.columns:
            if column.metric not in found:
                continue
            value, spread = found[column.metric]
            equivalence, word = _judged(experiment, row, column, lines, value, spread, limits[column.metric])
            out.append(Cell(row.label, column.metric, value, spread, equivalence, keys, word))
    return out


def margins(experiment: Experiment, table: dict[tuple[str, str], dict[str, tuple[str, str]]]) -> dict[str, float]:
    """The margin of each column, as ``Experiment.margins`` says; ``table`` is ``printed``.

    Where too few rows are printed for their spread to give one, the measure's fixed margin is taken.
    """
    out = {column.metric: margin_of(column.of) for column in experiment.columns}
    if experiment.margins == "rows":
        for metric in out:
            between = margin_between([row[metric][0] for row in table.values() if metric in row])
            out[metric] = out[metric] if isnan(between) else between
    return out


def _judged(
    experiment: Experiment, row: Row, column: Column, lines: list[dict], value: str, spread: str, margin: float
) -> tuple[Equivalence, str]:
    """The verdict on one cell by the recorded ``lines`` of its row, and the first edition's word on it."""
    left_out = bool(row.underspecified or experiment.underspecified)
    if failed := [line["failed"] for line in lines if line["failed"]]:
        remark = f"{len(failed)} of {len(lines)} runs diverged: {failed[0][:80]}"
        word = "undecided" if left_out or len(lines) < 2 else "different"
        lacks = "" if word == "different" else "settings" if left_out else "ours"
        verdict = Equivalence(word, margin=margin, remark=remark, lacks=lacks)
        return verdict, "underspecified" if left_out else "not reproduced"
    if not lines:
        return Equivalence("not run", remark=experiment.not_run), "not run"
    ours = measured(lines, column)
    word = first_word(ours, value, spread, experiment.published_seeds, experiment.spread, left_out)
    return beside(experiment, row, ours, value, spread, margin), word


def measured(lines: list[dict], column: Column) -> list[float]:
    """The ``column``'s number in each of a row's recorded ``lines``, without runs that diverged."""
    # A column that was declared after the run is not in its line.
    return [line[column.metric] for line in lines if not line["failed"] and isinstance(line.get(column.metric), float)]


def beside(experiment: Experiment, row: Row, ours: list[float], value: str, spread: str, margin: float) -> Equivalence:
    """``compare`` ``row``'s runs with a printed number, using all that the declaration says of both."""
    runs = catalogue.load(row.reprinted[0]) if row.reprints else experiment
    return compare(
        ours,
        value,
        spread,
        experiment.published_seeds,
        margin=margin,
        population=experiment.spread == "population",
        one_split=not (runs.split_per_seed or runs.split_given),
        published_one_split=experiment.published_split == "one",
        settings=row.underspecified or experiment.underspecified,
    )


UNPRINTED = "No paper prints a number of this table."


def unprinted(experiment: Experiment, recorded: list[dict]) -> list[list[str]]:
    """Our mean ± standard deviation over seeds, row by row and column by column, for a table of which nothing is printed."""
    out = [["row", "metric", "ours", "seeds", "diverged"]]
    for row in experiment.rows:
        lines = [line for line in recorded if line["row"] == row.label]
        for column in experiment.columns if lines else ():
            ours = measured(lines, column)
            told = f"{np.mean(ours):.2f}" + (f" ± {np.std(ours, ddof=1):.2f}" if len(ours) > 1 else "") if ours else ""
            diverged = sum(bool(line["failed"]) for line in lines)
            out.append([row.shown, column.metric, told, str(len(ours)), str(diverged)])
    return out


def printed(experiment: Experiment, papers: Path) -> dict[tuple[str, str], dict[str, tuple[str, str]]]:
    """The experiment's published table: (algorithm, hyperparameters) → metric → (value, spread)."""
    out: dict = {}
    for line in published.lines(papers):
        if (
            (line["paper"], line["table"]) == (experiment.paper, experiment.table)
            and line["setup"].startswith(experiment.setup)
            and experiment.dataset in ("", line["dataset"])
        ):
            row = out.setdefault((line["algorithm"], line["hyperparameters"]), {})
            row[line["metric"]] = (line["value"], line["spread"])
    return out


def counted(counts: Mapping[str, int], words: Iterable[str], forms: Mapping[str, str] = MappingProxyType({})) -> str:
    """``counts`` in the order of ``words``, as in "2 hold, 1 undecided"; ``forms`` replaces some words."""
    return ", ".join(f"{counts[word]} {forms.get(word, word)}" for word in words if counts[word])


def tally(judged: list[Cell]) -> Counter[str]:
    """The number of cells with each verdict."""
    return Counter(cell.equivalence.word for cell in judged)


def multiplicity(judged: list[Cell]) -> str:
    """How many *different* cells to expect by chance, and how many remain after Holm's correction; "" if none is different."""
    decided = [cell.equivalence for cell in judged if not isnan(cell.equivalence.p)]
    different = [one.word == "different" for one in decided]
    if not any(different):
        return ""
    remaining = sum(rejected and word for rejected, word in zip(holm([one.p for one in decided]), different))
    return (
        f"{len(decided)} cells were compared: were each true difference just the margin, "
        f"{sum(one.risk for one in decided):.1f} would on average still come out different. "
        f"{sum(different)} do, {remaining} of them also when all are judged together (Holm)"
    )


def paired(experiment: Experiment, recorded: list[dict]) -> list[dict]:
    """Each row minus the first recorded one, seed by seed: the mean difference and its standard error (NaN for one seed)."""
    by = {(line["row"], line["seed"]): line for line in recorded if not line["failed"]}
    rows = [row.label for row in experiment.rows if any(label == row.label for label, _ in by)]
    out = []
    for label in rows[1:]:
        seeds = [s for r, s in by if r == label and (rows[0], s) in by]
        for column in experiment.columns:
            both = [(by[label, s].get(column.metric), by[rows[0], s].get(column.metric)) for s in seeds]
            d = np.array([x - y for x, y in both if isinstance(x, float) and isinstance(y, float)])
            if len(d):
                error = float(d.std(ddof=1) / np.sqrt(len(d))) if len(d) > 1 else float("nan")
                out.append(
                    {"row": label, "minus": rows[0], "metric": column.metric}
                    | {"mean": float(d.mean()), "error": error, "seeds": len(d)}
                )
    return out


def render(
    experiment: Experiment,
    recorded: list[dict],
    papers: Path,
    format: str = "text",
    variant: str = "",
    earlier: int = 0,
    spreads: Sequence[Spread] = (),
    contrasts: Sequence["Contrast"] = (),
) -> str:
    """The whole report as ``format``: "text", "markdown" or "latex".

    ``recorded``: the lines of ``results.load``. ``variant``: how the copies of the data differ. ``earlier``: the number of runs
    recorded under an earlier declaration, which are mentioned but not judged. ``spreads``: the rows' spreads over clients
    (``spread.spreads``). ``contrasts``: the rows minus FedAvg, beside theirs (``contrasts.contrasts``). Raises ``Refused`` for an unknown
    format, and as ``cells``.
    """
    one_of("format", format, *FORMATS)
    judged, shown = cells(experiment, recorded, papers), {row.label: row.shown for row in experiment.rows}
    table = [["row", "metric", "published", "ours", "Δ", "90 % interval", "margin", "verdict", "remark"]]
    table += [[shown[cell.row], *_line(cell)] for cell in judged]
    table = table if judged or not recorded else unprinted(experiment, recorded)
    differences = [["row", "minus", "metric", "difference", "standard error", "seeds"]]
    differences += [
        [shown[d["row"]], shown[d["minus"]], d["metric"], signed(d["mean"]), _plain(d["error"]), str(d["seeds"])]
        for d in paired(experiment, recorded)
    ]
    beside = [
        [
            "row",
            "minus",
            "metric",
            "ours",
            "seeds",
            "theirs",
            "from",
            "90 % interval of the difference",
            "margin",
            "verdict",
        ]
    ]
    beside += [
        [shown[one.row], shown[one.base], one.metric, signed(one.ours), str(one.seeds), signed(one.theirs), one.source]
        + [interval(one.low, one.high), _plain(one.margin), one.word]
        for one in contrasts
    ]
    unequal = spread.table(spreads)
    notes = _notes(experiment, recorded, judged, variant, earlier, spreads)
    escape = _latex if format == "latex" else str
    between = "\n" if format == "text" else "\n\n"
    parts = [LAYOUT[format](part) for part in (table, differences, beside, unequal) if part is table or len(part) > 1]
    return "\n\n".join([between.join(map(escape, notes)), *parts]) + "\n"


def _notes(
    experiment: Experiment,
    recorded: list[dict],
    judged: list[Cell],
    variant: str,
    earlier: int,
    spreads: Sequence[Spread],
) -> list[str]:
    """The lines above a report's tables."""
    e, counts = experiment, tally(judged)
    swing = max((line["swing"] for line in recorded if not line["failed"]), default=float("nan"))
    lines = [e.title, f"Cells: {counted(counts, counts)}." if judged else UNPRINTED]
    if many := multiplicity(judged):
        lines.append(many + ".")
    if not isnan(swing):
        lines.append(
            f"Over the last {results.SWING} evaluations a client's accuracy swings by up to {swing:.1f} points."
        )
    if variant:
        lines.append(f"Data: {variant}.")
    if earlier:
        lines.append(not_judged(e, earlier))
    lines += [f"Column {c.metric}: {c.of}; {c.why}." for c in e.columns if c.why]
    lines += [f"Chosen: {what}" for what in e.chosen]
    lines += [f"{row.label}: {row.chosen}" for row in e.rows if row.chosen]
    lines += [f"Underspecified: {e.underspecified}."] if e.underspecified else []
    lines += [f"{row.label}, underspecified: {row.underspecified}." for row in e.rows if row.underspecified]
    lines += [f"Tried: {e.tried}"] if e.tried else []
    lines += [f"{row.label}, tried: {row.tried}" for row in e.rows if row.tried]
    lines += [f"No final accuracies: {run}." for row in spreads for run in row.lacking]
    return lines + [spread.READ] * any(row.runs for row in spreads)


def not_judged(experiment: Experiment, earlier: int) -> str:
    """A sentence on the number of runs recorded under an ``earlier`` declaration."""
    runs = "run" if earlier == 1 else "runs"
    return f"Recorded under an earlier declaration, kept in {experiment.name}.csv and not judged: {earlier} {runs}."


def _line(cell: Cell) -> list[str]:
    """A cell's line of the report, without the row's name."""
    e = cell.equivalence
    ours = mean_of(e)
    return [
        cell.metric,
        print_of(cell),
        ours and f"{ours} ({e.runs})",
        signed(e.difference),
        interval(e.low, e.high),
        _plain(e.margin),
        e.told,
        e.remark,
    ]


def print_of(cell: Cell) -> str:
    """The printed number, with its ±."""
    return cell.value + (f" ± {cell.spread}" if cell.spread else "")


def mean_of(e: Equivalence) -> str:
    """Our mean, with its ±; "" without runs."""
    return "" if isnan(e.mean) else f"{e.mean:.2f}" + ("" if isnan(e.spread) else f" ± {e.spread:.2f}")


def signed(value: float) -> str:
    """A difference in two decimals; "" for NaN."""
    return "" if isnan(value) else f"{value:+.2f}"


def interval(low: float, high: float) -> str:
    """An interval of differences; "" where there is none."""
    return "" if isnan(low) else f"{low:+.2f} to {high:+.2f}"


def _plain(value: float) -> str:
    return "" if isnan(value) else f"{value:.2f}"


def _as_text(table):
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip() for line in table)


def _as_markdown(table):
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in table]
    return "\n".join([lines[0], "|" + "---|" * len(table[0]), *lines[1:]])


def _as_latex(table):
    head, *body = (" & ".join(map(_latex, line)) + r" \\" for line in table)
    begin, rule, end = rf"\begin{{tabular}}{{{'l' * len(table[0])}}}", r"\hline", r"\end{tabular}"
    return "\n".join([begin, rule, head, rule, *body, rule, end])


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
