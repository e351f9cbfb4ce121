"""The archive of a release, packed from a small clone."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile

import nbformat
import pytest
from fairfl_book.site import answers
from fairfl_book.teaching import release
from nbformat import v4

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
    (book.root / "gone.txt").unlink()
    (book.root / "README.md").write_text("read, and changed since", encoding="utf-8")
    (book.root / "untracked.txt").write_text("not ours", encoding="utf-8")
    return book


def git(book, *arguments):
    subprocess.run(
        ["git", "-C", str(book.root), *arguments], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    )


def unpacked(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {
            info.filename.removeprefix(f"{release.NAME}/"): (archive.read(info), info.external_attr >> 16)
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
        "student/01_ferries.ipynb",
        "site/index.html",
        "site/_static/a.png",
        release.MANIFEST,
    }
    assert files["README.md"][0] == b"read, and changed since", "the working tree counts, not the last commit"
    assert b"the tide" in files["book/teachers.md"][0]
    if sys.platform != "win32":
        assert files["tool"][1] & 0o111 and not files["README.md"][1] & 0o111


def test_without_solutions_no_file_of_the_archive_shows_one(clone):
    whole, files = unpacked(release.write(clone)), unpacked(release.write(clone, answered=False))
    assert set(whole) - set(files) == {"book/solutions/01_ferries.md", "site/index.html", "site/_static/a.png"}
    assert not any(b"n = 2" in content or b"the tide" in content for content, _ in files.values())
    page = files["book/teachers.md"][0].decode("utf-8")
    assert page.startswith("Twelve weeks.") and page.endswith("The oral.") and "left out of this copy" in page


def test_a_site_that_was_built_without_solutions_goes_with_them(clone):
    (clone.root / "book" / "_build" / "html" / answers.WITHOUT).touch()
    files = unpacked(release.write(clone, answered=False))
    assert "site/index.html" in files and f"site/{answers.WITHOUT}" not in files


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


def test_a_site_that_is_older_than_a_chapter_is_named(clone):
    assert release.older_than_the_chapters(clone) == []
    os.utime(clone.notebook("01_ferries"), (4e9, 4e9))
    assert release.older_than_the_chapters(clone) == ["01_ferries"]


def test_wheels_are_asked_for_at_the_locks_versions_and_packed(clone):
    asked = []

    def pip(command, check):
        asked.extend(command)
        (clone.root / "dist" / "wheels").mkdir(parents=True)
        (clone.root / "dist" / "wheels" / "a-1-py3-none-any.whl").write_bytes(b"PK")

    wheels = release.download_wheels(clone, run=pip)
    assert asked[:4] == [sys.executable, "-m", "pip", "download"]
    assert asked[asked.index("--constraint") + 1] == str(clone.root / "requirements.lock") and asked[-1].endswith(
        "[lab]"
    )
    assert "wheels/a-1-py3-none-any.whl" in unpacked(release.write(clone, wheels=wheels))


def test_a_failed_download_says_what_to_do(clone):
    def pip(command, check):
        raise subprocess.CalledProcessError(1, command)

    with pytest.raises(ValueError, match="Look at the network and try again"):
        release.download_wheels(clone, run=pip)


def test_outside_a_clone_the_error_says_where_to_go(book, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(book.root.parent))
    with pytest.raises(ValueError, match="A release is made from a clone"):
        release.write(book)
