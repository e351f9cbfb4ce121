"""The two wheels: what they hold, and that the book opens from them where there is no clone."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from fairfl_book import book_paths, command, version_report
from fairfl_book.exercises import solutions
from fairfl_book.reading import cover
from fairfl_book.teaching import wheels
from refusals import refused

import fairfl
from fairfl import _repository

BOOK = book_paths.find()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheels of this working tree, built with the setuptools that is here."""
    pytest.importorskip("setuptools", minversion="77", reason="no setuptools here, and a test fetches none")
    if not (BOOK.root / ".git").exists():
        pytest.skip("wheels are built from the tracked files of a clone")

    def quietly(given, check, **settings):
        subprocess.run([*given[:4], "--no-build-isolation", *given[4:]], check=check, capture_output=True, **settings)

    return wheels.build(BOOK, tmp_path_factory.mktemp("wheels"), run=quietly)


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_the_wheel_has_the_whole_book_and_nothing_that_answers_it(built):
    found = names(built[0])
    edition = {name.removeprefix(f"{_repository.EDITION}/") for name in found if name.startswith(_repository.EDITION)}
    wanted = {
        path.relative_to(BOOK.root).as_posix()
        for path in (
            *map(BOOK.notebook, [*BOOK.executed(), *BOOK.companions()]),
            *(BOOK.chapters / "zh").glob("*.md"),
            *(BOOK.root / "data" / "papers").glob("*.csv"),
            *(BOOK.root / "data" / "results").glob("*.csv"),
            *(BOOK.root / "data" / "results").glob("*.json"),
            BOOK.root / "book" / "glossary.toml",
        )
    }
    assert edition == wanted
    packages = [BOOK.root / "fairfl", BOOK.root / "reproductions", BOOK.root / "book" / "fairfl_book"]
    for package in packages:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                name = f"{package.name}/{path.relative_to(package).as_posix()}"
                assert name in found or path.suffix == ".md", (
                    f"{name} is not packed; see package-data in pyproject.toml"
                )
    assert not [name for name in found if "solutions/" in name]
    assert built[0].stat().st_size < 10e6, "a wheel stays lean"


def test_the_other_wheel_has_the_solutions_and_wants_the_book_of_its_edition(built):
    if not solutions.there(BOOK):
        pytest.skip("this copy of the book has no solutions")
    place = f"{_repository.EDITION}/book/{solutions.FOLDER}/"
    found = {name for name in names(built[1]) if ".dist-info/" not in name}
    assert found == {place + path.name for path in solutions.folder(BOOK).glob("*.md")}
    project = tomllib.loads((solutions.folder(BOOK) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == fairfl.__version__ and project["dependencies"] == [f"fairfl=={fairfl.__version__}"]


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """``installed(command, …)`` runs the book's command line on the unpacked wheels, far from the clone, in an empty home. ``.home`` is that folder."""
    place, home = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("home")
    for wheel in built:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place)
    settings = {**os.environ, "PYTHONPATH": str(place), "HOME": str(home), "USERPROFILE": str(home)}

    def run(*words, module="fairfl_book"):
        given = [sys.executable, *(("-m", module) if module else ()), *words]
        done = subprocess.run(given, cwd=home, env=settings, capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr

    run.home, run.place = home, place
    return run


OPENED = """
import nbformat
from fairfl_book import book_paths, command
from fairfl_book.reading import server
from jupyterlab.labapp import LabApp

LabApp.launch_instance = lambda given: print(*given, sep="\\n")
book = book_paths.find()
server.start(book, browser=False)
copy = book.work / "00_start_here.ipynb"
notebook = nbformat.read(copy, as_version=4)
notebook.cells.append(nbformat.v4.new_code_cell("mine = 42"))
nbformat.write(notebook, copy)
mine = copy.read_bytes()
server.start(book, browser=False, language="zh")
assert copy.read_bytes() == mine, "the second start wrote over the reader's work"
assert command.main(["reset", "00"]) == 0
assert copy.read_bytes() != mine and copy.with_suffix(".yours.ipynb").read_bytes() == mine
"""
ASKED = """
from fairfl_book import companion, exercises
from reproductions import result_folders
assert (result_folders.find().results / "robust_offices.csv").exists()
companion.begin(4, {})
exercises.solution("start.rates")
"""


def test_the_book_opens_without_a_clone_and_keeps_what_the_reader_wrote(installed):
    before = {path: path.stat().st_mtime_ns for path in (installed.place / _repository.EDITION).rglob("*")}
    status, said = installed("-c", OPENED, module=None)
    work = installed.home / _repository.HOME / "work"
    assert status == 0 and f"--ServerApp.root_dir={work}" in said, said
    assert {path.stem for path in work.glob("[0-9]*.ipynb")} == {*BOOK.executed(), "00_start_here.yours"}
    assert (work / "zh" / "00_start_here.ipynb").exists()
    assert f"copies are in {work}" in said
    assert before == {path: path.stat().st_mtime_ns for path in (installed.place / _repository.EDITION).rglob("*")}


def test_what_chapters_ask_for_is_in_the_wheels(installed):
    status, said = installed("-c", ASKED, module=None)
    assert status == 0, said
    if solutions.there(BOOK):
        assert "from_others" in said


def test_a_teacher_makes_notebooks_and_cards_from_the_wheels(installed):
    for words in (("student", "00"), ("cards",), ("questions",)):
        status, said = installed(*words)
        assert status == 0, said
    made = {path.name for path in (installed.home / _repository.HOME / "dist").rglob("*") if path.is_file()}
    assert {"00_start_here.ipynb", "fairfl-cards-en.txt", "questions_before.ipynb"} <= made


def test_recorded_runs_are_reported_and_new_ones_need_a_clone(installed):
    status, said = installed("report", "fedfv_table_3_logged", module="reproductions")
    assert status == 0 and "FedAvg" in said, said
    (installed.home / _repository.HOME / "runs").mkdir(parents=True)
    status, said = installed("report", "fedfv_table_3_logged", module="reproductions")
    assert status == 2 and "clone" in said and "Traceback" not in said, said


@pytest.mark.parametrize("words", [("chapters", "00"), ("release",), ("check-chapters",), ("wheels",)])
def test_a_command_that_needs_the_clone_says_so(installed, words):
    status, said = installed(*words)
    assert status == 2 and "clone" in said and "Traceback" not in said, said


def test_the_version_says_where_the_book_is_from_and_what_it_runs_on(installed):
    status, said = installed("--version")
    assert status == 0 and f"fairfl {fairfl.__version__}, from a wheel" in said and str(installed.home) not in said
    assert "clone at" in version_report.text() or not (BOOK.root / ".git").exists()
    for package in version_report.PACKAGES:
        assert re.search(rf"{package} (\d|,|$)", version_report.text()) or f"no {package}" in said


def test_the_cover_of_an_installed_book_names_no_make(front):
    from fairfl_book.build import frontmatter

    fronts = {"00_start": frontmatter.read({**front, "teaches": []})}
    plain, told = (cover.content(fronts, installed=installed).decode("utf-8") for installed in (False, True))
    assert "make lab ARGS=05" in plain and "`make " not in told
    assert "fairfl-book lab 05" in told and "fairfl-book lab --language zh" in told


def test_an_editable_installation_is_no_edition():
    assert not BOOK.installed and BOOK.work.parent == BOOK.root
    assert book_paths.clone("release") == BOOK


def test_a_clone_is_asked_for_where_only_the_edition_is(tmp_path, monkeypatch):
    edition = tmp_path / _repository.EDITION
    monkeypatch.setattr(book_paths, "find", lambda start=None: book_paths.Book(edition))
    with refused("missing", "release", "clone"):
        book_paths.clone("release")
    assert command.main(["release"]) == 2


def test_what_is_written_without_a_clone_is_in_the_readers_home(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    book = book_paths.Book(tmp_path / "site" / _repository.EDITION)
    assert book.work == tmp_path / _repository.HOME / "work" and book.dist == tmp_path / _repository.HOME / "dist"
