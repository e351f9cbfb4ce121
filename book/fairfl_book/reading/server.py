"""Starting JupyterLab on the reader's copies."""

import os
from pathlib import Path
from urllib.parse import quote

from fairfl.errors import Refused
from fairfl_book.places import Book
from fairfl_book.reading import copies, threads

# Defaults of JupyterLab's settings for readers: it asks nobody for news and looks for no newer version of itself, so
# that nothing needs the network or stands in front of the first page. A reader's own settings go before these.
DEFAULTS = Path(__file__).parent / "jupyter"


def arguments(book: Book, work: Path, page: str, port: int | None = None, browser: bool = True) -> list[str]:
    """JupyterLab's command line for opening ``work/page``.

    It serves the whole book, so that a chapter's links into the package work, unless ``work`` lies elsewhere.
    """
    inside = work.is_relative_to(book.root)
    root = book.root if inside else work
    address = quote((work / page).relative_to(root).as_posix())
    given = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{address}",
        f"--ServerApp.open_browser={browser}",
        "--log-level=WARN",  # leaves the address on the terminal, and what this module said above it
    ]
    if port is not None:
        given.append(f"--ServerApp.port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        given.append("--ServerApp.allow_root=True")  # containers run as root; the server is local and asks for a token
    return given


def start(book: Book, work: Path | None = None, port: int | None = None, browser: bool = True) -> None:
    """Bring the copies up to date, say what changed, and run JupyterLab until it is stopped.

    It opens the first chapter, or the page on newer versions when some have just arrived. Raises ``ValueError``
    where the book has no executed chapters.
    """
    work = (work or book.work).resolve()
    chapters = sorted(path.name for path in book.chapters.glob("*.ipynb"))
    if not chapters:
        raise Refused(f"{book.chapters} holds no notebooks; execute the texts first: fairfl-book chapters")
    for name, count in threads.ONE.items():
        os.environ.setdefault(name, count)  # kernels inherit it; whoever sets another number gets it
    paths = [str(DEFAULTS), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))

    from jupyterlab.labapp import LabApp  # takes more than a second, so no other command waits for it

    report = copies.prepare(book.chapters, work)
    for line in report.lines():
        print(line, flush=True)
    page = copies.NOTICE if report.arrived else chapters[0]
    LabApp.launch_instance(arguments(book, work, page, port, browser))
