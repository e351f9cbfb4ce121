"""Exercises with checks, hints and solutions, and claims that run."""

from fairfl_book.exercises import stale_answers
from fairfl_book.exercises.check import Verdict, check, judge
from fairfl_book.exercises.claim import Outcome, claim, try_claim
from fairfl_book.exercises.hints import hint
from fairfl_book.exercises.progress import begin
from fairfl_book.exercises.registry import Exercise, Question, Wrong, register, registry
from fairfl_book.exercises.solutions import solution
from fairfl_book.reading import missing_setup

__all__ = [
    "Exercise",
    "Outcome",
    "Question",
    "Verdict",
    "Wrong",
    "begin",
    "check",
    "claim",
    "hint",
    "judge",
    "register",
    "registry",
    "solution",
    "try_claim",
]

stale_answers.watch()
missing_setup.watch()
