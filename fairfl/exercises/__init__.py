"""Exercises that answer back, and claims that run."""

from fairfl.exercises.check import Verdict, check, judge
from fairfl.exercises.claim import Outcome, claim, try_claim
from fairfl.exercises.registry import Exercise, Wrong, register, registry

__all__ = ["Exercise", "Outcome", "Verdict", "Wrong", "check", "claim", "judge", "register", "registry", "try_claim"]
