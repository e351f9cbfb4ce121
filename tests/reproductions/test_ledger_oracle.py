"""Every verdict, line and headline of the ledger, beside what code that imports neither package computes from the raw files."""

import ast
from pathlib import Path

import ledger_oracle as oracle
import pytest

from reproductions import agreement, catalogue, claim_verdict, ledger, paper_claim, report, result_folders, results

RECORDS = result_folders.find()


def test_the_oracle_imports_neither_package():
    tree = ast.parse(Path(oracle.__file__).read_text(encoding="utf-8"))
    named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    named |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in named} <= {
        "csv", "tomllib", "collections", "fractions", "functools", "itertools", "math", "pathlib", "numpy", "scipy"
    }  # fmt: skip


@pytest.mark.parametrize("name", [name for name in catalogue.names() if oracle.lines(name)])
def test_every_cell_and_the_tables_line(name):
    experiment = catalogue.load(name)
    recorded = results.load(experiment, RECORDS.results)
    cells = report.cells(experiment, recorded, RECORDS.papers)
    assert len(cells) == len(oracle.cells(name))
    for cell, (row, metric, value, spread, word, lacks, gap, keys) in zip(cells, oracle.cells(name)):
        e = cell.equivalence
        assert (cell.row, cell.metric, cell.value, cell.spread, cell.keys) == (row, metric, value, spread, keys)
        assert (e.word, e.lacks) == (word, lacks), (row, metric)
        assert e.difference == pytest.approx(gap, abs=1e-9, nan_ok=True)
    told = agreement.agreement(experiment, recorded, RECORDS.papers)
    assert (told.line() if told else "") == oracle.line(name)


LOSSES = [name for name in catalogue.names() if catalogue.load(name).training_losses]


@pytest.mark.parametrize("name", [name for name in LOSSES if oracle.lines(name)])
def test_the_share_of_losses_that_rose_is_that_of_its_curve(name):
    """Every client is in every round here, so a run's share is the mean over its rounds."""
    assert catalogue.load(name).participation == 1
    curves = {}
    for line in oracle.rows_of(RECORDS.results / f"{name}.curves.csv"):
        curves.setdefault((line["row"], int(line["seed"])), []).append((int(line["round"]), line["rose"]))
    for key, run in oracle.lines(name).items():
        (first, nothing), *later = curves[key]
        at = [first, *(round for round, _ in later)]
        shares = [float(rose) * (b - a) for (_, rose), a, b in zip(later, at, at[1:])]
        assert (first, nothing) == (0, "") and sum(shares) / at[-1] == pytest.approx(
            run["numbers"]["losses_that_rose"], abs=0.006
        )


def test_both_headlines_of_the_ledger():
    assert ledger.headline(RECORDS) == oracle.headline()
    assert ledger.cells_headline(RECORDS) == oracle.cells_headline()


@pytest.mark.parametrize("paper", paper_claim.papers())
def test_every_claim(paper):
    judged = claim_verdict.judge(paper, RECORDS)
    assert [one.claim.id for one in judged] == list(oracle.claims(paper))
    for one in judged:
        assert (one.word, one.lacks, one.printed == "otherwise") == oracle.claims(paper)[one.claim.id], one.claim.id


def test_the_headline_of_the_claims():
    words = [word for paper in paper_claim.papers() for word, _, _ in oracle.claims(paper).values()]
    against = sum(no for paper in paper_claim.papers() for _, _, no in oracle.claims(paper).values())
    text = claim_verdict.headline(RECORDS)
    assert text.startswith(f"{len(words)} claims of 4 papers: {words.count('holds')} hold, ")
    for word in ("undecided", "not run"):
        assert f"{words.count(word)} {word}" in text
    assert text.endswith(f"{against} that the paper's own numbers contradict")
