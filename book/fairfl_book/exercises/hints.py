"""``hint("slug")``: the next step towards an answer, one a call."""

from fairfl_book.exercises.display import say
from fairfl_book.exercises.registry import find_any
from fairfl_book.translation.sentences import tr

_GIVEN: dict[str, int] = {}


def hint(slug: str) -> None:
    """Show the next hint to the exercise called ``slug``; after the last one they begin again. Raises ``ValueError`` for an unknown slug."""
    hints = find_any(slug).hints
    number = _GIVEN.get(slug, 0)
    if not hints:
        say("", slug, tr('There is no hint to this one. `solution("{slug}")` shows one answer.', slug=slug))
        return
    _GIVEN[slug] = (number + 1) % len(hints)
    left = len(hints) - number - 1
    more = (
        tr('`hint("{slug}")` once more gives the next.', slug=slug)
        if left
        else tr('That was the last one. `solution("{slug}")` shows one answer.', slug=slug)
    )
    say("", tr("Hint {n} of {all}", n=number + 1, all=len(hints)), tr(hints[number]), more)
