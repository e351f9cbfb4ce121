"""``hint("slug")``: the next step towards an answer, one a call."""

from fairfl_book.exercises.registry import find_any
from fairfl_book.exercises.said import say

_GIVEN: dict[str, int] = {}


def hint(slug: str) -> None:
    """Show the next hint to the exercise called ``slug``; after the last one they begin again. Raises ``ValueError`` for an unknown slug."""
    hints = find_any(slug).hints
    number = _GIVEN.get(slug, 0)
    if not hints:
        say("", slug, f'There is no hint to this one. `solution("{slug}")` shows one answer.')
        return
    _GIVEN[slug] = (number + 1) % len(hints)
    left = len(hints) - number - 1
    more = (
        f'`hint("{slug}")` once more gives the next.'
        if left
        else f'That was the last one. `solution("{slug}")` shows one answer.'
    )
    say("", f"Hint {number + 1} of {len(hints)}", hints[number], more)
