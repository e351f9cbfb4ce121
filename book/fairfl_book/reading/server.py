"""Starting JupyterLab on the reader's copies, or opening the one that runs already."""

import json
import os
import webbrowser
from pathlib import Path
from urllib.parse import quote

from fairfl.errors import Refused
from fairfl_book.book_paths import Book
from fairfl_book.build import frontmatter
from fairfl_book.exercises import progress
from fairfl_book.reading import copies, copy_extras, cover, running_servers, threads
from fairfl_book.translation import sentences, translated_copies

# Defaults of JupyterLab's settings for readers: it asks nobody for news and looks for no newer version of itself, so
# that nothing needs the network or stands in front of the first page. A reader's own settings go before these.
DEFAULTS = Path(__file__).parent / "jupyter"
DESK = ".jupyterlab"  # in the folder of copies: which tabs were open, and which server runs
SIDE = 0.16  # of the window's width, for a chapter's contents
STYLE = DEFAULTS / "custom"  # of JupyterLab's pages, where its own cuts off or misleads


def arguments(book: Book, work: Path, page: str, port: int | None = None, browser: bool = True) -> list[str]:
    """JupyterLab's command line for opening ``work/page``.

    It serves the whole book, so that a chapter's links into the package work, unless ``work`` lies elsewhere.
    """
    given = [
        f"--ServerApp.root_dir={_served(book, work)}",
        f"--LabApp.default_url=/lab/tree/{_address(book, work, page)}",
        f"--LabApp.workspaces_dir={work / DESK}",
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings=static_custom_path={STYLE}",  # a setting of the server that has no option of its own
        f"--ServerApp.open_browser={browser}",
        "--log-level=WARN",  # leaves the address on the terminal, and what this module said above it
    ]
    if port is not None:
        given.append(f"--ServerApp.port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        given.append("--ServerApp.allow_root=True")  # containers run as root; the server is local and asks for a token
    return given


def _served(book: Book, work: Path) -> Path:
    return book.root if work.is_relative_to(book.root) else work


def _address(book: Book, work: Path, page: str) -> str:
    return quote((work / page).relative_to(_served(book, work)).as_posix())


def start(
    book: Book,
    work: Path | None = None,
    port: int | None = None,
    browser: bool = True,
    chapter: str | None = None,
    language: str = sentences.ENGLISH,
    more: bool = False,
) -> None:
    """Bring the copies up to date, say what changed, and run JupyterLab until it is stopped; or open the one that runs on these copies.

    It opens ``chapter`` (a name) if one is given, or its companion if ``more`` is true, the page on newer versions when some have just arrived, or else the cover, in ``language``
    as far as that is translated. Raises ``ValueError`` where the book has no executed chapters, ``chapter`` is not translated, or it has no companion.
    """
    work = (work or book.work).resolve()
    fronts = promises(book)
    if chapter and language != sentences.ENGLISH:
        translated_copies.refuse_untranslated(book, language, [chapter])
    companion = _companion(book, chapter, language) if more else None
    for name, count in threads.ONE.items():
        os.environ.setdefault(name, count)  # kernels inherit it; whoever sets another number gets it
    os.environ.setdefault("PYTHONSTARTUP", str(DEFAULTS / "startup.py"))  # kernels run it; a reader's own goes before
    paths = [str(DEFAULTS), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))

    report = copies.prepare(book.chapters, work, {copy_extras.COVER: cover.content(fronts, progress.solved(work))})
    copy_extras.trust(*(work / name for name in report.written))
    for line in [*report.lines(), *_companions(book, work)]:
        print(line, flush=True)
    page = (
        f"more/{companion}.ipynb"
        if companion
        else f"{chapter}.ipynb"
        if chapter
        else copies.NOTICE
        if report.arrived
        else copy_extras.COVER
    )
    if language != sentences.ENGLISH:
        page = f"{language}/{translated_copies.prepare(book, work, language, fronts, chapter)}"
    (work / DESK).mkdir(exist_ok=True)
    there = running_servers.find(work / DESK)
    if there and port in (None, there["port"]):
        address = running_servers.address(there, _address(book, work, page))
        print(f"JupyterLab runs already; this is your page in it: {address}", flush=True)
        if browser:
            webbrowser.open(address)
        return
    from jupyterlab.labapp import LabApp  # takes more than a second, so no other command waits for it

    arrange(work / DESK)
    running_servers.remember(work / DESK)
    print("JupyterLab is starting; Ctrl + C here stops it.", flush=True)
    LabApp.launch_instance(arguments(book, work, page, port, browser))


def _companion(book: Book, chapter: str | None, language: str) -> str:
    """The name of the companion to open. Raises ``ValueError`` where there is none."""
    having = ", ".join(name[:2] for name in book.companions()) or "none"
    if chapter is None:
        raise Refused(
            f"--more opens the companion of a chapter, and no chapter was given. Chapters with a companion: {having}. Say which: lab 04 --more"
        )
    if language != sentences.ENGLISH:
        raise Refused("Companions are in English only. Leave out --language or --more.")
    if (name := book.companion(chapter)) is None:
        raise Refused(f"{chapter} has no companion. Chapters with one: {having}. Leave out --more.")
    return name


def _companions(book: Book, work: Path) -> list[str]:
    """Bring the copies of the companions up to date, in a folder of their own; returns what there is to say."""
    if not (book.chapters / "more").is_dir():
        return []
    report = copies.prepare(book.chapters / "more", work / "more")
    copy_extras.trust(*(work / "more" / name for name in report.written))
    return [line for line in report.lines() if not report.created]


def promises(book: Book) -> dict[str, frontmatter.FrontMatter]:
    """The front matter of every executed chapter. Raises ``ValueError`` where there is none, or no chapter."""
    fronts = {}
    for path in sorted(book.chapters.glob("*.ipynb")):
        try:
            metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
        except (ValueError, KeyError, TypeError) as error:
            raise copies.unreadable(path) from error
        fronts[path.stem] = frontmatter.read(metadata.get("fairfl"))
    if not fronts:
        raise Refused(f"{book.chapters} holds no notebooks; execute the texts first: fairfl-book chapters")
    return fronts


def arrange(desk: Path) -> None:
    """Lay out JupyterLab for the first start: a chapter's contents at its side, narrow. Later starts find it as the reader left it."""
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    manager = WorkspacesManager(str(desk))
    if not manager.list_workspaces():
        left = {"collapsed": False, "visible": True, "current": "@jupyterlab/toc:plugin"}
        layout = {"main": {}, "left": left, "relativeSizes": [SIDE, 1 - SIDE, 0]}
        manager.save("default", json.dumps({"data": {"layout-restorer:data": layout}, "metadata": {"id": "default"}}))
