"""Define and register exercises: the cases to try, the right answer, and known wrong answers with their replies."""

import copy
import difflib
import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fairfl.errors import Refused, unknown


@dataclass(frozen=True)
class Wrong:
    """A known wrong answer: ``answer`` as a reader would give it, and ``why``, the reply to it.

    ``why`` may contain ``{case}``, ``{given}`` and ``{right}``, taken from the first case in which the answer is wrong.
    """

    answer: object
    why: str


@dataclass(frozen=True)
class Question:
    """An open exercise, which has no check.

    ``slug``: "chapter.topic", stable across editions. ``task``: the task as a phrase. ``hints``: steps towards an answer, the smallest first.
    """

    slug: str
    task: str
    hints: Sequence[str] = ()


@dataclass(frozen=True)
class Exercise:
    """An exercise with a check. ``slug``: "chapter.topic", stable across editions. ``task``: the task as a phrase.

    If a function is asked for, ``right`` is a function and ``cases`` a list of argument tuples; lists of numbers among the arguments are
    passed as arrays, tuples as they are. If a value is asked for, ``right`` is the value and ``cases`` is empty. ``wrong``: known wrong
    answers by a short name. ``tolerance``: relative and absolute, for floats. ``praise``: the reply to a right answer, with one more thing
    to think about. ``hints``: steps towards the answer, the smallest first.
    """

    slug: str
    task: str
    right: object
    cases: Sequence[tuple] = ()
    wrong: dict[str, Wrong] = field(default_factory=dict)
    tolerance: float = 1e-6
    praise: str = ""
    hints: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cases", [tuple(_array(argument) for argument in case) for case in self.cases])

    @property
    def is_function(self) -> bool:
        return bool(self.cases)

    def right_answers(self) -> list:
        """The right answer to each case; for a value, a list with that one value."""
        return [self.right(*copy.deepcopy(case)) for case in self.cases] if self.is_function else [self.right]


def _array(argument):
    """Convert a (nested) list of numbers to an array, because the chapters' formulas expect arrays; leave anything else as it is."""
    if not isinstance(argument, list):
        return argument
    try:
        made = np.array(argument)
    except ValueError:
        return argument
    return made if made.dtype.kind in "fiub" and made.size else argument


# The first words of the slugs, chapter by chapter: 0, 1, 2, …
WORDS = (
    "start fl prox pareto mgda fedmgda reweighting fedfv adafed newton picture robustness reproductions reading real"
    " blind"
).split()

_EXERCISES: dict[str, Exercise | Question] = {}


def register(exercise: Exercise | Question) -> None:
    """Add an exercise. Raises ``ValueError`` if its slug is taken."""
    if exercise.slug in _EXERCISES:
        raise Refused(
            f"exercise {exercise.slug!r} exists already; slugs are unique in the book: choose another one", "name"
        )
    _EXERCISES[exercise.slug] = exercise


def everything() -> dict[str, Exercise | Question]:
    """All exercises by slug, including open ones. Imports every module of ``fairfl_book.exercises.chapters`` once."""
    from fairfl_book.exercises import chapters

    for module in pkgutil.iter_modules(chapters.__path__):
        importlib.import_module(f"{chapters.__name__}.{module.name}")
    return dict(_EXERCISES)


def registry() -> dict[str, Exercise]:
    """The exercises with a check, by slug."""
    return {slug: exercise for slug, exercise in everything().items() if isinstance(exercise, Exercise)}


def find(slug: str) -> Exercise:
    """The exercise with a check called ``slug``. Raises ``ValueError`` if there is none."""
    if isinstance(everything().get(slug), Question):
        raise Refused(
            f"exercise {slug!r} is open and has no check; "
            f'compare your answer with one answer, solution("{slug}"), or ask for a step, hint("{slug}").',
            "name",
        )
    return _named(slug, registry())


def find_any(slug: str) -> Exercise | Question:
    """The exercise called ``slug``, checked or open. Raises ``ValueError`` if there is none."""
    return _named(slug, everything())


def _named(slug, known):
    if slug in known:
        return known[slug]
    near = difflib.get_close_matches(str(slug), known, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    word = str(near[0] if near else slug).partition(".")[0]
    beside = [
        name for name in known if name.partition(".")[0] == word
    ]  # all slugs of the book would hide the nearest one
    tail = f" Its chapter has {', '.join(beside)}." if beside else " Each exercise's name is in the cell below it."
    raise Refused(f"unknown exercise {slug!r}.{hint}{tail}", "name")


def chapter_of(slug: str) -> int:
    """The number of the chapter to which ``slug`` belongs. Raises ``ValueError`` if no chapter has its first word."""
    word = slug.partition(".")[0]
    if word not in WORDS:
        raise unknown("first word of a slug", word, WORDS)
    return WORDS.index(word)


def of_chapter(number: int) -> list[str]:
    """The slugs of a chapter's exercises with a check."""
    return [slug for slug in registry() if chapter_of(slug) == number]
