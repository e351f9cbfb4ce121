"""Start JupyterLab on the reader's copies, or open the one that is running."""

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

# Default JupyterLab settings for readers: no news and no check for newer versions, so nothing needs the network or
# covers the first page. A reader's own settings take precedence.
DEFAULTS = Path(__file__).parent / "jupyter"
DESK = ".jupyterlab"  # in the folder of copies: the open tabs and the running server
SIDE = 0.16  # share of the window's width for the table of contents
STYLE = DEFAULTS / "custom"  # CSS for JupyterLab where its own cuts text off or misleads


def arguments(book: Book, work: Path, page: str, port: int | None = None, browser: bool = True) -> list[str]:
    """JupyterLab's command line for opening ``work/page``.

    It serves the whole repository, so that a chapter's links into the package work, unless ``work`` is outside it.
    """
    given = [
        f"--ServerApp.root_dir={_served(book, work)}",
        f"--LabApp.default_url=/lab/tree/{_address(book, work, page)}",
        f"--LabApp.workspaces_dir={work / DESK}",
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings=static_custom_path={STYLE}",  # the server has no option for this setting
        f"--ServerApp.open_browser={browser}",
        "--log-level=WARN",  # keeps the address and the lines printed above it visible in the terminal
    ]
    if port is not None:
        given.append(f"--ServerApp.port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        given.append("--ServerApp.allow_root=True")  # containers run as root; the server is local and requires a token
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
    """Update the copies, print what changed, and run JupyterLab until it is stopped; or open the one that already serves these copies.

    Opens ``chapter`` (a name) or, if ``more`` is true, its companion; without a chapter, the page ``NOTICE`` if newer versions have just arrived, else the cover. Pages are in
    ``language`` as far as they are translated. Raises ``Refused`` if the book has no executed chapters, or if ``chapter`` is not translated or has no companion.
    """
    work = (work or book.work).resolve()
    fronts = promises(book)
    if chapter and language != sentences.ENGLISH:
        translated_copies.refuse_untranslated(book, language, [chapter])
    companion = _companion(book, chapter, language) if more else None
    for name, count in threads.ONE.items():
        os.environ.setdefault(name, count)  # kernels inherit it; a value set by the reader is kept
    os.environ.setdefault(
        "PYTHONSTARTUP", str(DEFAULTS / "startup.py")
    )  # kernels run it; a reader's own takes precedence
    paths = [str(DEFAULTS), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))

    report = copies.prepare(
        book.chapters, work, {copy_extras.COVER: cover.content(fronts, progress.solved(work), installed=book.installed)}
    )
    copy_extras.trust(*(work / name for name in report.written))
    place = [f"Your copies are in {work}."] if book.installed else []  # in a clone, they are beside the chapters
    for line in [*report.lines(), *_companions(book, work), *place]:
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
        print(f"JupyterLab is already running; your page: {address}", flush=True)
        if browser:
            webbrowser.open(address)
        return
    from jupyterlab.labapp import LabApp  # takes more than a second to import

    arrange(work / DESK)
    running_servers.remember(work / DESK)
    print("Starting JupyterLab; Ctrl + C here stops it.", flush=True)
    LabApp.launch_instance(arguments(book, work, page, port, browser))


def _companion(book: Book, chapter: str | None, language: str) -> str:
    """The name of the companion to open. Raises ``Refused`` if there is none."""
    available = ", ".join(name[:2] for name in book.companions()) or "none"
    if chapter is None:
        raise Refused(
            f"--more was given without a chapter; chapters with a companion: {available}. Name one: lab 04 --more",
            "missing",
        )
    if language != sentences.ENGLISH:
        raise Refused(
            f"--more was given with --language {language}; companions are in English only. Leave out one of the two.",
            "combination",
        )
    if (name := book.companion(chapter)) is None:
        raise Refused(
            f"{chapter} has no companion; chapters with a companion: {available}. Leave out --more.", "missing"
        )
    return name


def _companions(book: Book, work: Path) -> list[str]:
    """Update the copies of the companions in their own folder; returns the lines to print."""
    if not (book.chapters / "more").is_dir():
        return []
    report = copies.prepare(book.chapters / "more", work / "more")
    copy_extras.trust(*(work / "more" / name for name in report.written))
    return [line for line in report.lines() if not report.created]


def promises(book: Book) -> dict[str, frontmatter.FrontMatter]:
    """The front matter of every executed chapter. Raises ``Refused`` if one has none, or if there are no chapters."""
    fronts = {}
    for path in sorted(book.chapters.glob("*.ipynb")):
        try:
            metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
        except (ValueError, KeyError, TypeError) as error:
            raise copies.unreadable(path) from error
        fronts[path.stem] = frontmatter.read(metadata.get("fairfl"))
    if not fronts:
        raise Refused(
            f"{book.chapters} contains no notebooks; execute the texts first: fairfl-book chapters", "missing"
        )
    return fronts


def arrange(desk: Path) -> None:
    """Set JupyterLab's layout for the first start: a narrow table of contents at the side. Later starts keep the reader's layout."""
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    manager = WorkspacesManager(str(desk))
    if not manager.list_workspaces():
        left = {"collapsed": False, "visible": True, "current": "@jupyterlab/toc:plugin"}
        layout = {"main": {}, "left": left, "relativeSizes": [SIDE, 1 - SIDE, 0]}
        manager.save("default", json.dumps({"data": {"layout-restorer:data": layout}, "metadata": {"id": "default"}}))
