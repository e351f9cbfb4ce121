"""Notebooks of people whom the teacher does not know: what they cannot see, stop, fill or leave behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest
from fairfl_book import book_paths, command
from fairfl_book.marking import notebook_marker, sandbox, submissions
from fairfl_book.marking.notebook_marker import ERROR, LATE, Gone, Limits, Process

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these signals and limits")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A class's folder."""
    made = tmp_path_factory.mktemp("class")
    (made / "ann.ipynb").write_text('{"cells": []}')
    return made


@pytest.fixture(scope="module")
def box(folder):
    """The sandbox of this computer, if it has one."""
    found = sandbox.find(book_paths.find().root, folder)
    if not found.command:
        pytest.skip(found.words)
    return found


def process(seconds=10.0, memory=4000, box=()):
    return Process(Limits(seconds, memory, box), time.monotonic() + 100)


def ended(seen, seconds=10.0):
    """Whether no process that ``seen`` recognises is left, after a while."""
    end = time.monotonic() + seconds
    while any(map(seen, psutil.process_iter())):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def started_as(words):
    """Recognise a process by its command line."""

    def seen(one):
        try:
            return one.cmdline() == words and one.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    return seen


def test_a_sandboxed_notebook_sees_only_the_book(box, folder, monkeypatch):
    monkeypatch.setenv("TOKEN", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server, process(box=box.command) as inside:
        port = server.getsockname()[1]
        look = f"""
import os, socket, fairfl_book
def fails(what):
    try:
        what()
    except OSError:
        return True
seen = [
    os.path.exists({str(folder)!r}),
    os.environ.get("TOKEN", ""),
    len([one for one in os.listdir("/proc") if one.isdigit()]) <= 3,
    fails(lambda: socket.create_connection(("127.0.0.1", {port}), 5)),
    fails(lambda: open(os.path.join(os.path.dirname(fairfl_book.__file__), "probe"), "w")),
    fails(lambda: open("/probe", "w")),
    open("/tmp/own", "w").write("four"),
    *(fails(lambda: open("/proc/sys/" + name, "a")) for name in ("vm/overcommit_memory", "kernel/hostname")),
]
"""
        assert inside.ask(run=look) == {"ran": True}
        expected = [False, "", True, True, True, True, 4, True, True]
        assert inside.ask(look="seen")["value"] == {"list": expected}


def test_the_class_is_hidden_even_inside_the_book(box, tmp_path):
    (tmp_path / "book" / "class").mkdir(parents=True)
    (tmp_path / "book" / "class" / "ann.ipynb").write_text("{}")
    hidden = sandbox._bubblewrap(tmp_path, tmp_path / "book" / "class")
    made = subprocess.run([*hidden, "ls", "-A", tmp_path / "book" / "class"], capture_output=True, text=True)
    assert (made.returncode, made.stdout) == (0, "")


def test_whatever_a_sandboxed_notebook_starts_ends_with_it(box):
    left = ["sleep", "86421"]
    with process(box=box.command) as inside:
        inside.ask(run=f"import subprocess\nsubprocess.Popen({left}, start_new_session=True)")
        assert not ended(started_as(left), 0)
    assert ended(started_as(left))


def test_without_bubblewrap_it_is_said_that_nothing_protects(folder, monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    found = sandbox.find(book_paths.find().root, folder)
    assert found.command == () and "bubblewrap" in found.words and "teachers.md" in found.words


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no root here")
@pytest.mark.parametrize("user", [0, 1000])
def test_the_first_line_says_so_if_root_marks(user, folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(sandbox, "_bubblewrap", lambda *given: ["env"])
    within = sandbox.find(book_paths.find().root, folder)
    monkeypatch.setattr(sandbox, "_bubblewrap", lambda *given: ["false"])
    without = sandbox.find(book_paths.find().root, folder)
    assert within.command and not without.command
    assert ["You are root" in found.words for found in (within, without)] == [user == 0] * 2


def test_a_sandbox_that_does_not_work_is_not_used(folder, monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: str(fake))
    found = sandbox.find(book_paths.find().root, folder)
    assert found.command == () and "no namespaces here" in found.words


def test_a_notebook_does_not_get_the_teacher_s_secrets(monkeypatch):
    monkeypatch.setenv("TOKEN", "secret")
    given = sandbox.environment()
    assert "TOKEN" not in given and given["PATH"] == os.environ["PATH"]


@linux
def test_a_process_that_stops_reading_is_late():
    with process(seconds=2.0) as inside:
        inside.ask(
            run="import os, signal, threading\nhalt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGSTOP))"
        )
        inside.ask(run="halt.start()")
        time.sleep(0.5)
        with pytest.raises(Gone) as late:
            inside.ask(run="#" + "x" * 3_000_000)
    assert late.value.verdict == LATE


@linux
def test_what_a_notebook_s_processes_use_is_added_up(monkeypatch):
    monkeypatch.setattr(notebook_marker, "_WATCH", 0.1)
    monkeypatch.setattr(sandbox, "PROCESSES", 5)
    fork = "import os, time\nfor _ in range({}):\n    if os.fork() == 0:\n        hoard = b'x' * {}\n        time.sleep(60)\ntime.sleep(60)"
    for code, word in ((fork.format(8, 1), "5 processes"), (fork.format(2, 400_000_000), "700 MB")):
        with process(seconds=20.0, memory=700) as inside, pytest.raises(Gone) as gone:
            inside.ask(run=code)
        assert gone.value.verdict == ERROR and word in gone.value.words


@linux
def test_replies_that_nobody_asked_for_end_the_process():
    with process() as inside, pytest.raises(Gone) as gone:
        inside.ask(
            run="import os, time\nfor fd in range(3, 12):\n    try: os.write(fd, b'{}\\n' * 5000)\n    except OSError: pass\ntime.sleep(60)"
        )
        for _ in range(20):
            inside.ask(look="1")
    assert gone.value.verdict == ERROR


_MARKER = """
from fairfl_book.marking import isolation
from fairfl_book.marking.chapter_exercises import Asked
from fairfl_book.marking.comparison import Judge, Run
from fairfl_book.marking.notebook_marker import Limits
from fairfl_book.marking.submissions import Cell

if __name__ == "__main__":
    isolation.everything = dict  # no exercise is judged here
    cell = Cell("code", "import subprocess\\nsubprocess.run(['sleep', '86422'])")
    isolation.examine([Run(0), Judge(Asked("mgda.gap", 1, "work", 0, 0, "gap"))], [cell], Limits(600))
"""


@linux
def test_a_killed_marker_leaves_no_notebook_running(tmp_path):
    script = tmp_path / "marker.py"
    script.write_text(_MARKER)
    marker = subprocess.Popen([sys.executable, script])
    student = lambda one: "fairfl_book.marking.student_process" in one.cmdline()
    found = []
    while not found and marker.poll() is None:
        time.sleep(0.1)
        found = [one for one in psutil.Process(marker.pid).children(recursive=True) if student(one)]
    marker.send_signal(signal.SIGKILL)
    marker.wait()
    gone = ended(lambda one: one in found and one.is_running() and one.status() != psutil.STATUS_ZOMBIE)
    for one in psutil.process_iter():
        if one in found or started_as(["sleep", "86422"])(
            one
        ):  # without a sandbox, what the notebook itself started stays
            one.kill()
    assert found and gone


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows")
def test_links_and_floods_of_cells_are_not_read(tmp_path):
    cells = [{"cell_type": "code", "source": "1"}]
    for student in ("ann", "bob", "cid", "dee"):
        (tmp_path / student).mkdir()
    (tmp_path / "ann" / "a.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "bob" / "a.ipynb").symlink_to(tmp_path / "ann" / "a.ipynb")
    (tmp_path / "cid" / "of_ann").symlink_to(tmp_path / "ann")
    (tmp_path / "dee" / "a.ipynb").write_text(json.dumps({"cells": cells * (submissions.MOST + 1)}))
    papers = {paper.student: paper for paper in submissions.read(tmp_path, [])}
    assert len(papers["ann"].cells) == 1 and not papers["ann"].problem
    assert all(not papers[student].cells and papers[student].problem for student in ("bob", "cid", "dee"))
    assert "link" in papers["bob"].problem and str(submissions.MOST) in papers["dee"].problem


def test_a_memory_limit_that_no_system_can_set_is_refused(tmp_path, capsys):
    assert command.main(["mark", str(tmp_path), "--memory", str(10**30)]) == 2
    assert "--memory" in capsys.readouterr().err
