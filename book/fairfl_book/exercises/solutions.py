"""``solution("slug")``: one answer, shown when it is asked for. It assigns nothing, so that nothing of the reader's is overwritten.

Solutions stand in ``book/solutions``, a file a chapter: under a heading with the exercise's slug, text and one block of Python that runs
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
    """``text``: Markdown, the code included. ``code``: its blocks of Python, joined; it may be empty for an open exercise."""

    slug: str
    text: str
    code: str

    @property
    def words(self) -> str:
        """The text without the code."""
        return re.sub(r"\n{3,}", "\n\n", _CODE.sub("", self.text)).strip()


def read(path: Path) -> dict[str, Solution]:
    """The solutions in a file of ``book/solutions``, by slug."""
    parts = _PART.findall(path.read_text(encoding="utf-8"))
    return {slug: Solution(slug, text.strip(), "\n".join(_CODE.findall(text)).strip()) for slug, text in parts}


def folder(book: book_paths.Book) -> Path:
    """Where the solutions stand, if this copy of the book has them."""
    return book.root / "book" / FOLDER


def there(book: book_paths.Book) -> bool:
    """Whether this copy of the book has solutions."""
    return folder(book).is_dir()


def of_chapter(book: book_paths.Book, name: str) -> dict[str, Solution]:
    """The solutions of chapter ``name``, by slug; empty where the folder was left out."""
    path = folder(book) / f"{name}.md"
    return read(path) if path.exists() else {}


def solution(slug: str) -> None:
    """Show one answer to the exercise called ``slug``. Raises ``ValueError`` for an unknown slug."""
    exercise = find_any(slug)
    found = _find(slug)
    if found is None:
        say(
            "",
            slug,
            tr(
                "There is no solution here: this copy of the book has none for it. Whoever teaches your course may have it."
            ),
        )
        return
    text = f"**{slug}**: {tr(exercise.task)}\n\n{found.text}"
    show({"text/plain": text, "text/markdown": text})


def _find(slug):
    try:
        book = book_paths.find()
    except ValueError:  # the package without the book
        return None
    [name] = book.select([f"{chapter_of(slug):02d}"])
    return of_chapter(book, name).get(slug)


def verify(name: str, namespace: Mapping[str, object]) -> None:
    """Run every solution of chapter ``name`` after the chapter itself, whose names are ``namespace``, and judge it.

    Each runs in a copy of the names of its own, as in the notebook of a reader who has solved nothing else. What they print is swallowed.
    Raises ``AssertionError`` naming the first that is not right.
    """
    for slug, found in of_chapter(book_paths.find(), name).items():
        judged = []
        own = {
            **namespace,
            "check": lambda slug, answer, judged=judged: judged.append((slug, judge(find_any(slug), answer))),
        }
        with redirect_stdout(io.StringIO()):
            exec(compile(found.code, f"solution of {slug}", "exec"), own)
        said = [(judged_slug, verdict.status) for judged_slug, verdict in judged]
        wanted = [(slug, "right")] if isinstance(find_any(slug), Exercise) else []
        assert said == wanted, f"{slug}: the solution is judged {[str(verdict) for _, verdict in judged]}"


def without_check(found: Solution) -> str:
    """The solution's code as it goes into the reader's cell. Raises ``ValueError`` if it does not end with its check."""
    code, _, last = found.code.rpartition("\n")
    if not last.startswith(f'check("{found.slug}"'):
        raise Refused(
            f'the solution of {found.slug} does not end with its check, check("{found.slug}", …); write it there as the last line, '
            "so that the solution is seen to pass."
        )
    return code.strip()
