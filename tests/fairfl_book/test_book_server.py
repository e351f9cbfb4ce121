"""What JupyterLab is started with, and what the commands say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fairfl_book.command as command
import nbformat
import pytest
from fairfl_book.reading import copies, copy_extras, running_servers, server, threads
from nbformat.sign import NotebookNotary
from refusals import refused


@pytest.fixture
def publish(book, front):
    """``publish(name, text)`` puts an executed chapter of one cell into the book."""

    def write(name, text="old", **changed):
        book.notebook(name).write_text(notebook(text, fairfl={**front, **changed}))

    return write


def notebook(text, **metadata):
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": text}
    return json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def test_the_book_is_served_so_that_links_into_the_package_work(book):
    given = server.arguments(book, book.work, "00_start_here.ipynb", port=8899, browser=False)
    assert f"--ServerApp.root_dir={book.root}" in given
    assert f"--LabApp.default_url=/lab/tree/{book.work.name}/00_start_here.ipynb" in given
    assert "--ServerApp.port=8899" in given and "--ServerApp.open_browser=False" in given


def test_copies_elsewhere_are_served_alone(book, tmp_path):
    given = server.arguments(book, tmp_path / "my copies", "00 start.ipynb")
    assert f"--ServerApp.root_dir={tmp_path / 'my copies'}" in given
    assert "--LabApp.default_url=/lab/tree/00%20start.ipynb" in given


def test_its_style_is_where_the_server_looks_for_it(book):
    given = server.arguments(book, book.work, "00_start_here.ipynb")
    [setting] = [word for word in given if "static_custom_path" in word]
    assert (Path(setting.rpartition("=")[2]) / "custom.css").is_file() and "--LabApp.custom_css=True" in given


@pytest.fixture
def launched(monkeypatch, tmp_path):
    from jupyterlab.labapp import LabApp

    calls = []
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    for kind in ("DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{kind}_DIR", str(tmp_path / kind))
    for name in threads.ONE:
        monkeypatch.setenv(name, "1")  # so that they are put back after the test
    monkeypatch.setattr(LabApp, "launch_instance", calls.append)
    return calls


def opened(call):
    return next(word for word in call if "default_url" in word).rpartition("/")[2]


def test_it_opens_the_cover_and_the_notice_once(book, publish, launched, capsys):
    publish("00_start_here")
    publish("01_ferries", teaches=[])
    server.start(book)
    copy = book.work / "01_ferries.ipynb"
    copy.write_text(notebook("my answer"))
    publish("01_ferries", "new", teaches=[])
    for chapter in (None, None, "00_start_here"):
        server.start(book, chapter=chapter)
    assert [opened(call) for call in launched] == [
        copy_extras.COVER,
        copies.NOTICE,
        copy_extras.COVER,
        "00_start_here.ipynb",
    ]
    assert "my answer" in copy.read_text()
    assert capsys.readouterr().out.count("01_ferries.newer.ipynb") == 3  # every start after the change says so


def test_what_it_opens_is_trusted(book, publish, launched):
    publish("00_start_here")
    server.start(book)
    for name in (copy_extras.COVER, "00_start_here.ipynb"):
        assert NotebookNotary().check_signature(nbformat.read(book.work / name, 4)), name


def test_the_cover_maps_the_chapters(book, publish, launched):
    publish("00_start_here", title="0. Start")
    publish("01_ferries", title="1. Ferries", promise="Boats.", needs=["ferry", "calculus"], teaches=[], minutes=7)
    server.start(book)
    cells = json.loads((book.work / copy_extras.COVER).read_text())["cells"]
    assert (
        "| [1. Ferries](01_ferries.ipynb) | 7 | [0](00_start_here.ipynb) | 0\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}5 | Boats. |"
        in cells[2]["source"]
    )
    assert "Run this first" in cells[0]["source"] and cells[1]["cell_type"] == "code"
    assert "open [0. Start](00_start_here.ipynb)" in cells[2]["source"]
    [playground] = [cell for cell in cells if "Playground().widget()" in cell["source"]]
    assert "<svg" in playground["outputs"][0]["data"]["image/svg+xml"], "its picture stands before it is run"


def test_the_contents_are_open_and_a_reader_may_close_them(book, publish, launched):
    publish("00_start_here")
    server.start(book)
    [file] = (book.work / server.DESK).glob("default*")
    left = json.loads(file.read_text())["data"]["layout-restorer:data"]["left"]
    assert not left["collapsed"] and "toc" in left["current"]
    file.write_text('{"data": {}, "metadata": {"id": "default"}}')
    server.start(book)
    assert json.loads(file.read_text())["data"] == {}


def one_runs(monkeypatch, pid, token):
    """A server of process ``pid`` has said where it is, and answers."""
    monkeypatch.setattr(running_servers, "_answers", lambda found: True)
    runtime = Path(os.environ["JUPYTER_RUNTIME_DIR"])
    runtime.mkdir()
    known = {"pid": pid, "url": "http://localhost:8888/", "token": token, "port": 8888}
    (runtime / "jpserver-1.json").write_text(json.dumps(known))


def test_a_running_server_is_opened_instead_of_a_second_one(book, publish, launched, monkeypatch, capsys):
    publish("00_start_here")
    server.start(book)
    one_runs(monkeypatch, os.getpid(), "secret")
    pages = []
    monkeypatch.setattr(server.webbrowser, "open", pages.append)
    server.start(book, chapter="00_start_here")
    address = "http://localhost:8888/lab/tree/work/00_start_here.ipynb?token=secret"
    assert pages == [address] and address in capsys.readouterr().out and len(launched) == 1
    server.start(book, browser=False)
    assert len(pages) == 1 and len(launched) == 1
    server.start(book, port=9999)  # who insists on a port gets it
    monkeypatch.setattr(running_servers, "_answers", lambda found: False)
    server.start(book)  # and one that hangs is not waited for
    assert len(launched) == 3


def test_another_desks_server_is_not_opened(book, publish, launched, monkeypatch):
    publish("00_start_here")
    server.start(book)
    one_runs(monkeypatch, os.getppid(), "")
    server.start(book)
    assert len(launched) == 2


def test_its_defaults_come_before_other_configuration(book, publish, launched):
    publish("00_start_here")
    server.start(book)
    assert os.environ["JUPYTER_CONFIG_PATH"] == os.pathsep.join([str(server.DEFAULTS), "theirs"])
    assert json.loads((server.DEFAULTS / "labconfig" / "default_setting_overrides.json").read_text())


def test_kernels_get_one_thread_unless_the_reader_wants_more(book, publish, launched, monkeypatch):
    publish("00_start_here")
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.delenv("MKL_NUM_THREADS")
    server.start(book)
    assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("4", "1")


@pytest.mark.parametrize("kernel, given, count", [(True, None, "1"), (True, "3", "3"), (False, None, None)])
def test_a_notebook_that_imports_the_book_goes_on_with_one_thread(kernel, given, count):
    """In any front end, PyTorch and NumPy imported or not; not in programs, and not where somebody asked for more."""
    lines = ["import sys, torch", "before = torch.get_num_threads()"]
    lines += ["sys.modules['ipykernel'] = sys"] if kernel else []
    lines += [
        "import fairfl_book, threadpoolctl, os",
        "blas = [p['num_threads'] for p in threadpoolctl.threadpool_info()]",
    ]
    lines += ["print(torch.get_num_threads(), max(blas), before, os.environ.get('OMP_NUM_THREADS'))"]
    kept = {name: value for name, value in os.environ.items() if name not in threads.ONE}
    kept |= {"OMP_NUM_THREADS": given} if given else {}
    told = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], env=kept, capture_output=True, text=True, check=True
    )
    now, blas, before, variable = told.stdout.split()
    assert variable == str(count)
    assert (now, blas) == ("1", "1") if count == "1" else now == before


def test_lab_and_reset_take_a_chapters_number(book, publish, launched, monkeypatch, capsys):
    publish("00_start_here")
    publish("04_ferries", teaches=[])
    monkeypatch.chdir(book.root)
    assert command.main(["lab", "4"]) == 0 and opened(launched[0]) == "04_ferries.ipynb"
    (book.work / "04_ferries.ipynb").write_text(notebook("my answer"))
    assert command.main(["reset", "04"]) == 0
    assert str(book.work / "04_ferries.yours.ipynb") in capsys.readouterr().out
    assert "my answer" in (book.work / "04_ferries.yours.ipynb").read_text()
    assert "old" in (book.work / "04_ferries.ipynb").read_text()
    assert command.main(["lab", "44"]) == 2 and "unknown chapter '44'" in capsys.readouterr().err
    assert command.main(["reset"]) == 2 and "reset 04" in capsys.readouterr().err


def test_a_book_without_notebooks_says_what_to_do(book):
    with refused("missing", "fairfl-book chapters"):
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
