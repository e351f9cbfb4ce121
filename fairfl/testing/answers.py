"""What an answer must look like, that it can be repeated, and that nothing is written into updates or old answers."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from fairfl.rules import Direction, Rule
from fairfl.testing.case import Case
from fairfl.testing.comparison import close, different_bits
from fairfl.testing.property import MakeRule, Property
from fairfl.testing.rounds import draws, round_of, streams
from fairfl.updates import Updates


def unusable(direction: Direction, updates: Updates) -> str:
    """What makes ``direction`` unusable for a server, as words: its type, its shape, or numbers that are not finite."""
    vector, expected = direction.vector, updates.gradients
    if tuple(vector.shape) != (expected.shape[1],):
        return f"the direction has the shape {tuple(vector.shape)} instead of {(expected.shape[1],)}"
    if vector.dtype != expected.dtype or vector.device != expected.device:
        return f"the direction is {vector.dtype} on {vector.device}, the updates {expected.dtype} on {expected.device}"
    for what in ("vector", "weights", "rates"):
        values = getattr(direction, what)
        if values is not None and not bool(torch.isfinite(values).all()):
            return f"its {what} are {values.tolist()}" if values.numel() <= 8 else f"its {what} are not finite"
    return ""


def inconsistent(direction: Direction, updates: Updates) -> str:
    """Whether weights or rates contradict the vector, as words. Rules with remembered rows may have more weights."""
    rows, vector = updates.gradients.double(), direction.vector.double()
    tolerance = 1e-8 if updates.gradients.dtype == torch.float64 else 1e-4
    for what, values in (("weights", direction.weights), ("rates", direction.rates)):
        if values is None or len(values) != len(updates):
            continue
        if what == "weights" and not close(rows.T @ values.double(), vector, tolerance):
            return f"its weights {values.tolist()} do not give its vector {vector.tolist()}"
        if what == "rates" and not close(rows @ vector, values.double(), tolerance):
            return f"its rates {values.tolist()} are not the products {(rows @ vector).tolist()} with its vector"
    return ""


def usable_in_every_round(make: MakeRule, case: Case, value: None = None) -> str:
    """A fault of the property "answer", and of all hard inputs."""
    rule = make()
    for updates in case.rounds:
        if fault := unusable(rule.direction(updates), updates):
            return fault
    return ""


def _answer_cases(rule: Rule) -> Iterator[Case]:
    for gradients, losses, seed, _ in draws(least=2):
        for dtype in (torch.float64, torch.float32):
            yield Case((round_of(rule, gradients, losses, seed=seed, dtype=dtype),), note="rule.direction(updates)")


def _answer_fault(make: MakeRule, case: Case, value: None) -> str:
    direction = make().direction(case.rounds[0])
    return unusable(direction, case.rounds[0]) or inconsistent(direction, case.rounds[0])


def _stream_cases(rule: Rule) -> Iterator[Case]:
    for rounds in streams(rule):
        yield Case(rounds, note="for updates in rounds:\n    rule.direction(updates)")


def _repeatable_fault(make: MakeRule, case: Case, value: None) -> str:
    one, other = make(), make()
    for updates in case.rounds:
        if fault := different_bits(
            f"round {updates.round}, asked of two fresh rules, gives",
            one.direction(updates).vector,
            other.direction(updates).vector,
        ):
            return fault
    return ""


def _inputs_fault(make: MakeRule, case: Case, value: None) -> str:
    rule = make()
    answers: list[tuple[int, torch.Tensor, torch.Tensor]] = []
    for updates in case.rounds:
        before = {"gradients": updates.gradients, "losses": updates.losses, "shares": updates.shares, **updates.extras}
        # The rule gets copies, so that the case is printed as it was.
        read = {name: values.clone() for name, values in before.items()}
        given = replace(
            updates,
            gradients=read["gradients"],
            losses=read["losses"],
            shares=read["shares"],
            extras={name: read[name] for name in updates.extras},
        )
        try:
            answer = rule.direction(given).vector
        except Exception:
            return ""  # an error is a fault of the properties that follow
        for name, values in read.items():
            if not torch.equal(before[name], values):
                return f"{name} of round {updates.round} are {values.tolist()} now, and were {before[name].tolist()}"
        for past, vector, first in answers:
            if not torch.equal(vector, first):
                return f"the direction of round {past} is {vector.tolist()} now, and was {first.tolist()}"
        answers.append((updates.round, answer, answer.clone()))
    return ""


ANSWER = Property(
    "answer",
    "a finite direction of the updates' length and type, and weights and rates that agree with it",
    "Return Direction(vector, weights, rates): a finite vector in the updates' type, vector = Gᵀ weights and rates = G "
    "vector. Leave out what the rule does not have.",
    _answer_cases,
    _answer_fault,
)
REPEATABLE = Property(
    "repeatable",
    "two fresh rules that are asked the same give the same bits",
    "Seed the rule's random numbers by a setting and updates.round, and let copies share nothing.",
    _stream_cases,
    _repeatable_fault,
)
INPUTS = Property(
    "inputs",
    "the updates are the same after the rule has read them, and so are the directions of earlier rounds",
    "Change no tensor in place that the rule was given or has returned: no +=, no methods that end in an underscore, "
    "and no assignments to slices. Compute a new tensor, or clone it first.",
    _stream_cases,
    _inputs_fault,
)
