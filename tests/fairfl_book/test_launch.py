"""What opens a chapter on Colab and Kaggle: made from the address alone, no part of the chapter, and without surprises when it runs."""

import subprocess
import sys

import nbformat
import pytest
from fairfl_book import book_paths, command
from fairfl_book.build import chapter_notebooks, notebook_checks
from fairfl_book.reading import cloud_launch, copies, copy_extras
from fairfl_book.repository_address import FILE, Address
from fairfl_book.site import sources
from fairfl_book.teaching import class_notebooks

import fairfl

PLACE = Address("https://github.com/nobody/fairfl", site="https://nobody.github.io/fairfl")
FETCH = cloud_launch.cells(PLACE, "05_ferries")[1]["source"]


@pytest.fixture
def ferries(book, write_twin):
    """A book of one executed chapter, with a head, an exercise and its check."""
    twin = write_twin(
        "01_ferries",
        "# Ferries\n\n```{code-cell} ipython3\n:tags: [head]\n'head'\n```\n\n```{code-cell} ipython3\n:tags: [exercise]\nn = ...\n```\n",
    )
    notebook = chapter_notebooks.read(twin)
    for count, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell.execution_count = count
    notebook.metadata[chapter_notebooks.RUN] = {"seconds": 1.0}
    book.notebook("01_ferries").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    return book


def give(book, place):
    (book.root / FILE).write_text(f'repository = "{place.repository}"\nsite = "{place.site}"\n', encoding="utf-8")


def sought(book):
    """What the guards say of the first cell."""
    return [problem for problem in notebook_checks.check_one(book, "01_ferries") if "first cell for Colab" in problem]


def test_without_an_address_nothing_changes(ferries):
    before = ferries.notebook("01_ferries").read_bytes()
    assert (
        cloud_launch.write(ferries) == []
        and ferries.notebook("01_ferries").read_bytes() == before
        and not sought(ferries)
    )


def test_with_an_address_two_cells_stand_before_the_first_that_runs_and_go_with_it(ferries):
    before = ferries.notebook("01_ferries").read_bytes()
    give(ferries, PLACE)
    assert sought(ferries), "a guard says what is missing"
    assert cloud_launch.write(ferries) == ["01_ferries"] and cloud_launch.write(ferries) == [] and not sought(ferries)
    notebook = nbformat.read(ferries.notebook("01_ferries"), as_version=4)
    nbformat.validate(notebook)
    links, fetch = notebook.cells[1:3]
    assert PLACE.colab("01_ferries") in links.source and PLACE.kaggle("01_ferries") in links.source
    assert PLACE.page("01_ferries") in links.source and fetch.execution_count is None and not fetch.outputs
    assert chapter_notebooks.differences(chapter_notebooks.read(ferries.twin("01_ferries")), notebook) == []
    fetch.source = fetch.source.replace("nobody", "somebody")
    ferries.notebook("01_ferries").write_text(nbformat.writes(notebook), encoding="utf-8")
    assert sought(ferries), "a guard says what is not as the address"
    (ferries.root / FILE).unlink()
    assert sought(ferries), "a guard says what is left over"
    assert cloud_launch.write(ferries) == ["01_ferries"] and ferries.notebook("01_ferries").read_bytes() == before


def test_every_chapter_of_the_book_keeps_its_cells_and_the_guards_their_words():
    book = book_paths.find()
    for name in class_notebooks.chosen(book, []):
        whole = nbformat.read(book.notebook(name), as_version=4)
        own, dressed = copy_extras.own(whole.cells), cloud_launch.dressed(whole.cells, PLACE, name)
        assert copy_extras.own(dressed) == own and len(dressed) == len(own) + 2
        at = next(k for k, cell in enumerate(dressed) if cell["cell_type"] == "code")
        assert dressed[at]["id"] == "launch-fetch" and "head" in dressed[at + 1]["metadata"]["tags"], name


def test_a_readers_copy_has_neither_and_does_not_change_with_the_address(ferries, tmp_path):
    copies.prepare(ferries.chapters, tmp_path / "work")
    copy = tmp_path / "work" / "01_ferries.ipynb"
    before = copy.read_bytes()
    give(ferries, PLACE)
    cloud_launch.write(ferries)
    assert copies.prepare(ferries.chapters, tmp_path / "work").lines() == [] and copy.read_bytes() == before


def test_students_get_them(ferries):
    give(ferries, PLACE)
    cloud_launch.write(ferries)
    notebook = nbformat.reads(class_notebooks.made(ferries, "student", "01_ferries").decode(), as_version=4)
    assert sum(copy_extras.LAUNCH in cell.metadata.get("tags", ()) for cell in notebook.cells) == 2


@pytest.mark.parametrize("place", [None, PLACE])
def test_the_sites_pages_have_links_if_there_is_an_address(place, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "address", lambda book: place)
    names = sources.lay_out(book_paths.find(), tmp_path, tmp_path / "nowhere")
    for name in names:
        page = nbformat.read(tmp_path / f"{name}.ipynb", as_version=4)
        found = [cell.source for cell in page.cells if "colab" in cell.source]
        assert "launch-fetch" not in [cell.id for cell in page.cells]
        if place is None:
            assert found == []
        else:
            assert page.cells[1].source == found[0] and len(found) == 1
            links = (place.colab(name), place.kaggle(name), place.codespace, place.source(name))
            assert all(f"({link})" in found[0] for link in links)


def test_the_command_says_what_it_did(ferries, monkeypatch, capsys):
    monkeypatch.chdir(ferries.root)
    assert (
        command.main(["launch"]) == 0
        and "notebooks changed: 0, none executed (there is no book/address.toml" in capsys.readouterr().out
    )
    give(ferries, PLACE)
    assert (
        command.main(["launch"]) == 0
        and "notebooks changed: 1, none executed (https://github.com/nobody" in capsys.readouterr().out
    )


# ---- the cell itself --------------------------------------------------------------------------------------------------------------------


def run(monkeypatch, capsys, home, host=True, there=False, statuses=(0, 0), loaded=None):
    """Run the cell as a kernel would; returns what it asked the system for, what it printed, and how it ended."""
    for name in ("COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE"):
        monkeypatch.delenv(name, raising=False)
    if host:
        monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(sys, "path", list(sys.path))
    asked, left = [], list(statuses)

    def system(command):
        asked.append(command)
        return subprocess.CompletedProcess(command, left.pop(0))

    monkeypatch.setattr(subprocess, "run", system)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: "there" if there else None)
    monkeypatch.setattr(
        "importlib.metadata.version", lambda name: (loaded or {}).get(name, sys.modules[name].__version__)
    )
    ended = ""
    try:
        exec(FETCH, {})
    except SystemExit as error:
        ended = str(error)
    return asked, capsys.readouterr().out, ended


@pytest.mark.parametrize("given", [{"host": False}, {"there": True}, {"host": False, "there": True}])
def test_where_the_book_is_there_or_nobody_hosts_it_nothing_happens(given, monkeypatch, capsys, tmp_path):
    before = list(sys.path)
    assert run(monkeypatch, capsys, tmp_path, **given) == ([], "", "") and sys.path == before


def test_on_a_host_it_fetches_this_edition_says_so_and_the_chapter_goes_on(monkeypatch, capsys, tmp_path):
    (clone, install), said, ended = run(monkeypatch, capsys, tmp_path)
    folder = tmp_path / f"fairfl-{fairfl.__version__}"
    assert clone[:2] == ["git", "clone"] and f"--branch=v{fairfl.__version__}" in clone
    assert clone[-2:] == [PLACE.repository, str(folder)]
    assert install[:4] == [sys.executable, "-m", "pip", "install"] and install[-2:] == [
        "--editable",
        f"{folder}[chapters]",
    ]
    assert (
        said.startswith(f"Fetching the book into {folder}") and said.endswith("The book is installed.\n") and not ended
    )
    assert sys.path[-2:] == [str(folder), str(folder / "book")]


def test_without_a_network_it_stops_and_says_what_to_switch_on(monkeypatch, capsys, tmp_path):
    asked, said, ended = run(monkeypatch, capsys, tmp_path, statuses=(128,))
    assert len(asked) == 1 and "installed" not in said and "Is the internet on" in ended


def test_a_second_try_fetches_nothing_twice(monkeypatch, capsys, tmp_path):
    (tmp_path / f"fairfl-{fairfl.__version__}").mkdir()
    (install,), _, _ = run(monkeypatch, capsys, tmp_path)
    assert "pip" in install


def test_what_the_kernel_had_loaded_already_asks_for_a_restart(monkeypatch, capsys, tmp_path):
    import numpy  # noqa: F401  (loaded, so that it can be too old)

    _, _, ended = run(monkeypatch, capsys, tmp_path, loaded={"numpy": "99.0"})
    assert "numpy" in ended and "estart the session" in ended


def test_the_cell_can_be_read_in_one_glance():
    lines = FETCH.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= notebook_checks.CHARACTERS
