"""What JupyterLab is started with, and what the commands say."""

import json
import os

import fairfl_book.command as command
import pytest
from fairfl_book.reading import copies, server, threads

EMPTY = json.dumps({"cells": [{"cell_type": "markdown", "source": "old"}], "metadata": {}, "nbformat": 4})


def test_the_book_is_served_so_that_links_into_the_package_work(book):
    given = server.arguments(book, book.work, "00_start_here.ipynb", port=8899, browser=False)
    assert f"--ServerApp.root_dir={book.root}" in given
    assert f"--LabApp.default_url=/lab/tree/{book.work.name}/00_start_here.ipynb" in given
    assert "--ServerApp.port=8899" in given and "--ServerApp.open_browser=False" in given


def test_copies_elsewhere_are_served_alone(book, tmp_path):
    given = server.arguments(book, tmp_path / "my copies", "00 start.ipynb")
    assert f"--ServerApp.root_dir={tmp_path / 'my copies'}" in given
    assert "--LabApp.default_url=/lab/tree/00%20start.ipynb" in given


@pytest.fixture
def launched(monkeypatch):
    from jupyterlab.labapp import LabApp

    calls = []
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    for name in threads.ONE:
        monkeypatch.setenv(name, "1")  # so that they are put back after the test
    monkeypatch.setattr(LabApp, "launch_instance", calls.append)
    return calls


def test_it_opens_the_first_chapter_and_the_notice_once(book, launched, capsys):
    for name in ("00_start_here", "01_ferries"):
        book.notebook(name).write_text(EMPTY)
    server.start(book)
    copy = book.work / "01_ferries.ipynb"
    copy.write_text(EMPTY.replace("old", "my answer"))
    book.notebook("01_ferries").write_text(EMPTY.replace("old", "new"))
    server.start(book)
    server.start(book)
    pages = [next(word for word in call if "default_url" in word).rpartition("/")[2] for call in launched]
    assert pages == ["00_start_here.ipynb", copies.NOTICE, "00_start_here.ipynb"]
    assert "my answer" in copy.read_text()
    assert capsys.readouterr().out.count("01_ferries.newer.ipynb") == 2  # both starts after the change say so


def test_its_defaults_come_before_other_configuration(book, launched):
    book.notebook("00_start_here").write_text(EMPTY)
    server.start(book)
    assert os.environ["JUPYTER_CONFIG_PATH"] == os.pathsep.join([str(server.DEFAULTS), "theirs"])
    assert json.loads((server.DEFAULTS / "labconfig" / "default_setting_overrides.json").read_text())


def test_kernels_get_one_thread_unless_the_reader_wants_more(book, launched, monkeypatch):
    book.notebook("00_start_here").write_text(EMPTY)
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.delenv("MKL_NUM_THREADS")
    server.start(book)
    assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("4", "1")


def test_a_book_without_notebooks_says_what_to_do(book):
    with pytest.raises(ValueError, match="fairfl-book chapters"):
        server.start(book)


def test_an_unknown_command_offers_the_nearest(capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(["chaptrs"])
    assert stop.value.code == 2
    assert "unknown command 'chaptrs'" in (said := capsys.readouterr().err) and "Did you mean 'chapters'?" in said


def test_an_unknown_chapter_is_refused_without_a_traceback(book, monkeypatch, capsys):
    book.twin("01_ferries").write_text("")
    monkeypatch.chdir(book.root)
    assert command.main(["chapters", "01_fery"]) == 2
    assert "Did you mean '01_ferries'?" in capsys.readouterr().err


def test_chapters_executes_and_checks(book, write_twin, monkeypatch, capsys):
    write_twin("01_ferries", "# Ferries\n\n```{code-cell}\n1 + 1\n```", cites=[])
    monkeypatch.chdir(book.root)
    assert command.main(["chapters", "01"]) == 0
    assert "chapters checked: 1, problems: 0" in capsys.readouterr().out
    write_twin("01_ferries", "# Boats", cites=[])
    assert command.main(["check-chapters"]) == 1
    assert "01_ferries: cell 1: text and notebook differ; run make chapters" in capsys.readouterr().out
