"""What a reader's copy has beyond its chapter: ways onward, a kernel's exact name, and the reader's own seal of trust.

A copy begins and ends with a cell of links, tagged ``NAVIGATION``. It names the version of Python that will run it: JupyterLab writes that into a
notebook when its kernel starts, and asks whether to save what nobody has touched. The committed notebooks have neither.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairfl_book.book_paths import MORE, is_companion
from fairfl_book.translation.sentences import tr

NAVIGATION = "navigation"
LAUNCH = "launch"  # what opens a chapter on other people's computers (``launch``); a reader's copy has it not
COVER = "COVER.ipynb"
LANGUAGE = {  # as IPython's kernel describes itself
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def chapter(notebook: dict, name: str, titles: Mapping[str, str], others: Mapping[str, str] | None = None) -> bytes:
    """The copy of ``notebook``, chapter or companion ``name`` (a file's stem). ``titles``: every chapter's title by name; the names' order is the book's.

    ``others``: titles of chapters whose copies stand one folder up, in English; if ``name`` is among them, too, it is linked as well.
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
    """The notebook's own cells between two cells that hold ``line``."""
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
    """A code cell that has not run; ``outputs`` stand below it until it does."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": identity,
        "metadata": {},
        "outputs": list(outputs),
        "source": source,
    }


def page(*cells: dict) -> bytes:
    """A notebook of the book's own, outside its chapters."""
    return written({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def written(notebook: dict) -> bytes:
    """A notebook's file, with the metadata that its kernel will find right."""
    version = {"version": sys.version.split()[0]}
    metadata = {**notebook["metadata"], "kernelspec": KERNEL, "language_info": {**LANGUAGE, **version}}
    return (json.dumps({**notebook, "metadata": metadata}, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def own(cells: Sequence[Mapping]) -> list:
    """The chapter's own among ``cells``: neither its links nor what opens it elsewhere."""
    return [cell for cell in cells if {NAVIGATION, LAUNCH}.isdisjoint(cell.get("metadata", {}).get("tags", ()))]


def trust(*paths: Path) -> None:
    """Sign the notebooks at ``paths`` with the reader's own key, so that Jupyter shows their labs. Only for files that the book has just written."""
    if not paths:
        return
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for path in paths:
        notary.sign(nbformat.read(path, as_version=4))
