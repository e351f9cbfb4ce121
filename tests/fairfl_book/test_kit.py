"""The class's notebooks: nothing to copy from in the student's, and every check answered."""

import io
import json
import zipfile
from contextlib import redirect_stdout

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.exercises import solutions
from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.reading import copies
from fairfl_book.teaching import class_notebooks, release
from nbclient import NotebookClient
from refusals import refused

BOOK = book_paths.find()
NAMES = class_notebooks.chosen(BOOK, [])
solved = pytest.mark.skipif(not solutions.there(BOOK), reason="this copy of the book has no solutions")


def tags(cell):
    return cell.metadata.get("tags", [])


def made(kind, name):
    return nbformat.reads(class_notebooks.made(BOOK, kind, name).decode("utf-8"), as_version=4)


def outputs(cell):
    return "".join(o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in cell.outputs)


@pytest.mark.parametrize("name", NAMES)
def test_a_student_gets_every_cell_and_no_output(name):
    whole, notebook = nbformat.read(BOOK.notebook(name), as_version=4), made("student", name)
    nbformat.validate(notebook)
    assert [cell.source for cell in notebook.cells[1:]] == [cell.source for cell in whole.cells]
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("name", NAMES)
def test_each_check_of_a_student_says_not_attempted(name):
    names, said = {}, []
    exec("from fairfl_book.exercises import check\nimport numpy as np\nimport torch", names)
    for cell in made("student", name).cells:
        if "exercise" in tags(cell) or "check" in tags(cell):
            with redirect_stdout(io.StringIO()) as out:
                exec(cell.source, names)
            if "check" in tags(cell):
                said.append(out.getvalue())
    assert all("not attempted" in line for line in said), said


@solved
@pytest.mark.parametrize("name", NAMES)
def test_a_solved_notebook_shows_every_check_passed(name):
    notebook = made("solutions", name)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if "check" in tags(cell):
            assert f"✓ {answered_after(cell)}: right" in outputs(cell), cell.source
        if "exercise" in tags(cell):
            assert "..." not in cell.source.split("\n")[-1], cell.source


@solved
@pytest.mark.parametrize("name", ["00_start_here", "13_reading_results"])
def test_a_solved_notebook_runs_as_it_shows(name):
    notebook = made("solutions", name)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(BOOK.chapters)}}
    ).execute()
    assert all(": right" in outputs(cell) for cell in notebook.cells if "check" in tags(cell))


def test_a_students_notebook_runs_with_nothing_solved():
    notebook = made("student", "00_start_here")
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(BOOK.chapters)}}
    ).execute()
    said = [outputs(cell) for cell in notebook.cells if "check" in tags(cell)]
    assert said and all("not attempted yet" in line for line in said), said


def test_the_books_own_notebooks_are_not_written_over(tmp_path):
    for folder in (BOOK.chapters, BOOK.work, BOOK.work / "mine"):
        with refused("file", folder, "chapters/", "work/"):
            class_notebooks.write(BOOK, "student", ["00_start_here"], folder)
    (path,) = class_notebooks.write(BOOK, "student", ["00_start_here"], tmp_path / "new" / "folder")
    assert json.loads(path.read_text())["cells"]


def test_answers_of_a_reader_are_never_written_over(tmp_path):
    theirs = tmp_path / "somewhere"
    theirs.mkdir()
    (theirs / copies.RECORD).write_text("{}")
    with refused("file", theirs, copies.RECORD):
        class_notebooks.write(BOOK, "student", ["00"], theirs)

    (path,) = class_notebooks.write(BOOK, "student", ["00"], tmp_path)
    class_notebooks.write(BOOK, "student", ["00"], tmp_path)  # nobody has written in it: it is made anew
    notebook = json.loads(path.read_text())
    notebook["cells"].append({"cell_type": "markdown", "id": "mine", "metadata": {}, "source": "my answer"})
    path.write_text(json.dumps(notebook))
    before = path.read_bytes()
    with refused("file", path, "--out"):
        class_notebooks.write(BOOK, "student", ["00", "01"], tmp_path)
    assert path.read_bytes() == before and not (tmp_path / "01_federated_learning.ipynb").exists()


def test_without_the_solutions_students_copies_are_made_and_solved_ones_refused(book, tmp_path):
    nbformat.write(nbformat.v4.new_notebook(), book.notebook("01_ferries"))
    assert class_notebooks.write(book, "student", [], tmp_path)
    with refused("missing", solutions.folder(book), "CONTRIBUTING.md"):
        class_notebooks.write(book, "solutions", [], tmp_path / "solved")
    assert not (tmp_path / "solved").exists()


def test_an_unknown_kind_and_a_chapter_without_a_notebook_are_refused(tmp_path, write_twin, book):
    with refused("name", "'students'", "'student'"):
        class_notebooks.write(BOOK, "students", [], tmp_path)
    write_twin("07_ferries", "# Ferries")
    with refused("missing", "07_ferries", "make chapters ARGS=07"):
        class_notebooks.write(book, "student", ["07"], tmp_path)
    assert class_notebooks.write(book, "student", [], tmp_path) == []


def test_the_archive_holds_what_a_class_needs_and_is_the_same_twice(tmp_path):
    if not (BOOK.root / ".git").exists():
        pytest.skip("a release is made from a clone")
    one, two = (release.write(BOOK, tmp_path / f"{k}.zip") for k in "ab")
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as archive:
        names = {name.split("/", 1)[1] for name in archive.namelist()}
        manifest = archive.read(next(n for n in archive.namelist() if n.endswith("MANIFEST.txt"))).decode().splitlines()
    assert {"README.md", "Makefile", "requirements.lock", "fairfl/__init__.py"} <= names
    known = release.tracked(BOOK.root)
    assert {f"student/{name}.ipynb" for name in NAMES} | {f"chapters/{name}.ipynb" for name in NAMES} & set(
        known
    ) <= names
    assert not any(name.startswith((".ci/", ".git/", "work/", "runs/", "dist/")) for name in names)
    assert {line.split("  ")[1] for line in manifest} == names - {"MANIFEST.txt"}
