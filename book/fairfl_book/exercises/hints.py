"""``hint("slug")``: show the next step towards an answer, one per call."""

from fairfl_book.exercises.display import say
from fairfl_book.exercises.registry import find_any
from fairfl_book.translation.sentences import tr

_GIVEN: dict[str, int] = {}


def hint(slug: str) -> None:
    """Show the next hint for the exercise called ``slug``, starting over after the last one. Raises ``ValueError`` for an unknown slug."""
    hints = find_any(slug).hints
    number = _GIVEN.get(slug, 0)
    if not hints:
        say("", slug, tr('There are no hints for this exercise. `solution("{slug}")` shows one answer.', slug=slug))
        return
    _GIVEN[slug] = (number + 1) % len(hints)
    left = len(hints) - number - 1
    more = (
        tr('Call `hint("{slug}")` again for the next one.', slug=slug)
        if left
        else tr('This is the last hint. `solution("{slug}")` shows one answer.', slug=slug)
    )
    say("", tr("Hint {n} of {all}", n=number + 1, all=len(hints)), tr(hints[number]), more)
