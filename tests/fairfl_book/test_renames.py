"""A reader's copies of an earlier edition import what stands elsewhere today."""

import json
from pathlib import Path

import pytest
from fairfl_book.reading import copies, renames


@pytest.mark.parametrize(
    "old, new",
    [
        ("from fairfl.exercises import check, claim", "from fairfl_book.exercises import check, claim"),
        (
            "from fairfl import LocalSGD, data, figures, labs, train",
            "from fairfl import LocalSGD, data, train\nfrom fairfl_book import figures, labs",
        ),
        ("    from fairfl import toy as problems", "    from fairfl_book import toy as problems"),
        ("from fairfl.gram import gram_matrix", "from fairfl.rules.gram import gram_matrix"),
        (
            "from fairfl.flower import Coordinator, FairStrategy",
            "from fairfl.deployment import Coordinator\nfrom fairfl.deployment.flower import FairStrategy",
        ),
        ("from fairfl.experiments import ledger, places", "from reproductions import ledger, result_folders as places"),
        ("from fairfl import experiments", "import reproductions as experiments"),
        (
            "from fairfl.labs.scalarisation import backdrop, level",
            "from fairfl_book.objective_plots import backdrop, level",
        ),
        ("from fairfl.labs.scalarisation import METHODS", "from fairfl_book.labs.scalarisation import METHODS"),
        (
            "from fairfl.server import Member, Server",
            "from fairfl.deployment import Member\nfrom fairfl.training import Server",
        ),
        ("from fairfl.rules.geometry.mgda import FedMGDA", "from fairfl.rules.mgda import FedMGDA"),
        ("from fairfl.secure import by_sums", "from fairfl.deployment.secure_sums import by_sums"),
        ("from reproductions import places", "from reproductions import result_folders as places"),
        ("import fairfl.figures as f", "import fairfl_book.figures as f"),
        ("from fairfl import train\nx = 'from fairfl.labs I learned'", None),
        ("from fairfl.rules import min_norm", None),
        ("answer = 3  # fairfl is nice", None),
    ],
)
def test_only_what_moved_changes(old, new):
    expected = old.replace("fairfl.labs I", "fairfl_book.labs I") if new is None else new
    assert renames.renew(old) == expected and renames.renew(expected) == expected


def test_an_answered_copy_of_an_earlier_edition_runs_again_and_keeps_its_answers(tmp_path):
    chapters, work = tmp_path / "chapters", tmp_path / "work"
    chapters.mkdir()

    def notebook(*sources):
        cells = [
            {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
            for n, s in enumerate(sources)
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    (chapters / "01_a.ipynb").write_text(notebook("from fairfl.exercises import check", "answer = ..."))
    copies.prepare(chapters, work)
    (work / "01_a.ipynb").write_text(notebook("from fairfl.exercises import check", "answer = 42  # é"))
    (chapters / "01_a.ipynb").write_text(notebook("from fairfl_book.exercises import check", "answer = ..."))
    report = copies.prepare(chapters, work)
    held = ["".join(cell["source"]) for cell in json.loads((work / "01_a.ipynb").read_text(encoding="utf-8"))["cells"]]
    assert held == ["from fairfl_book.exercises import check", "answer = 42  # é"]
    assert report.renewed == ["01_a.ipynb"] and any(
        "01_a.ipynb" in line and "imports" in line for line in report.lines()
    )
    assert copies.prepare(chapters, work).renewed == []


IMPORTS = Path(__file__).with_name("second_edition_imports.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", IMPORTS)
def test_every_import_of_the_second_editions_chapters_works_once_it_is_renewed(line):
    exec(renames.renew(line), {})
