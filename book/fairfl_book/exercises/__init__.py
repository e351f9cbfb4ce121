"""Exercises that answer back, and claims that run."""

from fairfl_book.exercises.check import Verdict, check, judge
from fairfl_book.exercises.claim import Outcome, claim, try_claim
from fairfl_book.exercises.registry import Exercise, Wrong, register, registry

__all__ = ["Exercise", "Outcome", "Verdict", "Wrong", "check", "claim", "judge", "register", "registry", "try_claim"]
