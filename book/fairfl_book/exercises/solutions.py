"""``solution("slug")``: show one answer to an exercise. Nothing is assigned, so none of the reader's variables is overwritten.

``book/solutions`` holds one file per chapter. Below a heading with the exercise's slug there is text and one block of Python, which runs
after the chapter's own cells and ends with the exercise's check. A class may get the book without that folder.
"""

import io
import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book import book_paths
from fairfl_book.exercises.check import judge
from fairfl_book.exercises.display import say, show
from fairfl_book.exercises.registry import Exercise, chapter_of, find_any
from fairfl_book.translation.sentences import tr

FOLDER = "solutions"
_PART = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Solution:
    """One solution. ``text``: Markdown, including the code. ``code``: its Python blocks, joined; may be empty for an open exercise."""

    slug: str
    text: str
    code: str

    @property
    def words(self) -> str:
        """The text without the code."""
        return re.sub(r"\n{3,}", "\n\n", _CODE.sub("", self.text)).strip()

    @property
    def said(self) -> str:
        """The text in the current language, if it is translated and stands above the code."""
        return self.text.replace(self.words, tr(self.words), 1) if self.words else self.text


def read(path: Path) -> dict[str, Solution]:
    """Read the solutions in a file of ``book/solutions``, by slug."""
    parts = _PART.findall(path.read_text(encoding="utf-8"))
    return {slug: Solution(slug, text.strip(), "\n".join(_CODE.findall(text)).strip()) for slug, text in parts}


def folder(book: book_paths.Book) -> Path:
    """The folder of the solutions, which a copy of the book may lack."""
    return book.root / "book" / FOLDER


def there(book: book_paths.Book) -> bool:
    """Whether this copy of the book has solutions."""
    return folder(book).is_dir()


def of_chapter(book: book_paths.Book, name: str) -> dict[str, Solution]:
    """The solutions of chapter ``name``, by slug; empty if the folder was left out."""
    path = folder(book) / f"{name}.md"
    return read(path) if path.exists() else {}


def solution(slug: str) -> None:
    """Show one answer to the exercise called ``slug``. Raises ``ValueError`` for an unknown slug."""
    exercise = find_any(slug)
    found = _find(slug)
    if found is None:
        say("", slug, tr("This copy of the book has no solution to this exercise. Your teacher may have one."))
        return
    text = f"**{slug}**: {tr(exercise.task)}\n\n{found.said}"
    show({"text/plain": text, "text/markdown": text})


def _find(slug):
    try:
        book = book_paths.find()
    except ValueError:  # the package without the book
        return None
    [name] = book.select([f"{chapter_of(slug):02d}"])
    return of_chapter(book, name).get(slug)


def verify(name: str, namespace: Mapping[str, object]) -> None:
    """Run every solution of chapter ``name`` in the ``namespace`` of the executed chapter, and judge it.

    Each solution runs in its own copy of the namespace, as in the notebook of a reader who has solved nothing else. Printed output is
    discarded. Raises ``AssertionError`` naming the first solution that is not right.
    """
    for slug, found in of_chapter(book_paths.find(), name).items():
        judged = []
        own = {
            **namespace,
            "check": lambda slug, answer, judged=judged: judged.append((slug, judge(find_any(slug), answer))),
        }
        with redirect_stdout(io.StringIO()):
            exec(compile(found.code, f"solution of {slug}", "exec"), own)
        verdicts = [(judged_slug, verdict.status) for judged_slug, verdict in judged]
        wanted = [(slug, "right")] if isinstance(find_any(slug), Exercise) else []
        assert verdicts == wanted, f"{slug}: the solution is judged {[str(verdict) for _, verdict in judged]}"


def without_check(found: Solution) -> str:
    """The solution's code without its check, as it goes into the reader's cell. Raises ``ValueError`` if it does not end with its check."""
    code, _, last = found.code.rpartition("\n")
    if not last.startswith(f'check("{found.slug}"'):
        raise Refused(
            f'the solution of {found.slug} does not end with its check; add check("{found.slug}", …) as its last line, '
            "which shows that the solution passes.",
            "file",
        )
    return code.strip()
