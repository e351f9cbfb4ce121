"""How long a chapter takes to read: ``python -m fairfl_book.build.length`` writes it where it is told.

Prose at 200 words a minute and half a minute for a code cell that is open. Folded boxes (``<details>``), folded cells, the exercises and the
references are apart: a reader may pass them.
"""

import math
import re

from fairfl import atomic
from fairfl_book import places

WORDS_A_MINUTE, MINUTES_A_CELL, STEP = 200, 0.5, 5
APART = ("Exercises", "References")
_CELL = re.compile(r"^```\{code-cell\}.*?^```$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


def minutes(text: str) -> int:
    """The reading time of a chapter's text twin, rounded up to five minutes."""
    body = _FOLDED.sub("", text.split("---\n", 2)[2])
    sections = [s for s in re.split(r"^## ", body, flags=re.MULTILINE) if not s.startswith(APART)]
    cells = [cell for section in sections for cell in _CELL.findall(section) if "source_hidden: true" not in cell]
    words = sum(len(_FENCE.sub("", section).split()) for section in sections)
    return STEP * math.ceil((words / WORDS_A_MINUTE + MINUTES_A_CELL * len(cells)) / STEP)


def retold(text: str) -> str:
    """The twin with its reading time in the front matter and under its title."""
    now = minutes(text)
    text = re.sub(r"^  minutes: \d+$", f"  minutes: {now}", text, count=1, flags=re.MULTILINE)
    return re.sub(r"^> \*\*\d+ minutes\*\*", f"> **{now} minutes**", text, count=1, flags=re.MULTILINE)


def main() -> None:
    """Rewrite the twins, and the minutes in the tables of both README files."""
    book = places.find()
    taken = {}
    for name in book.names():
        text = book.twin(name).read_text(encoding="utf-8")
        taken[name] = minutes(text)
        atomic.write(book.twin(name), retold(text).encode("utf-8"))
        print(f"{name:28} {taken[name]} minutes")
    for page in (book.root / "README.md", book.root / "README.zh.md"):
        rows = re.sub(
            r"(\(chapters/(\w+)\.ipynb\) \|) \d+ \|",
            lambda row: f"{row[1]} {taken[row[2]]} |",
            page.read_text(encoding="utf-8"),
        )
        atomic.write(page, rows.encode("utf-8"))


if __name__ == "__main__":
    main()
