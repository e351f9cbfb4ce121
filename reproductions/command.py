"""``fairfl-reproduce run``, ``tables``, ``report`` and ``claims``."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairfl_book import terminal
from fairfl_book.output_option import refuse_unwritable

from fairfl import _atomic_files
from fairfl.errors import Refused

# Modules that load PyTorch or SciPy are imported by the commands that use them, so --help answers at once.
if TYPE_CHECKING:
    from reproductions import result_folders

# A declaration's title may contain codes that clear a terminal. They are spelt out.
CONTROLS = {n: f"\\x{n:02x}" for n in (*range(32), *range(127, 160)) if chr(n) not in "\t\n"}
FORMATS = ("text", "markdown", "latex")  # of a report; claims has the first two


def parser() -> argparse.ArgumentParser:
    """The command line. Each command's ``run`` takes the parsed arguments and returns the exit status."""
    top = terminal.Parser(
        prog="fairfl-reproduce",
        description="Rerun the papers' tables, and compare the results with the published numbers.",
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    make = commands.add_parser("run", help="rerun published tables; finished jobs are not repeated")
    make.add_argument("names", nargs="*", help="tables, or TOML files of your own (default: list the tables)")
    _selection(make)
    make.add_argument("--best", action="store_true", help="run one row per method, the one marked best")
    make.add_argument("--device", help="cpu or cuda (default: cuda if available)")
    make.add_argument(
        "--precision",
        choices=("float32", "tf32"),
        help="of products on CUDA: all of float32's bits, or TF32's, which are faster (default: float32)",
    )
    make.add_argument(
        "--together",
        choices=("none", "seeds", "rows"),
        help="the jobs that train as one batch (default: as the table declares)",
    )
    make.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="train on this machine, or on a Ray cluster"
    )
    make.add_argument("--address", help="the Ray cluster's address (default: start one on this machine)")
    make.add_argument(
        "--again",
        action="store_true",
        help="rerun recorded rows from their provenance and compare (in the recorded batches, unless --together is given)",
    )
    make.set_defaults(run=_reproduce)

    table = commands.add_parser("tables", help="print how well each recorded table came out, in one line each")
    table.add_argument("names", nargs="*", help="tables, or TOML files of your own (default: all that have records)")
    table.add_argument("--out", type=Path, help="write the lines to this file instead of the screen")
    table.set_defaults(run=_tables)

    show = commands.add_parser("report", help="compile finished runs and compare them with the published tables")
    show.add_argument(
        "names", nargs="*", help="tables, or TOML files of your own (default: all that have runs or records)"
    )
    show.add_argument(
        "--runs",
        type=_runs_folder,
        help="the folder of the jobs' files (default: runs/ in the clone; without a clone, ~/fairfl-book/runs/)",
    )
    show.add_argument("--format", choices=FORMATS, default="text", help="the report's format (default: text)")
    show.add_argument("--out", type=Path, help="write the report to this file instead of the screen")
    show.set_defaults(run=_report)

    judge = commands.add_parser("claims", help="judge the papers' claims by the recorded runs, one page per paper")
    judge.add_argument("papers", nargs="*", help="papers, or TOML files of your own (default: all)")
    judge.add_argument("--format", choices=FORMATS[:2], default="text", help="the pages' format (default: text)")
    judge.add_argument("--short", action="store_true", help="print one line per claim instead of one page per paper")
    judge.add_argument("--out", type=Path, help="write the pages to this file instead of the screen")
    judge.set_defaults(run=_claims)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status (``terminal.obey``)."""
    return terminal.obey(parser(), arguments)


def _runs_folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("it is empty; allowed: a folder. Write . for the current one, or leave it out")
    return Path(text)


def _selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", nargs="+", metavar="LABEL", help="only these rows (default: all)")
    parser.add_argument(
        "--seeds", nargs="+", type=int, metavar="SEED", help="only these seeds (default: as the table declares)"
    )
    parser.add_argument(
        "--runs",
        type=_runs_folder,
        help="the folder of the jobs' files (default: runs/ in the clone; without a clone, ~/fairfl-book/runs/)",
    )


def _reproduce(given: argparse.Namespace) -> int:
    from fairfl._validation import as_device
    from reproductions import catalogue, result_folders, runner
    from reproductions.jobs import select

    records = result_folders.find()
    if not given.names:
        print(listing(records))
        return 0
    if given.again and given.precision:
        raise Refused(
            f"--precision is {given.precision} with --again; allowed: --again alone, which takes the recorded precision. "
            "Leave --precision out",
            "combination",
        )
    precision = given.precision or "float32"
    folder, device = _folder(given.runs), given.device and str(as_device(given.device, here=given.engine == "local"))
    # All declarations are read before the first job starts, so an error in the last one costs no time.
    chosen = [catalogue.load(name) for name in given.names]
    statuses = []
    for experiment in chosen:
        if given.again:
            statuses.append(_again(experiment, given, records, folder, device))
            continue
        jobs = select(experiment, given.rows, given.seeds, given.best)
        if not jobs:
            raise Refused(f"no row of {experiment.name} is marked best; leave out --best", "missing")
        to = folder or records.runs
        try:
            if given.engine == "ray":
                from reproductions import on_ray

                outcome = on_ray.run(
                    jobs, to, together=given.together, device=device, precision=precision, address=given.address
                )
            else:
                outcome = runner.run(jobs, to, together=given.together, device=device, precision=precision)
        except KeyboardInterrupt:
            print(f"stopped; the same command continues from the last checkpoint in {to}")
            return 130
        statuses.append(_print_outcome(experiment, jobs, outcome))
    return max(statuses)


def _print_outcome(experiment, jobs, outcome) -> int:
    """Print the outcome. Return 2 if a job was refused, 1 if all runs diverged, and otherwise 0."""
    other = len(jobs) - len(outcome.written) - len(outcome.refused)
    diverged = f", {len(outcome.diverged)} of them diverged" if outcome.diverged else ""
    print(
        f"{experiment.name}: {len(outcome.written)} jobs trained{diverged}, {other} were finished or are held by another runner"
    )
    reasons: dict[str, list[str]] = {}
    for title, reason in outcome.refused:
        reasons.setdefault(reason, []).append(title)
    for reason, titles in reasons.items():
        more = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        print(f"fairfl: {experiment.name}, {titles[0]}{more} cannot run: {reason}", file=sys.stderr)
    if outcome.refused:
        return 2
    if outcome.diverged and len(outcome.diverged) == len(outcome.written):
        print(f"fairfl: {experiment.name}: every run diverged; lower the declaration's step sizes", file=sys.stderr)
        return 1
    return 0


def _folder(runs: Path | None) -> Path | None:
    if runs is not None and runs.exists() and not runs.is_dir():
        raise Refused(
            f"--runs is {runs}, a file; allowed: a folder, which need not exist yet. Name another one", "file"
        )
    return runs


def _again(experiment, given, records, folder, device) -> int:
    from reproductions import reruns, results

    labels = given.rows or sorted({line["row"] for line in results.load(experiment, records.results)})
    if not labels:
        raise Refused(f"no runs of {experiment.name} are recorded; run it first, then report", "missing")
    compared = [
        reruns.again(
            experiment,
            label,
            records.results,
            seeds=given.seeds,
            runs=folder,
            device=device or "cpu",
            papers=records.papers,
            together=given.together if given.together != "rows" else None,
        )
        for label in labels
    ]
    different = [line for one in compared for line in one.differences]
    verdicts = [line for one in compared for line in one.verdicts]
    cells = sum(one.cells for one in compared)
    where = {(True,): " on a machine like the recorded one", (False,): " on another kind of machine"}
    size = f" (by at most {max(one.largest for one in compared):.4g})" if different else ""
    print(
        *different,
        *verdicts,
        f"{experiment.name}: {len(labels)} rows rerun{where.get(tuple({one.same_machine for one in compared}), '')}, "
        f"{sum(one.compared for one in compared)} numbers compared, {len(different)} differ{size}; "
        f"{cells} cells judged again, {len(verdicts)} with another verdict",
        sep="\n",
    )
    return int(any(one.refuted for one in compared))


def listing(records: "result_folders.Records") -> str:
    """One line per table: name, finished jobs, title. Then the published tables that are not declared, with the reason."""
    from reproductions import catalogue, results
    from reproductions.jobs import select
    from reproductions.published import count

    lines = []
    for name in catalogue.names():
        experiment = catalogue.load(name)
        jobs, held = select(experiment), {line["key"] for line in results.load(experiment, records.results)}
        recorded = sum(job.key in held for job in jobs)  # without the jobs of reprinted rows
        lines.append(f"{name:32} {recorded:4} of {len(jobs):4} jobs recorded   {experiment.title}")
    cells = count(records.papers)
    lines += ["", "Never declared:"]
    lines += [
        f"{paper:12} {table:20} {cells[paper, table] or 'no':>3} cells kept   {why}"
        for (paper, table), why in catalogue.undeclared().items()
    ]
    return "\n".join(lines)


def _claims(given: argparse.Namespace) -> int:
    from reproductions import claim_report, claim_verdict, paper_claim, result_folders

    records = result_folders.find()
    refuse_unwritable(given.out)
    papers = {Path(paper).stem: claim_verdict.judge(paper, records) for paper in given.papers or paper_claim.papers()}
    if given.short:
        pages, between = [claim_report.short(paper, judged) for paper, judged in papers.items()], ""
        pages.append(claim_report.LEGEND + "\n")
    else:
        pages, between = [claim_report.page(paper, judged, given.format) for paper, judged in papers.items()], "\n\n"
    if not given.papers:
        headline = claim_verdict.headline(records)
        pages.append((textwrap.fill(headline, 100) if given.short else headline) + "\n")
    _write(between.join(pages), given.out)
    return 0


def _report(given: argparse.Namespace) -> int:
    from reproductions import catalogue, contrasts, provenance, report, result_folders, results, spread, terminal_report

    records, folder, reports = result_folders.find(), _folder(given.runs), []
    refuse_unwritable(given.out)
    if records.installed and (folder or records.runs).exists():
        raise Refused(
            f"report adds the runs in {folder or records.runs} to data/results, which an installed book cannot change. "
            "Run it in a clone, with --runs for this folder; elsewhere it prints the recorded runs if there is no such folder",
            "missing",
        )
    narrow = given.format == "text" and not given.out
    width = max(40, shutil.get_terminal_size((terminal_report.WIDTH, 0)).columns)
    for experiment in [catalogue.load(name) for name in given.names or catalogue.names()]:
        results.compile(experiment, folder or records.runs, records.results)
        recorded, earlier = results.load(experiment, records.results), results.earlier(experiment, records.results)
        if not (recorded or earlier or given.names):
            continue
        origin = results.provenance(experiment, records.results)
        cards = provenance.on_cards(recorded, origin)
        if narrow:
            reports.append(terminal_report.render(experiment, recorded, records.papers, width, len(earlier), cards))
            continue
        splits = [job["federation"] for job in origin.values() if "federation" in job]
        variants = {split["variant"] for split in splits} - {""}
        reports.append(
            report.render(
                experiment,
                recorded,
                records.papers,
                given.format,
                "; ".join(sorted(variants)),
                len(earlier),
                spread.spreads(experiment, records.results),
                contrasts.contrasts(experiment, recorded, records.papers),
                cards,
            )
        )
    text = "\n\n".join(reports) or "no runs are recorded yet; fairfl-reproduce run lists the tables\n"
    _write(text, given.out)
    return 0


def _tables(given: argparse.Namespace) -> int:
    from reproductions import agreement, catalogue, ledger, result_folders, results

    records = result_folders.find()
    refuse_unwritable(given.out)
    found = [
        agreement.agreement(experiment, results.load(experiment, records.results), records.papers)
        for experiment in map(catalogue.load, given.names or catalogue.names())
    ]
    lines = [agreement.HEAD, *(one.line() for one in found if one), "", agreement.LEGEND]
    if not given.names:
        lines += ["", textwrap.fill(ledger.headline(records) + ".", 100)]
    _write("\n".join([*lines, ""]), given.out)
    return 0


def _write(text: str, out: Path | None) -> None:
    if out:
        _atomic_files.write(out, text.encode("utf-8"))
    else:
        print(text.translate(CONTROLS), end="")
