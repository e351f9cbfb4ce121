"""What a reader's copy adds to its chapter: navigation links, the kernel's exact version, and a trust signature.

A copy begins and ends with a cell of links, tagged ``NAVIGATION``. Its metadata name the Python version that will run it: otherwise JupyterLab writes that into the
notebook when the kernel starts, and then asks whether to save an unedited file. The committed notebooks have neither.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairfl_book.book_paths import MORE, is_companion
from fairfl_book.translation.sentences import tr

NAVIGATION = "navigation"
LAUNCH = (
    "launch"  # tag of the cells that open a chapter on Colab and Kaggle (``cloud_launch``); readers' copies lack them
)
COVER = "COVER.ipynb"
LANGUAGE = {  # what IPython's kernel reports
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def chapter(notebook: dict, name: str, titles: Mapping[str, str], others: Mapping[str, str] | None = None) -> bytes:
    """The reader's copy of ``notebook``, the chapter or companion ``name`` (a file stem). ``titles``: every chapter's title by name.

    ``others``: titles of the English chapters whose copies are one folder up; if ``name`` is among them, the copy links to its English version.
    """
    if is_companion(name):
        above = f"../{name.removesuffix(MORE)}.ipynb"
        return _between(notebook, f"[← {tr('The chapter')}]({above}) · [{tr('The map')}](../{COVER})")
    others = others or {}
    known = {**others, **titles}
    order = sorted(known)
    at = order.index(name)
    place = {other: f"{'' if other in titles else '../'}{other}.ipynb" for other in order}
    links = [f"[{tr('The map')}]({COVER})"]
    if at > 0:
        links.insert(0, f"[← {known[order[at - 1]]}]({place[order[at - 1]]})")
    if at + 1 < len(order):
        links.append(f"[{known[order[at + 1]]} →]({place[order[at + 1]]})")
    if name in others:
        links.append(f"[English](../{name}.ipynb)")
    return _between(notebook, " · ".join(links))


def _between(notebook: dict, line: str) -> bytes:
    """The notebook's own cells between two Markdown cells with the text ``line``."""
    cells = [
        text(line, "navigation-top", NAVIGATION),
        *own(notebook["cells"]),
        text(line, "navigation-end", NAVIGATION),
    ]
    return written({**notebook, "cells": cells})


def text(source: str, identity: str, *tags: str) -> dict:
    """A Markdown cell."""
    return {"cell_type": "markdown", "id": identity, "metadata": {"tags": list(tags)}, "source": source}


def code(source: str, identity: str, *outputs: dict) -> dict:
    """A code cell that has not run, with ``outputs`` to show until it does."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": identity,
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    }


def page(*cells: dict) -> bytes:
    """A notebook that is not a chapter, such as the cover."""
    return written({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def written(notebook: dict) -> bytes:
    """A notebook's file contents, with the metadata that its kernel would write."""
    version = {"version": sys.version.split()[0]}
    metadata = {**notebook["metadata"], "kernelspec": KERNEL, "language_info": {**LANGUAGE, **version}}
    return (json.dumps({**notebook, "metadata": metadata}, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def own(cells: Sequence[Mapping]) -> list:
    """The chapter's own cells, without navigation and launch cells."""
    return [cell for cell in cells if {NAVIGATION, LAUNCH}.isdisjoint(cell.get("metadata", {}).get("tags", ()))]


def trust(*paths: Path) -> None:
    """Sign the notebooks at ``paths`` with the reader's key, so that Jupyter shows their labs. Only for files that the book has just written."""
    if not paths:
        return
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for path in paths:
        notary.sign(nbformat.read(path, as_version=4))
