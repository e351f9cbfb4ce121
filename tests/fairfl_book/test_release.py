"""The archive of a release, packed from a small clone."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import nbformat
import pytest
from fairfl_book import command
from fairfl_book.book_paths import Book
from fairfl_book.site import solution_folds
from fairfl_book.teaching import release, wheels
from nbformat import v4
from refusals import refused

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def clone(book):
    """A book under git, with one chapter, an executable, two files that no class needs, and a built site."""
    cells = [
        v4.new_markdown_cell("# Ferries"),
        v4.new_code_cell("n = ...", metadata={"tags": ["exercise"]}),
        v4.new_code_cell("check('f.n', n)", metadata={"tags": ["check"]}),
    ]
    nbformat.write(v4.new_notebook(cells=cells), book.notebook("01_ferries"))
    site = book.root / "book" / "_build" / "html"
    for path, content in (
        ("README.md", "read"),
        ("tool", "#!/bin/sh\n"),
        (".ci/run", "exec"),
        ("book/solutions/01_ferries.md", "## f.n\n\n```python\nn = 2\ncheck('f.n', n)\n```\n"),
        ("book/teachers.md", "Twelve weeks.\n\n<!-- answers -->\n| 01.2 | the tide |\n<!-- /answers -->\n\nThe oral."),
        (
            "book/glossary.toml",
            '[[term]]\nen = "tide"\nzh = "潮"\ndefinition = "It turns."\ndefinition_zh = "潮汐。"\n',
        ),
        (".gitignore", "book/_build/\ndist/\nwork/\n"),
        ("work/01_ferries.ipynb", "mine"),
        ("gone.txt", "tracked, then removed"),
    ):
        (book.root / path).parent.mkdir(parents=True, exist_ok=True)
        (book.root / path).write_text(content, encoding="utf-8", newline="")
    (site / "_static").mkdir(parents=True)
    (site / "index.html").write_text("<p>", encoding="utf-8")
    (site / "_static" / "a.png").write_bytes(b"\x89PNG")
    (site / ".buildinfo").write_text("differs from build to build", encoding="utf-8")
    (book.root / "tool").chmod(0o755)
    git(book, "init", "--quiet")
    git(book, "add", "--all")
    git(book, "commit", "--quiet", "--message", "All")
    (book.root / "gone.txt").unlink()
    (book.root / "README.md").write_text("read, and changed since", encoding="utf-8")
    (book.root / "untracked.txt").write_text("not ours", encoding="utf-8")
    return book


WHEN = "2026-11-22T21:00:01+01:00"  # the commit's, in a zone of its own


def git(book, *arguments):
    names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    when = {"GIT_AUTHOR_DATE": WHEN, "GIT_COMMITTER_DATE": WHEN, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", str(book.root), *arguments], check=True, env={**os.environ, **names, **when})


def elsewhere(book, place, umask, monkeypatch, zone):
    """Another clone of ``book``'s last commit, made under another umask, in another time zone, with other times on its files."""
    before = os.umask(umask)
    try:
        git(book, "clone", "--quiet", str(book.root), str(place))
    finally:
        os.umask(before)
    for path in place.rglob("*"):
        os.utime(path, (1_000_000_000 + umask, 1_000_000_000))
    monkeypatch.setenv("TZ", zone)
    if hasattr(time, "tzset"):
        time.tzset()
    return Book(place)


@pytest.fixture
def zones():
    """Whatever a test does to the time zone is over after it."""
    yield
    os.environ.pop("TZ", None)
    if hasattr(time, "tzset"):
        time.tzset()


def unpacked(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {
            info.filename.partition("/")[2]: (archive.read(info), info.external_attr >> 16)
            for info in archive.infolist()
        }


def test_the_archive_holds_the_tracked_files_the_students_notebooks_and_the_site(clone):
    files = unpacked(release.write(clone))
    assert set(files) == {
        ".gitignore",
        "README.md",
        "tool",
        "book/references.bib",
        "book/solutions/01_ferries.md",
        "book/teachers.md",
        "chapters/01_ferries.ipynb",
        "book/glossary.toml",
        "student/01_ferries.ipynb",
        "questions/questions_before.ipynb",
        "questions/questions_after.ipynb",
        "cards/fairfl-cards-en.txt",
        "cards/fairfl-cards-zh.txt",
        "site/index.html",
        "site/_static/a.png",
        release.MANIFEST,
    }
    assert files["README.md"][0] == b"read, and changed since", "the working tree counts, not the last commit"
    assert b"the tide" in files["book/teachers.md"][0] and b"It turns." in files["cards/fairfl-cards-en.txt"][0]
    if sys.platform != "win32":
        assert files["tool"][1] & 0o111 and not files["README.md"][1] & 0o111


def test_without_solutions_no_file_of_the_archive_shows_one(clone):
    whole, files = unpacked(release.write(clone)), unpacked(release.write(clone, answered=False))
    assert set(whole) - set(files) == {
        "book/solutions/01_ferries.md",
        "questions/questions_after.ipynb",
        "site/index.html",
        "site/_static/a.png",
    }
    assert not any(b"n = 2" in content or b"the tide" in content for content, _ in files.values())
    assert b"has no solutions" in files["README.md"][0] and b"has no solutions" not in whole["README.md"][0]
    page = files["book/teachers.md"][0].decode("utf-8")
    assert page.startswith("Twelve weeks.") and page.endswith("The oral.") and "left out of this copy" in page


def test_the_archive_without_solutions_is_called_so_and_leaves_the_other_alone(clone):
    whole = release.write(clone)
    before = whole.read_bytes()
    bare = release.write(clone, answered=False)
    assert bare != whole and whole.read_bytes() == before
    for path in (whole, bare):
        with zipfile.ZipFile(path) as archive:
            assert {name.partition("/")[0] for name in archive.namelist()} == {path.stem}, "unpacked side by side"


def test_a_site_that_was_built_without_solutions_goes_with_them(clone):
    (clone.root / "book" / "_build" / "html" / solution_folds.WITHOUT).touch()
    files = unpacked(release.write(clone, answered=False))
    assert "site/index.html" in files and f"site/{solution_folds.WITHOUT}" not in files


def test_the_manifest_names_every_file_with_its_hash(clone):
    files = unpacked(release.write(clone))
    lines = files.pop(release.MANIFEST)[0].decode("utf-8").splitlines()
    assert lines == [f"{hashlib.sha256(content).hexdigest()}  {name}" for name, (content, _) in sorted(files.items())]


def test_equal_content_gives_equal_bytes_whatever_the_clock_says(clone, tmp_path):
    one = release.write(clone, tmp_path / "one.zip").read_bytes()
    for path in clone.root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert release.write(clone, tmp_path / "two.zip").read_bytes() == one
    (clone.root / "README.md").write_text("one word more", encoding="utf-8")
    assert release.write(clone, tmp_path / "three.zip").read_bytes() != one


def test_files_that_nobody_added_are_named(clone):
    assert release.left_out(clone.root) == ["untracked.txt"]


def test_without_a_site_the_archive_is_made_all_the_same(clone):
    shutil.rmtree(clone.root / "book" / "_build")
    assert not [name for name in unpacked(release.write(clone)) if name.startswith("site/")]


def test_the_pdf_is_packed_if_it_is_set_and_never_the_one_with_answers(clone):
    clone.pdf.write_bytes(b"%PDF plain")
    clone.pdf.with_name("fairfl-with-answers.pdf").write_bytes(b"%PDF answers")
    for answered in (True, False):
        files = unpacked(release.write(clone, answered=answered))
        assert [content for name, (content, _) in files.items() if name.endswith(".pdf")] == [b"%PDF plain"]


@pytest.mark.parametrize("made", [release.front_page, lambda book: book.pdf])
def test_a_site_or_a_pdf_that_is_older_than_a_chapter_is_named(clone, made):
    made(clone).write_bytes(b"")
    assert release.newer(clone, made(clone)) == []
    os.utime(clone.notebook("01_ferries"), (4e9, 4e9))
    assert release.newer(clone, made(clone)) == ["01_ferries"]
    made(clone).unlink()
    assert release.newer(clone, made(clone)) == []


def test_two_clones_of_one_commit_pack_the_same_bytes(clone, tmp_path, monkeypatch, zones):
    archives = {}
    for place, umask, zone in (("a", 0o077, "UTC"), ("b", 0o002, "Asia/Shanghai")):
        other = elsewhere(clone, tmp_path / place, umask, monkeypatch, zone)
        archives[place] = {
            answered: release.write(other, tmp_path / f"{place}.zip", answered=answered).read_bytes()
            for answered in (True, False)
        }
    assert archives["a"] == archives["b"]
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert {info.date_time for info in archive.infolist()} == {(2026, 11, 22, 20, 0, 0)}, (
            "the commit's moment, in UTC, to two seconds"
        )
        assert [info.filename for info in archive.infolist()][:-1] == sorted(archive.namelist()[:-1])


def test_the_moment_is_the_commits_unless_it_is_given(clone, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert release.epoch(clone.root) == 1795377601
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    assert release.epoch(clone.root) == 1_800_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert time.gmtime(release.epoch(clone.root))[:3] == (1980, 1, 1), "a zip names no earlier moment"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with refused("value", "SOURCE_DATE_EPOCH", "'yesterday'", "1970"):
        release.epoch(clone.root)


def test_files_that_are_not_as_committed_are_named(clone):
    assert release.changed(clone.root) == ["README.md", "gone.txt"]


def test_the_command_prints_the_digest_and_what_others_cannot_repeat(clone, monkeypatch, capsys):
    monkeypatch.chdir(clone.root)
    assert command.main(["release"]) == 0
    said = capsys.readouterr().out
    packed = (clone.root / "dist" / f"{release.name()}.zip").read_bytes()
    assert f"sha256 {hashlib.sha256(packed).hexdigest()}\n" in said
    assert ": README.md, gone.txt. " in said and ": untracked.txt. " in said


# ---- wheels ---------------------------------------------------------------------------------------------------------------------------------


def pretended(asked, status=0):
    """A pip that notes what it is asked for, and makes a wheel of each kind."""

    def pip(command, check, **settings):
        asked.append((command, settings))
        if status:
            raise subprocess.CalledProcessError(status, command)
        folder = Path(command[command.index("--dest" if "download" in command else "--wheel-dir") + 1])
        folder.mkdir(exist_ok=True)
        (folder / f"{command[3]}-1-py3-none-any.whl").write_bytes(b"PK")

    return pip


def test_wheels_are_asked_for_at_the_locks_versions_and_packed_with_the_books_own(clone):
    asked = []
    (clone.root / "dist" / "wheels").mkdir(parents=True)
    (clone.root / "dist" / "wheels" / "earlier-0-py3-none-any.whl").write_bytes(b"PK")
    folder = wheels.fetch(clone, run=pretended(asked))
    (download, _), (build, settings) = asked
    assert download[:4] == [sys.executable, "-m", "pip", "download"] and download[-1].endswith("[lab]")
    assert download[download.index("--constraint") + 1] == str(clone.root / "requirements.lock")
    assert build[3] == "wheel" and "--no-deps" in build and settings["env"]["SOURCE_DATE_EPOCH"] == "1795377601"
    packed = {name for name in unpacked(release.write(clone, wheels=folder)) if name.startswith("wheels/")}
    assert packed == {"wheels/download-1-py3-none-any.whl", "wheels/wheel-1-py3-none-any.whl"}, (
        "nothing of an earlier edition"
    )


def test_a_failed_download_says_what_to_do_and_leaves_the_old_wheels(clone):
    (clone.root / "dist" / "wheels").mkdir(parents=True)
    (clone.root / "dist" / "wheels" / "earlier.whl").write_bytes(b"PK")
    with refused("file", "pip"):
        wheels.fetch(clone, run=pretended([], status=1))
    assert [path.name for path in (clone.root / "dist").rglob("*") if path.is_file()] == ["earlier.whl"]


def test_the_books_own_wheel_is_the_same_from_two_clones(clone, tmp_path, monkeypatch, zones):
    pytest.importorskip(
        "setuptools", minversion="77", reason="no setuptools in this environment, and a test fetches none"
    )
    (clone.root / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools>=77"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "ferries"\nversion = "1"\n[tool.setuptools]\npackages = ["ferries"]\n'
        '[tool.setuptools.package-data]\nferries = ["*.toml"]\n',
        encoding="utf-8",
    )
    (clone.root / "ferries").mkdir()
    (clone.root / "ferries" / "tides.toml").write_text("high = 2\n", encoding="utf-8")  # data keep their modes
    (clone.root / "ferries" / "__init__.py").write_text('"""Ferries."""\n', encoding="utf-8")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "A package")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "false")  # pip's way to say: with what is installed here
    packed = []

    def pip(command, check, **settings):
        if "wheel" in command:
            subprocess.run(command, check=check, capture_output=True, **settings)

    for place, umask, zone in (("a", 0o077, "UTC"), ("b", 0o002, "Asia/Shanghai")):
        other = elsewhere(clone, tmp_path / place, umask, monkeypatch, zone)
        (other.root / "build" / "lib" / "ferries").mkdir(parents=True)
        (other.root / "build" / "lib" / "ferries" / f"left_{place}.py").write_text("stale", encoding="utf-8")
        before = os.umask(umask)
        try:
            [wheel] = wheels.fetch(other, run=pip).iterdir()
        finally:
            os.umask(before)
        packed.append((wheel.name, wheel.read_bytes()))
    assert packed[0] == packed[1] and packed[0][0] == "ferries-1-py3-none-any.whl"


def test_outside_a_clone_the_error_says_where_to_go(book, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(book.root.parent))
    with refused("file", "git clone", "make release"):
        release.write(book)
