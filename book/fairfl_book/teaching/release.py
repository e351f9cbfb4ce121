"""One archive with everything that a class needs without a network: the book, student notebooks, the site, and, if asked for, wheels.

The same commit gives the same bytes: entries are sorted, their modes are git's and their time is the commit's, whatever clone, clock, time zone
or umask it is packed under. Two things remain that are not the book's: the zlib of the Python that packs, and, with wheels, the setuptools that pip finds.
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
from fairfl_book.site import solution_folds
from fairfl_book.teaching import class_notebooks

MANIFEST = "MANIFEST.txt"  # as sha256sum writes it: sha256sum --check MANIFEST.txt
STUDENT, SITE, WHEELS = "student", "site", "wheels"
_SOLUTIONS = f"book/{solutions.FOLDER}/"
_REWORDED: dict[str, Callable[[str], str]] = {  # pages that speak of solutions → what they say where there are none
    "book/teachers.md": solution_folds.without,
    "README.md": lambda page: solution_folds.noted(
        page, "This copy of the book has no solutions: `book/solutions` is left out."
    ),
    "README.zh.md": lambda page: solution_folds.noted(page, "本副本不含习题答案：其中没有 `book/solutions`。"),
}
_PACKED = {".whl", ".png", ".jpg", ".gz", ".woff2"}  # deflating these again gains nothing
_EARLIEST = 315532800  # 1980, the first moment that a zip can name, as seconds since 1970
_CHUNK = 1 << 20


def name(answered: bool = True) -> str:
    """What the archive is called, and the folder in it; without solutions otherwise, so that neither is taken for the other or written over it."""
    return f"fairfl-book-{fairfl.__version__}{'' if answered else '-without-solutions'}"


def tracked(root: Path) -> dict[str, bool]:
    """The files under git that are in the working tree, without ``.ci``: path → whether it is executable.

    Raises ``ValueError`` outside a clone.
    """
    modes = {path: entry.split()[0] for entry, _, path in (line.partition("\t") for line in _listed(root, "--stage"))}
    return {
        path: mode == "100755"
        for path, mode in sorted(modes.items())
        if not path.startswith(".ci/") and (root / path).is_file()
    }


def left_out(root: Path) -> list[str]:
    """Files that git neither tracks nor ignores: new ones that nobody has added yet, and so not in the archive."""
    return sorted(_listed(root, "--others", "--exclude-standard"))


def changed(root: Path) -> list[str]:
    """Tracked files that are not as in the last commit: an archive with them is nobody else's."""
    return sorted(_split(_git(root, "diff", "--name-only", "-z", "HEAD")))


def epoch(root: Path) -> int:
    """The moment that every entry of the archive names, in seconds since 1970: $SOURCE_DATE_EPOCH, or the last commit's.

    Raises ``ValueError`` for a variable that is no number, and where nothing was committed yet.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct").strip()
    if not given.isdigit():
        raise refuse(
            "SOURCE_DATE_EPOCH", given, "whole seconds since 1970", "Leave it out for the moment of the last commit."
        )
    return max(int(given), _EARLIEST)


def _listed(root: Path, *options: str) -> list[str]:
    return _split(_git(root, "ls-files", "-z", *options))


def _split(said: str) -> list[str]:
    return [line for line in said.split("\0") if line]


def _git(root: Path, *command: str) -> str:
    """What git says in the clone ``root``. Raises ``ValueError`` where this is none."""
    try:
        return subprocess.run(
            ["git", "-C", str(root), *command], capture_output=True, encoding="utf-8", check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        why = (getattr(error, "stderr", "") or str(error)).strip()
        raise Refused(
            f"git cannot list the book's files ({why}). A release is made from a clone, of what is committed: git clone "
            "the repository, and run make release there."
        ) from error


def contents(book: Book, wheels: Path | None = None, answered: bool = True) -> dict[str, Path | bytes]:
    """What goes into the archive, by its name there: the tracked files as they are now, the student notebooks of all executed
    chapters, the site if it is built, and the wheels in the folder ``wheels``. ``answered``: whether with the solutions (``site``)."""
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
    for folder, place in ((site(book, answered), SITE), (wheels, WHEELS)):
        for path in sorted(folder.rglob("*")) if folder else ():
            if path.is_file() and not path.name.startswith("."):
                entries[f"{place}/{path.relative_to(folder).as_posix()}"] = path
    return entries


def site(book: Book, answered: bool = True) -> Path | None:
    """The built site if it may go into the archive: with ``answered`` any, else only one that was built without solutions."""
    built = book.root / "book" / "_build" / "html"
    return built if built.is_dir() and (answered or (built / solution_folds.WITHOUT).exists()) else None


def write(book: Book, out: Path | None = None, wheels: Path | None = None, answered: bool = True) -> Path:
    """Write the archive (default: in ``dist``, under its ``name``) and return its path.

    ``answered``: whether with ``book/solutions``, the teachers' page's word on open exercises, and a site that shows solutions.
    """
    top = name(answered)
    out = out or book.root / "dist" / f"{top}.zip"
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
    """The SHA-256 of a file, as ``sha256sum`` writes it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _add(
    archive: zipfile.ZipFile, when: tuple[int, ...], name: str, content: Path | bytes, executable: bool = False
) -> str:
    """Put one file into the archive; returns its SHA-256. ``when``: year, month, day, hour, minute, second."""
    info = zipfile.ZipInfo(name, when)
    info.create_system = 3  # Unix, on every system: the mode below is read
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


def older_than_the_chapters(book: Book) -> list[str]:
    """Chapters whose notebook is newer than the built site; empty if there is no site."""
    front = book.root / "book" / "_build" / "html" / "index.html"
    built = front.stat().st_mtime if front.exists() else float("inf")
    return [name for name in class_notebooks.chosen(book, []) if book.notebook(name).stat().st_mtime > built]
