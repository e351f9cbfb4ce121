"""Hints and solutions on the site: folded under their exercises, or left out of a site for a class."""

import re
from collections.abc import Mapping

from fairfl_book.exercises import turns
from fairfl_book.exercises.display import marked_up
from fairfl_book.exercises.registry import find_any
from fairfl_book.exercises.solutions import Solution
from fairfl_book.translation.sentences import tr

WITHOUT = ".without-solutions"  # marks a site without answers
_MARKING = re.compile(r"<!-- answers -->\n.*?<!-- /answers -->", re.DOTALL)
_LEFT_OUT = "*What a good answer to each open exercise has is left out of this copy of the book.*"


def below(slug: str, solutions: Mapping[str, Solution]) -> str:
    """Markdown below the exercise ``slug``: its hints one by one, then its solution if it is in ``solutions``.

    Empty if it has neither. Raises ``ValueError`` for an unknown slug.
    """
    hints = find_any(slug).hints
    folded = [
        _folded(
            tr("Hint {n} of {all}", n=n, all=len(hints)) if len(hints) > 1 else tr("A hint"),
            f"<p>{marked_up(tr(text))}</p>",
        )
        for n, text in enumerate(hints, 1)
    ]
    if slug in solutions:
        folded.append(_folded(tr("One solution"), f"\n{solutions[slug].said}\n"))
    return "\n\n".join(folded)


def of_turn(slug: str) -> str:
    """Markdown below the turn ``slug``: its answer and the known mistakes, folded. Raises ``ValueError`` for an unknown slug."""
    (right, praise), *wrong = turns.answered(slug)
    paragraphs = [f"<p><b>{marked_up(right)}{'. ' if right else ''}</b>{marked_up(praise)}</p>"]
    paragraphs += [
        f"<p><i>{tr('If you answered {answer}:', answer=marked_up(given))}</i> {marked_up(why)}</p>"
        for given, why in wrong
        if given
    ]
    return _folded(tr("The answer"), "\n".join(paragraphs))


def _folded(title, inside):
    return f'<details class="answer">\n<summary>{title}</summary>\n{inside}\n</details>'


def without(page: str) -> str:
    """The text of ``book/teachers.md`` without the notes on answers to open exercises."""
    return _MARKING.sub(_LEFT_OUT, page)


def noted(page: str, note: str) -> str:
    """Insert ``note`` below the first line of a page, which is its title or the links to other languages."""
    first, _, rest = page.partition("\n")
    return f"{first}\n\n> {note}\n{rest}"
