"""``python -m fairfl reproduce`` and ``report``."""

import argparse
from pathlib import Path

from fairfl.errors import Refused
from fairfl.experiments import catalogue, places, report, results, runner, verify
from fairfl.experiments.jobs import select


def add(commands) -> None:
    """Add both commands to the parser's ``commands``."""
    make = commands.add_parser("reproduce", help="rerun published tables; what is finished is not done again")
    make.add_argument("names", nargs="*", help="tables, or TOML files of your own (none: list them)")
    _selection(make)
    make.add_argument("--best", action="store_true", help="one row a method: the one marked best")
    make.add_argument("--device", help="cpu or cuda (default: cuda where there is one)")
    make.add_argument("--together", choices=("none", "seeds", "rows"), help="what trains as one batch (default: the table's)")
    make.add_argument("--engine", choices=("local", "ray"), default="local", help="here, or on a Ray cluster")
    make.add_argument("--address", help="the Ray cluster's address (default: one is started here)")
    make.add_argument("--again", action="store_true", help="rerun recorded rows from their provenance and compare")
    make.set_defaults(run=_reproduce)

    tell = commands.add_parser("report", help="compile finished runs and set them beside the published table")
    tell.add_argument("names", nargs="*", help="tables (default: all that have runs or records)")
    tell.add_argument("--runs", type=Path, help="the folder of the jobs' files (default: runs/ of the clone)")
    tell.add_argument("--format", choices=report.FORMATS, default="text")
    tell.add_argument("--out", type=Path, help="a file for the report instead of the screen")
    tell.set_defaults(run=_report)


def _selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", nargs="+", metavar="LABEL", help="these rows only")
    parser.add_argument("--seeds", nargs="+", type=int, metavar="SEED", help="these seeds only (default: the table's)")
    parser.add_argument("--runs", type=Path, help="the folder of the jobs' files (default: runs/ of the clone)")


def _reproduce(given: argparse.Namespace) -> int:
    records = places.find()
    if not given.names:
        print(listing(records))
        return 0
    # All declarations are read before the first job starts: a slip in the last one costs nothing.
    chosen = [catalogue.load(name) for name in given.names]
    status = 0
    for experiment in chosen:
        if given.again:
            status |= _again(experiment, given, records)
            continue
        jobs = select(experiment, given.rows, given.seeds, given.best)
        if not jobs:
            raise Refused(f"no row of {experiment.name} is marked best; leave out --best")
        folder = given.runs or records.runs
        try:
            if given.engine == "ray":
                from fairfl.experiments import on_ray

                written = on_ray.run(jobs, folder, together=given.together, device=given.device, address=given.address)
            else:
                written = runner.run(jobs, folder, together=given.together, device=given.device)
        except FileNotFoundError as error:
            raise Refused(f"{experiment.name} cannot run: {error}") from error
        except KeyboardInterrupt:
            print(f"stopped; the same command continues from the last checkpoint in {folder}")
            return 130
        print(f"{experiment.name}: {len(written)} jobs trained, {len(jobs) - len(written)} were finished or are another runner's")
    return status


def _again(experiment, given, records) -> int:
    labels = given.rows or sorted({line["row"] for line in results.load(experiment, records.results)})
    different = [line for label in labels for line in verify.again(experiment, label, records.results, seeds=given.seeds, runs=given.runs,
                                                                   device=given.device or "cpu")]
    print(*different, f"{experiment.name}: {len(labels)} rows rerun, {len(different)} numbers differ", sep="\n")
    return 1 if different else 0


def listing(records) -> str:
    """A line a table: name, jobs finished, title."""
    lines = []
    for name in catalogue.names():
        experiment = catalogue.load(name)
        recorded = len(results.load(experiment, records.results))
        lines.append(f"{name:32} {recorded:4} of {len(select(experiment)):4} jobs recorded   {experiment.title}")
    return "\n".join(lines)


def _report(given: argparse.Namespace) -> int:
    records, told = places.find(), []
    for name in given.names or catalogue.names():
        experiment = catalogue.load(name)
        results.compile(experiment, given.runs or records.runs, records.results)
        recorded = results.load(experiment, records.results)
        if not recorded and not given.names:
            continue
        variants = {job["federation"]["variant"] for job in results.provenance(experiment, records.results).values()} - {""}
        told.append(report.render(experiment, recorded, records.papers, given.format, "; ".join(sorted(variants))))
    text = "\n\n".join(told) or "nothing is recorded yet; python -m fairfl reproduce lists the tables\n"
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0
