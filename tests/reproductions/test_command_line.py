"""Unusable input gives one line that says what to do, and exit status 2; a bug keeps its traceback."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import own
import pytest
from fairfl_book.command import main as book

from reproductions import locks, result_folders, results, runner
from reproductions.command import main as reproduce
from reproductions.jobs import select


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a declaration ``small.toml``, a file ``file``, and its own records."""
    own.declared(tmp_path)
    (tmp_path / "file").write_text("a file")
    monkeypatch.chdir(tmp_path)
    papers = result_folders.find(Path(__file__).parent).papers
    monkeypatch.setattr(result_folders, "find", lambda start=None: result_folders.Records(tmp_path))
    monkeypatch.setattr(result_folders.Records, "papers", property(lambda self: papers))
    return tmp_path


def declared(old, new):
    """Writes ``small.toml`` with a change."""

    def prepare(place, monkeypatch):
        assert old in own.TOML
        own.declared(place, own.TOML.replace(old, new))

    return prepare


def undecodable(place, monkeypatch):
    (place / "small.toml").write_bytes(own.TOML.replace("a split", "\udcff split").encode(errors="surrogateescape"))


def one_run(place, monkeypatch):
    runner.run(select(own.small(place), ["FedAvg"], [0]), place / "runs", report=lambda line: None)


def truncated(place, monkeypatch):
    one_run(place, monkeypatch)
    [path] = (place / "runs").glob("*.npz")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def failing(number, function="mkdir"):
    """Making a folder, or writing a file to disk, fails with this system error."""

    def prepare(place, monkeypatch):
        def fail(path, *given, **more):
            raise OSError(number, os.strerror(number), None if isinstance(path, int) else str(path))

        monkeypatch.setattr(os, function, fail)

    return prepare


def nothing(place, monkeypatch):
    pass


BOOK = ("lab", "student", "release")


def main(words):
    """Run the command line to which the first of these words belongs."""
    return (book if words[0] in BOOK else reproduce)(words)


RUN = "run small.toml --rows FedAvg --seeds 0"
CASES = {
    "a device by another name": (f"{RUN} --device gpu", nothing, ("'gpu'", "cpu", "cuda")),
    "a device without numbers": (f"{RUN} --device meta", nothing, ("device is 'meta'", "cpu")),
    "no CUDA here": (
        f"{RUN} --device cuda",
        lambda place, monkeypatch: monkeypatch.setattr("torch.cuda.is_available", lambda: False),
        ("device is 'cuda'", "cpu"),
    ),
    "no such CUDA device": (f"{RUN} --device cuda:99", nothing, ("device is 'cuda:99'", "cpu")),
    "runs in a file": (f"{RUN} --runs file", nothing, ("--runs is file",)),
    "runs below a file": (f"{RUN} --runs file/runs", nothing, ("Not a directory", "file")),
    "again in a file": (f"{RUN} --again --runs file", nothing, ("--runs is file",)),
    "report from a file": ("report small.toml --runs file", nothing, ("--runs is file",)),
    "runs by a long name": (f"{RUN} --runs {300 * 'r'}", nothing, ("File name too long", "rrr")),
    "a report by a long name": (f"report small.toml --out {300 * 'r'}", nothing, ("File name too long", "rrr")),
    "runs that cannot be made": (f"{RUN} --runs /proc/runs", nothing, ("/proc",)),
    "a report that cannot be made": ("report small.toml --out /proc/report.txt", nothing, ("/proc",)),
    "a seed below all": ("run small.toml --seeds 0 -1", nothing, ("a seed is -1", "0")),
    "a seed twice": ("run small.toml --seeds 0 1 0", nothing, ("seeds is [0, 1, 0]",)),
    "a row twice": ("run small.toml --rows First First", nothing, ("rows is ['First', 'First']",)),
    "claims that are no text": ("claims small.toml", undecodable, ("small.toml", "line 12", "UTF-8")),
    "a read-only disk": (f"{RUN} --runs new", failing(errno.EROFS), ("new", "Read-only file system")),
    "no leave": (f"{RUN} --runs new", failing(errno.EACCES), ("new", "Permission denied")),
    "a full disk": (f"{RUN} --runs new", failing(errno.ENOSPC, "fsync"), ("No space left on device",)),
    "a report in no folder": ("report small.toml --out none/report.txt", nothing, ("--out is none/report.txt",)),
    "a report on a folder": ("report small.toml --out .", nothing, ("--out is .",)),
    "a truncated run": ("report small.toml", truncated, (".npz", "History")),
    "a client who is not there": (
        "report small.toml",
        lambda place, monkeypatch: (
            one_run(place, monkeypatch),
            own.declared(place, own.TOML.replace('"client 4"', '"client 5"')),
        ),
        ("measure is 'client 5'", "client 0 to client 4"),
    ),
    "a rerun with a precision": (
        "run small.toml --again --precision tf32",
        nothing,
        ("--precision is tf32", "--again"),
    ),
    "a precision without a card": (f"{RUN} --device cpu --precision tf32", nothing, ("precision is 'tf32'", "CUDA")),
    "nothing to compare": ("run small.toml --again", nothing, ("small", "report")),
    "rows of a half": (
        RUN,
        declared("batch_size = 20", "batch_size = 2.5"),
        ("row 'FedAvg'", "local's batch_size is 2.5", "int | None", "float"),
    ),
    "half an epoch": (RUN, declared("lr = 0.1", "lr = 0.1, epochs = 1.5"), ("local's epochs is 1.5", "int", "float")),
    "a word for a number": (RUN, declared("lr = 0.1", 'lr = "small"'), ("lr is 'small'", "'FedAvg'", "1e+38")),
    "a process for a split": (
        RUN,
        declared("own:offices", "os:getpid"),
        ("federation 'os:getpid'", "()", "(the split's seed)"),
    ),
    "a number for a split": (RUN, declared("own:offices", "builtins:abs"), ("'builtins:abs'", "fairfl.Federation")),
    "no module for a split": (RUN, declared("own:offices", ":offices"), ("':offices'", "module:name")),
    "a constant for a model": (RUN, declared('"logistic"', '"math:pi"'), ("model 'math:pi' is 3.14",)),
    "a process for a model": (RUN, declared('"logistic"', '"os:getpid"'), ("model 'os:getpid'", "()")),
    "a process for a measure": (RUN, declared("own:gap", "os:getpid"), ("measure 'os:getpid'", "()")),
    "a process for a rule": (
        RUN,
        declared('"own:First"\nsettings = { factor = 0.5 }', '"os:getpid"'),
        ("rule 'os:getpid'", "fairfl.rules.Rule"),
    ),
    "a process for an attack": (
        RUN,
        declared('"Bias", client = 0, constant = 10.0', '"os:getpid"'),
        ("attack 'os:getpid'", "fairfl.Updates"),
    ),
    "half a seed": (RUN, declared("seeds = 2", "seeds = [0.5]"), ("seeds is [0.5]", "tuple[int", "list")),
    "rows that are words": (RUN, declared("[[rows]]", "[[more]]"), ("experiment", "'more'")),
    "a list of settings": (
        RUN,
        declared("settings = { factor = 0.5 }", "settings = [1]"),
        ("settings is [1]", "dict", "list"),
    ),
    "a model's unknown setting": (
        RUN,
        declared('"logistic"', '"logistic"\nmodel_settings = { depth = 3 }'),
        ("'logistic'", "'depth'"),
    ),
    "bytes that are no text": (RUN, undecodable, ("small.toml", "line 12", "UTF-8")),
    "a table that is a folder": ("run x.toml", lambda place, monkeypatch: (place / "x.toml").mkdir(), ("x.toml",)),
    "copies in a file": ("lab --work file", nothing, ("--work is file",)),
    "a negative port": ("lab --port -5", nothing, ("--port is -5", "65535")),
    "a port beyond all": ("lab --port 99999999", nothing, ("--port is 99999999", "65535")),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line_says_what_to_do(case, place, monkeypatch, capsys):
    command, prepare, mentions = CASES[case]
    prepare(place, monkeypatch)
    monkeypatch.setattr(
        "fairfl_book.reading.copies.prepare", lambda *given: pytest.fail("JupyterLab would have been started")
    )
    assert main(command.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("fairfl: "), lines
    for one in mentions:
        assert one in lines[0], lines[0]


@pytest.mark.parametrize(
    "command, mentions",
    [
        ("report --format txt", ("--format", "'txt'", "markdown", "'text'")),
        ("run small.toml --together seed", ("together", "'seed'", "none, rows, seeds", "'seeds'")),
        ("rnu", ("command", "'rnu'", "claims, report, run", "'run'")),
    ],
)
def test_the_nearest_choice_is_suggested(command, mentions, capsys):
    with pytest.raises(SystemExit):
        main(command.split())
    error = capsys.readouterr().err
    for one in mentions:
        assert one in error, error


@pytest.mark.parametrize("folder", ["student", "release"])
def test_a_class_kit_that_has_no_room_says_so(folder, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("a file")
    monkeypatch.setattr("fairfl_book.teaching.release.left_out", lambda root: [])
    assert main([folder, "--out", str(tmp_path / "file" / "x"), *(["00"] if folder == "student" else [])]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and str(tmp_path / "file") in lines[0] and "another" in lines[0]


@pytest.mark.parametrize(
    "error", [ValueError("a slip"), OSError(errno.ENOENT, "gone"), TypeError("a slip"), KeyError("a slip")]
)
def test_a_bug_keeps_its_traceback(error, place, monkeypatch):
    def slip(*given, **more):
        raise error

    monkeypatch.setattr(runner, "groups", slip)
    with pytest.raises(type(error)):
        main(RUN.split())


def test_a_bug_in_a_readers_rule_keeps_its_traceback(place, monkeypatch):
    monkeypatch.setattr(own.First, "__init__", lambda self, factor=1.0: [][0])
    with pytest.raises(IndexError):
        main(RUN.split())


def test_files_that_are_finished_outlive_a_full_disk(place, monkeypatch, capsys):
    command, real, done = ["run", "small.toml", "--runs", "runs"], os.replace, []

    def replace(old, new):
        if len(done) == 2 and str(new).endswith(".npz"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(old, new)
        done.append(new) if str(new).endswith(".npz") else None

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        assert main(command) == 2
    assert len(done) == 2 and os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert main(command) == 0
    assert "4 jobs trained, 2 were finished" in capsys.readouterr().out
    assert not list((place / "runs").rglob("*.part"))


def test_an_interrupt_is_a_word(place, monkeypatch, capsys):
    def stop(*given, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(results, "load", stop)
    assert main(["report", "small.toml"]) == 130
    assert capsys.readouterr().err == "fairfl: stopped\n"
    monkeypatch.setattr(locks, "take", stop)
    assert main(RUN.split()) == 130
    assert "the same command continues" in capsys.readouterr().out


def test_an_interrupt_while_slow_packages_load_is_a_word(tmp_path):
    for package in ("torch", "nbformat"):
        (tmp_path / f"{package}.py").write_text("raise KeyboardInterrupt\n")  # found before the real ones
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(map(str, [tmp_path, root, root / "book"]))
    for words in (["reproductions", "run", "fedfv_table_3"], ["fairfl_book", "student"]):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": paths},
            timeout=100,
        )
        assert done.returncode and done.stderr == "fairfl: stopped\n" and not done.stdout
    asked = subprocess.run(
        [sys.executable, "-c", "from fairfl import train"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
        timeout=100,
    )
    assert "Traceback" in asked.stderr  # an interpreter that imports the package keeps its own behaviour


def test_the_formats_offered_are_those_of_the_two_reports():
    from reproductions import claim_report, command, report

    assert command.FORMATS == report.FORMATS and command.FORMATS[:2] == claim_report.FORMATS


def test_the_precision_reaches_both_engines(place, monkeypatch):
    from reproductions import on_ray

    given = []
    take = lambda jobs, folder, **settings: given.append(settings["precision"]) or runner.Outcome()
    monkeypatch.setattr(on_ray, "run", take)
    monkeypatch.setattr(runner, "run", take)
    for engine in ("local", "ray"):
        reproduce(f"run small.toml --engine {engine}".split())
        reproduce(f"run small.toml --engine {engine} --precision tf32".split())
    assert given == ["float32", "tf32"] * 2
