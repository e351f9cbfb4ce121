"""Pack everything that a class needs without a network: the book, student notebooks, slides, the PDF, the site, and optionally wheels.

The same commit gives the same bytes: entries are sorted, their modes come from git and their time from the commit, independent of the clone, clock, time zone
and umask. The PDF of the same commit is the same too, if Typst is. Two things can still differ: the zlib of the Python that packs and, with wheels, the version of setuptools that pip finds.
"""

import hashlib
import os
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import fairfl
from fairfl import _atomic_files
from fairfl.errors import Refused, refuse
from fairfl_book.book_paths import Book
from fairfl_book.exercises import solutions
from fairfl_book.misconceptions import notebooks
from fairfl_book.site import solution_folds, third_party
from fairfl_book.teaching import anki_cards, class_notebooks
from fairfl_book.teaching.slides import files as slides

MANIFEST = "MANIFEST.txt"  # in the format of sha256sum: sha256sum --check MANIFEST.txt
STUDENT, SLIDES, QUESTIONS, CARDS, SITE, WHEELS = "student", "slides", "questions", "cards", "site", "wheels"
_SOLUTIONS = f"book/{solutions.FOLDER}/"
_REWORDED: dict[
    str, Callable[[str], str]
] = {  # pages that mention solutions → how they change in an archive without them
    "book/teachers.md": solution_folds.without,
    "README.md": lambda page: solution_folds.noted(
        page, "This copy of the book has no solutions: `book/solutions` is left out."
    ),
    "README.zh.md": lambda page: solution_folds.noted(page, "本副本不含习题答案：其中没有 `book/solutions`。"),
}
_PACKED = {".whl", ".pdf", ".png", ".jpg", ".gz", ".woff2"}  # already compressed
_EARLIEST = 315532800  # 1980, the earliest time that a zip can store, in seconds since 1970
_LATEST = 4354819198  # the end of 2107, the last moment that it can write
_CHUNK = 1 << 20


def name(answered: bool = True) -> str:
    """The name of the archive and of the folder in it. An archive without solutions has another name, so the two are not confused or overwritten."""
    return f"fairfl-book-{fairfl.__version__}{'' if answered else '-without-solutions'}"


def tracked(root: Path) -> dict[str, bool]:
    """The tracked files that exist in the working tree, except ``.ci`` and ``.github``: path → whether it is executable.

    Raises ``Refused`` outside a clone.
    """
    modes = {path: entry.split()[0] for entry, _, path in (line.partition("\t") for line in _listed(root, "--stage"))}
    return {
        path: mode == "100755"
        for path, mode in sorted(modes.items())
        if not path.startswith((".ci/", ".github/")) and (root / path).is_file()
    }


def left_out(root: Path) -> list[str]:
    """Files that git neither tracks nor ignores, which the archive therefore lacks."""
    return sorted(_listed(root, "--others", "--exclude-standard"))


def changed(root: Path) -> list[str]:
    """Tracked files that differ from the last commit, with which nobody else can reproduce the archive."""
    return sorted(_split(_git(root, "diff", "--name-only", "-z", "HEAD")))


def epoch(root: Path) -> int:
    """The time of every entry in the archive, in seconds since 1970: $SOURCE_DATE_EPOCH, or that of the last commit.

    Raises ``Refused`` if the variable is not a number, and if there is no commit yet.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct").strip()
    if not given.isdigit() or int(given) > _LATEST:
        raise refuse(
            "SOURCE_DATE_EPOCH", given, "whole seconds since 1970", "Unset it to use the time of the last commit."
        )
    return max(int(given), _EARLIEST)


def _listed(root: Path, *options: str) -> list[str]:
    return _split(_git(root, "ls-files", "-z", *options))


def _split(output: str) -> list[str]:
    return [line for line in output.split("\0") if line]


def _git(root: Path, *command: str) -> str:
    """The output of a git command in the clone ``root``. Raises ``Refused`` if it fails."""
    try:
        return subprocess.run(
            ["git", "-C", str(root), *command], capture_output=True, encoding="utf-8", check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = (getattr(error, "stderr", "") or str(error)).strip()
        raise Refused(
            f"git cannot list the book's files ({why}). A release is made from the committed files of a clone: git clone "
            "the repository, and run make release there.",
            "file",
        ) from error


def contents(book: Book, wheels: Path | None = None, answered: bool = True) -> dict[str, Path | bytes]:
    """The archive's entries by name: the tracked files as they are now, the student notebooks and, ``with_slides``, the decks of all executed chapters, the questions before
    and after the course, the cards for spaced review, the PDF if it is set, the site if it is built, and the wheels in the folder ``wheels``. ``answered``: whether to include what answers exercises and turns (see ``write``)."""
    entries: dict[str, Path | bytes] = {path: book.root / path for path in tracked(book.root)}
    if not answered:
        entries = {path: content for path, content in entries.items() if not path.startswith(_SOLUTIONS)}
        for path, reword in _REWORDED.items():
            if path in entries:
                entries[path] = reword((book.root / path).read_text(encoding="utf-8")).encode("utf-8")
    entries |= {
        f"{STUDENT}/{name}.ipynb": class_notebooks.made(book, "student", name)
        for name in class_notebooks.chosen(book, [])
    }
    if with_slides(book, answered):
        entries |= {
            f"{SLIDES}/{name}.html": slides.made(book, name).encode("utf-8")
            for name in class_notebooks.chosen(book, [])
        }
    entries |= {
        f"{QUESTIONS}/{name}.ipynb": notebooks.made(name)
        for name in (notebooks.NAMES if answered else (notebooks.BEFORE,))
    }
    entries |= {
        f"{CARDS}/{anki_cards.file_name(language)}": anki_cards.made(book, language) for language in anki_cards.DECKS
    }
    if book.pdf.exists():
        entries[book.pdf.name] = book.pdf
    for folder, place in ((site(book, answered), SITE), (wheels, WHEELS)):
        for path in sorted(folder.rglob("*")) if folder else ():
            if path.is_file() and not path.name.startswith("."):
                entries[f"{place}/{path.relative_to(folder).as_posix()}"] = path
    return entries


def with_slides(book: Book, answered: bool = True) -> bool:
    """Whether the archive has slides: if what they need for their formulas is here, and if it may answer the turns. PDFs are left out, because they would differ from one browser to the next."""
    return answered and not third_party.missing(book.vendored)


def front_page(book: Book) -> Path:
    """The front page of the built site."""
    return book.root / "book" / "_build" / "html" / "index.html"


def site(book: Book, answered: bool = True) -> Path | None:
    """The built site if the archive may contain it: any site if ``answered``, else only one built without solutions."""
    built = front_page(book).parent
    return built if built.is_dir() and (answered or (built / solution_folds.WITHOUT).exists()) else None


def write(book: Book, out: Path | None = None, wheels: Path | None = None, answered: bool = True) -> Path:
    """Write the archive (default: in ``dist``, under its ``name``) and return its path.

    ``answered``: whether to include ``book/solutions``, the notes on open exercises in the teachers' page, the slides, the questions after the course, and a site that shows solutions.
    """
    top = name(answered)
    out = out or book.dist / f"{top}.zip"
    executable, when, hashes = tracked(book.root), time.gmtime(epoch(book.root))[:6], []
    entries = contents(book, wheels, answered)
    out.parent.mkdir(parents=True, exist_ok=True)
    with _atomic_files.writing(out) as file, zipfile.ZipFile(file, "w") as archive:
        for path in sorted(entries):
            found = _add(archive, when, f"{top}/{path}", entries[path], executable.get(path, False))
            hashes.append(f"{found}  {path}\n")
        _add(archive, when, f"{top}/{MANIFEST}", "".join(hashes).encode("utf-8"))
    return out


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal as ``sha256sum`` prints it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _add(
    archive: zipfile.ZipFile, when: tuple[int, ...], name: str, content: Path | bytes, executable: bool = False
) -> str:
    """Add one file to the archive; returns its SHA-256. ``when``: year, month, day, hour, minute, second."""
    info = zipfile.ZipInfo(name, when)
    info.create_system = 3  # Unix on every system, so that the mode below is used
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    info.compress_type = zipfile.ZIP_STORED if Path(name).suffix in _PACKED else zipfile.ZIP_DEFLATED
    info.file_size = len(content) if isinstance(content, bytes) else content.stat().st_size
    found = hashlib.sha256()
    with archive.open(info, "w") as place:
        for chunk in _chunks(content):
            found.update(chunk)
            place.write(chunk)
    return found.hexdigest()


def _chunks(content: Path | bytes):
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def newer(book: Book, built: Path) -> list[str]:
    """Chapters and companions whose notebook is newer than the file ``built``; empty if there is no such file."""
    when = built.stat().st_mtime if built.exists() else float("inf")
    names = book.with_companions(class_notebooks.chosen(book, []))
    return [name for name in names if book.notebook(name).exists() and book.notebook(name).stat().st_mtime > when]
