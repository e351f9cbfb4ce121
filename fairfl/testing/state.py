"""A rule's state: saved, loaded and copied in the middle of a run, and not changed by a question."""

import copy
import io
from collections.abc import Iterator

import torch

from fairfl.rules import Rule
from fairfl.testing.case import Case
from fairfl.testing.comparison import different_bits
from fairfl.testing.property import MakeRule, Property
from fairfl.testing.rounds import streams
from fairfl.training.rule_memory import readable_back
from fairfl.updates import Updates


def a_round(rule: Rule, updates: Updates, w: torch.Tensor) -> list[torch.Tensor]:
    """The calls of a server in a round that leads to ``w`` (d,): the direction, and the model that the rule reports."""
    direction = rule.direction(updates).vector
    rule.observe(w)
    return [direction, rule.report(w)]


def saved(rule: Rule) -> dict:
    """The state as a checkpoint restores it: through a file, plain values only.

    Raises ``Refused``, which names the value, if it could not be read back.
    """
    for name, value in rule.state_dict().items():
        readable_back(rule.name, name, value)
    torch.save(rule.state_dict(), file := io.BytesIO())
    file.seek(0)
    return torch.load(file, weights_only=True)


def _model(updates: Updates) -> torch.Tensor:
    return torch.full_like(updates.gradients[0], updates.round)


def _middle(case: Case) -> int:
    return (len(case.rounds) + 1) // 2


def _after(rule: Rule, rounds: tuple[Updates, ...]) -> Rule:
    for updates in rounds:
        a_round(rule, updates, _model(updates))
    return rule


def _differ(expected: Rule, got: Rule, rounds: tuple[Updates, ...], how: str) -> str:
    """The first round in which two rules go on differently, as words."""
    for updates in rounds:
        pairs = zip(
            ("direction", "reported model"),
            a_round(expected, updates, _model(updates)),
            a_round(got, updates, _model(updates)),
        )
        for what, a, b in pairs:
            if fault := different_bits(f"round {updates.round}'s {what}, without and with {how}, is", a, b):
                return fault
    return ""


def _cases(note: str, rule: Rule) -> Iterator[Case]:
    for rounds in streams(rule):
        case = Case(rounds)
        yield Case(rounds, note=note.format(middle=_middle(case)))


def _state_fault(make: MakeRule, case: Case, value: None) -> str:
    before, after = case.rounds[: _middle(case)], case.rounds[_middle(case) :]
    rule, loaded = _after(make(), before), make()
    state = rule.state_dict()
    kept = copy.deepcopy(state)
    loaded.load_state_dict(saved(rule))
    if fault := _differ(rule, loaded, after, "loading the state"):
        return fault
    if changed := _changed(kept, state):
        return f"{changed} in a saved state_dict changed when the rule went on"
    rule.load_state_dict({})
    return _differ(make(), rule, case.rounds, "rounds before load_state_dict({})")


def _changed(before: dict, after: dict) -> str:
    """The first name whose value differs between two states; empty if none does."""
    for name in sorted({*before, *after}):
        a, b = before.get(name), after.get(name)
        if not (torch.equal(a, b) if torch.is_tensor(a) and torch.is_tensor(b) else _same(a, b)):
            return repr(name)
    return ""


def _same(a: object, b: object) -> bool:
    """Whether two values would be saved as the same bytes, which also compares lists and dicts of tensors."""
    return _bytes(a) == _bytes(b)


def _bytes(value: object) -> bytes:
    torch.save(value, file := io.BytesIO())
    return file.getvalue()


def _copy_fault(make: MakeRule, case: Case, value: None) -> str:
    before, after = case.rounds[: _middle(case)], case.rounds[_middle(case) :]
    rule = _after(make(), before)
    copied, alone = copy.deepcopy(rule), _after(make(), before)
    if fault := _differ(alone, rule, after, "a copy made"):
        return fault
    return _differ(_after(make(), before), copied, after, "the original going on first")


def _report_fault(make: MakeRule, case: Case, value: None) -> str:
    rule = make()
    for updates in case.rounds:
        w = _model(updates)
        reported = a_round(rule, updates, w)[1].clone()
        before = copy.deepcopy(rule.state_dict())
        for _ in range(3):
            if fault := different_bits("asked again, the reported models are", reported, rule.report(w)):
                return fault
            rule.report(-w)
        if changed := _changed(before, rule.state_dict()):
            return f"a call of report changed {changed} in the state"
    return ""


STATE = Property(
    "state",
    "a fresh rule that loads the state_dict of another goes on with the same bits, and from an empty one starts afresh",
    'Name everything that lasts from round to round: remembers = ("counts",), kept in self._counts. It must be tensors '
    "and plain numbers, replaced and never changed in place.",
    lambda rule: _cases(
        "# After round {middle} of the list, load rule.state_dict() into a fresh rule; go on with both.", rule
    ),
    _state_fault,
)
COPY = Property(
    "copy",
    "a deepcopy goes on as the rule would have, and neither sees what the other does",
    "Keep no state in the class, in a module or in a closure.",
    lambda rule: _cases("# After round {middle} of the list, copy.deepcopy(rule); go on with both.", rule),
    _copy_fault,
)
REPORT = Property(
    "report",
    "report(w) changes nothing, however often it is asked",
    "Take note of the model in observe(w).",
    lambda rule: _cases("# In every round call direction, observe(w), and report(w) four times.", rule),
    _report_fault,
)
