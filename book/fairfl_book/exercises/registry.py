"""What an exercise is: cases to try, the right answer, and wrong answers that are worth a word of their own."""

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field

from fairfl.errors import Refused, unknown


@dataclass(frozen=True)
class Wrong:
    """A known wrong answer: ``answer`` as a reader would give it, ``why`` what to tell them.

    ``why`` may name ``{case}``, ``{given}`` and ``{right}``, the first case where the answers part.
    """

    answer: object
    why: str


@dataclass(frozen=True)
class Exercise:
    """``slug``: "chapter.topic", stable across editions. ``task``: what is asked, in a phrase.

    For a function: ``right`` is a function and ``cases`` a list of argument tuples. For a value: ``right`` is the value
    and ``cases`` is empty. ``wrong``: by a short name. ``tolerance``: relative and absolute, on floats. ``praise``: what a
    right answer is told; one thing more to think about.
    """

    slug: str
    task: str
    right: object
    cases: Sequence[tuple] = ()
    wrong: dict[str, Wrong] = field(default_factory=dict)
    tolerance: float = 1e-6
    praise: str = ""

    @property
    def is_function(self) -> bool:
        return bool(self.cases)


_EXERCISES: dict[str, Exercise] = {}


def register(exercise: Exercise) -> None:
    """Add an exercise. Raises ``ValueError`` if its slug is taken."""
    if exercise.slug in _EXERCISES:
        raise Refused(f"exercise {exercise.slug!r} exists already; slugs are unique in the book")
    _EXERCISES[exercise.slug] = exercise


def registry() -> dict[str, Exercise]:
    """All exercises by slug: every module of ``fairfl_book.exercises.chapters`` is imported once."""
    from fairfl_book.exercises import chapters

    for module in pkgutil.iter_modules(chapters.__path__):
        importlib.import_module(f"{chapters.__name__}.{module.name}")
    return dict(_EXERCISES)


def find(slug: str) -> Exercise:
    known = registry()
    if slug not in known:
        raise unknown("exercise", slug, known)
    return known[slug]
