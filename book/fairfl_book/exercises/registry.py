"""What an exercise is: cases to try, the right answer, and wrong answers that are worth a word of their own."""

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
    """A known wrong answer: ``answer`` as a reader would give it, ``why`` what to tell them.

    ``why`` may name ``{case}``, ``{given}`` and ``{right}``, the first case where the answers part.
    """

    answer: object
    why: str


@dataclass(frozen=True)
class Question:
    """An open exercise: nothing to check. ``slug``: "chapter.topic", stable across editions. ``task``: what is asked, in a phrase.

    ``hints``: steps towards an answer, the first the smallest.
    """

    slug: str
    task: str
    hints: Sequence[str] = ()


@dataclass(frozen=True)
class Exercise:
    """``slug``: "chapter.topic", stable across editions. ``task``: what is asked, in a phrase.

    For a function: ``right`` is a function and ``cases`` a list of argument tuples; a list of numbers among the arguments is handed
    over as an array, a tuple as it is. For a value: ``right`` is the value and ``cases`` is empty. ``wrong``: by a short name. ``tolerance``: relative and absolute,
    on floats. ``praise``: what a right answer is told; one thing more to think about. ``hints``: steps towards it, the first the smallest.
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
        """The right answer to each case; of a value, the one there is."""
        return [self.right(*copy.deepcopy(case)) for case in self.cases] if self.is_function else [self.right]


def _array(argument):
    """A list of numbers (of lists of numbers) as an array, since the chapters' formulas are written for them; anything else as it is."""
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
        raise Refused(f"exercise {exercise.slug!r} exists already; slugs are unique in the book")
    _EXERCISES[exercise.slug] = exercise


def everything() -> dict[str, Exercise | Question]:
    """All exercises by slug, open ones too: every module of ``fairfl_book.exercises.chapters`` is imported once."""
    from fairfl_book.exercises import chapters

    for module in pkgutil.iter_modules(chapters.__path__):
        importlib.import_module(f"{chapters.__name__}.{module.name}")
    return dict(_EXERCISES)


def registry() -> dict[str, Exercise]:
    """The exercises that have a check, by slug."""
    return {slug: exercise for slug, exercise in everything().items() if isinstance(exercise, Exercise)}


def find(slug: str) -> Exercise:
    """The exercise called ``slug`` that has a check. Raises ``ValueError`` if there is none."""
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
    beside = [name for name in known if name.partition(".")[0] == word]  # the whole book's would bury the nearest
    tail = f" Its chapter has {', '.join(beside)}." if beside else " The cell below each exercise has its name."
    raise Refused(f"unknown exercise {slug!r}.{hint}{tail}")


def chapter_of(slug: str) -> int:
    """The number of the chapter to which ``slug`` belongs. Raises ``ValueError`` for a first word that no chapter has."""
    word = slug.partition(".")[0]
    if word not in WORDS:
        raise unknown("first word of a slug", word, WORDS)
    return WORDS.index(word)


def of_chapter(number: int) -> list[str]:
    """The slugs of the exercises of a chapter that have a check."""
    return [slug for slug in registry() if chapter_of(slug) == number]
