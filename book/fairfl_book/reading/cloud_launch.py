"""Launch cells: links that open a chapter on Colab and Kaggle, and a cell that fetches the book there.

Both cells are made from the book's ``address`` and carry the tag ``copy_extras.LAUNCH``. A script adds them to the stored notebooks without
executing anything. They are not part of a chapter: the texts do not contain them, the checks ignore them, and readers' copies, the site and the PDF leave them out.
So the chapters need not be executed again when the address changes. A book without an address has no launch cells.
"""

from collections.abc import Mapping, Sequence

import nbformat

import fairfl
from fairfl import _atomic_files
from fairfl_book.book_paths import Book
from fairfl_book.reading import copy_extras
from fairfl_book.repository_address import Address, address

# Colab and Kaggle set COLAB_RELEASE_TAG and KAGGLE_KERNEL_RUN_TYPE in every kernel. An editable install keeps the recorded runs, which chapters
# read, beside the code. A module that the kernel has already loaded does not change when pip installs another version: hence the last check.
FETCH = """\
# On Colab and Kaggle: fetch the book, edition {version}, if it is missing. Elsewhere: do nothing
import importlib.metadata, importlib.util, os, pathlib, subprocess, sys
hosted = {{"COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE"}} & set(os.environ)
if hosted and not importlib.util.find_spec("fairfl_book"):
    book = pathlib.Path.home() / "fairfl-{version}"
    clone = ["git", "clone", "--quiet", "--depth=1", "--branch={branch}",
             "{repository}", str(book)]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--editable",
               f"{{book}}[chapters]"]
    print(f"Fetching the book into {{book}} and its requirements; this takes minutes.", flush=True)
    for command in [install] if book.exists() else [clone, install]:
        if subprocess.run(command).returncode:
            raise SystemExit("That did not work; see the error above. Is the internet on "
                             "(Kaggle: Settings, Internet)? Then run this cell again.")
    sys.path += [str(book), str(book / "book")]
    importlib.invalidate_caches()
    loaded = [name for name in ("numpy", "scipy", "pandas", "torch") if name in sys.modules]
    older = [name for name in loaded
             if sys.modules[name].__version__ != importlib.metadata.version(name)]
    if older:
        raise SystemExit(f"{{', '.join(older)}} changed: restart the session, then continue.")
    print("The book is installed.")"""


def cells(place: Address, name: str) -> list[dict]:
    """The launch cells of chapter ``name`` at ``place``: a line of links, and the cell that fetches the book."""
    line = f"Open this chapter in {_hosts(place, name)}"
    if page := place.page(name):
        line += f", or [read it]({page})"
    source = FETCH.format(version=fairfl.__version__, branch=place.branch, repository=place.repository)
    fetch = copy_extras.code(source, "launch-fetch")
    fetch["metadata"] = {"jupyter": {"source_hidden": True}, "tags": ["head", copy_extras.LAUNCH]}
    return [copy_extras.text(f"{line}.", "launch-links", "head", copy_extras.LAUNCH), fetch]


def under_the_title(cell_list: Sequence[Mapping], place: Address | None, name: str) -> list:
    """The cells of chapter ``name``'s page on the site, with launch links below the title if there is an address."""
    if place is None:
        return list(cell_list)
    line = f"Run it in {_hosts(place, name)}. [Its source]({place.source(name)})."
    return [*cell_list[:1], copy_extras.text(line, "launch-links"), *cell_list[1:]]


def _hosts(place: Address, name: str) -> str:
    """The links that open chapter ``name``."""
    links = {"Colab": place.colab(name), "Kaggle": place.kaggle(name), "a codespace": place.codespace}
    return " · ".join(f"[{words}]({link})" for words, link in links.items())


def dressed(cell_list: Sequence[Mapping], place: Address | None, name: str) -> list:
    """The cells of chapter ``name`` as stored at ``place``: its own, with the launch cells before the first code cell."""
    own = copy_extras.own(cell_list)
    if place is None:
        return own
    first = next((number for number, cell in enumerate(own) if cell["cell_type"] == "code"), len(own))
    return [*own[:first], *cells(place, name), *own[first:]]


def write(book: Book) -> list[str]:
    """Update the stored notebooks to match ``book/address.toml``; returns the names of those that changed. Nothing is executed."""
    place, changed = address(book), []
    for name in book.executed():
        notebook = nbformat.read(book.notebook(name), as_version=4)
        wanted = dressed(notebook.cells, place, name)
        if wanted != notebook.cells:
            notebook.cells = nbformat.from_dict(wanted)
            _atomic_files.write(book.notebook(name), (nbformat.writes(notebook) + "\n").encode("utf-8"))
            changed.append(name)
    return changed
