"""``**Your turn.**``: one small question in the middle of a chapter, whose answer the text then uses.

A turn is lighter than an exercise. It has one answer and a few named mistakes, and neither hints nor marks. Its slug is
"chapter.turn.topic", and its cell, tagged ``turn``, holds the reader's answer and its check. Turns are defined next to the exercises, in
``exercises/chapters``, but have their own registry, so code that counts or marks exercises does not see them.
"""

from fairfl.errors import Refused, unknown
from fairfl_book.exercises.registry import Exercise, everything
from fairfl_book.translation.sentences import tr

WORD = "turn"  # the second word of a turn's slug
LINE = "**Your turn.**"  # how the question begins

_TURNS: dict[str, Exercise] = {}


def is_turn(slug: str) -> bool:
    """Whether ``slug`` is that of a turn, registered or not."""
    words = slug.split(".")
    return len(words) == 3 and words[1] == WORD


def register(turn: Exercise) -> None:
    """Add a turn.

    Raises:
        ValueError: if its slug is taken or does not have the form "chapter.turn.topic", if it has hints, or if it names no mistake.
    """
    if not is_turn(turn.slug):
        raise Refused(f"{turn.slug!r} is not the slug of a turn; it must have the form chapter.turn.topic.", "name")
    if turn.slug in _TURNS:
        raise Refused(f"turn {turn.slug!r} exists already; slugs are unique in the book: choose another one.", "name")
    if turn.hints or not turn.wrong:
        raise Refused(
            f"turn {turn.slug!r} has {len(turn.hints)} hints and {len(turn.wrong)} known wrong answers; "
            "a turn has no hints and at least one known wrong answer.",
            "combination",
        )
    _TURNS[turn.slug] = turn


def every_turn() -> dict[str, Exercise]:
    """All turns of the book, by slug."""
    everything()  # imports the chapters' modules, which also register turns
    return dict(_TURNS)


def find(slug: str) -> Exercise:
    """The turn called ``slug``. Raises ``ValueError`` if there is none."""
    known = every_turn()
    if slug not in known:
        raise unknown("turn", slug, known)
    return known[slug]


def words(status: str, message: str) -> tuple[str, str]:
    """Head and text of a reply, as ``display.say`` takes them after the mark, from a verdict's ``status`` and ``message``."""
    if status == "not attempted yet":
        return tr("Your turn."), tr("Put your answer in the place of `...` and run this cell.")
    return tr("Yes.") if status == "right" else tr("Not yet."), message


def answered(slug: str) -> list[tuple[str, str]]:
    """The replies to a turn for a page without a kernel: pairs of answer and reply, the right answer first, then the known mistakes."""
    turn = find(slug)
    replies = [(turn.right, turn.praise), *((wrong.answer, wrong.why) for wrong in turn.wrong.values())]
    return [("" if callable(answer) else _shown(answer), tr(why)) for answer, why in replies]


def _shown(answer: object) -> str:
    parts = answer if isinstance(answer, (tuple, list)) else (answer,)
    return ", ".join(part if isinstance(part, str) else _number(part) for part in parts)


def _number(part: object) -> str:
    return (f"{part:.4g}" if isinstance(part, float) else str(part)).replace("-", "−")
