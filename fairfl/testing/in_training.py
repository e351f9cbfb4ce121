"""A rule in ``train``: both engines give the same run, and a run that is interrupted and resumed the same bits."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fairfl import partition
from fairfl.clients import LocalSGD
from fairfl.data import Dataset
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.testing.case import Case
from fairfl.testing.property import MakeRule, Property
from fairfl.training import History, train
from fairfl.updates import Updates

ROUNDS = 4
ENGINES = ("sequential", "batched")


def small_federation(clients: int) -> Federation:
    """``clients`` clients with 12, 8, 8, … training rows of three features in two classes, drawn with a fixed seed."""
    sizes = [12, *[8] * (clients - 1)]
    ends = np.cumsum(sizes)
    targets = torch.arange(int(ends[-1])) % 2
    inputs = torch.randn(len(targets), 3, generator=torch.Generator().manual_seed(0)) + targets[:, None]
    lists = [range(int(end) - size, int(end)) for end, size in zip(ends, sizes)]
    return partition.split(Dataset(inputs, targets, name="small"), lists, test=0.25)


def _cases(rule: Rule, note: str) -> Iterator[Case]:
    for clients, participation in ((2, 1.0), (5, 1.0 if rule.needs_everyone else 0.6)):
        how = f"rounds={ROUNDS}, participation={participation}, local=LocalSGD(lr=0.1, epochs=2, batch_size=4)"
        shown = (
            "from fairfl.testing.in_training import small_federation\n"
            f"federation = small_federation({clients})\n"
            f"# train(federation, rule, {how}):\n# {note}"
        )
        yield Case(note=shown, values={"clients": clients, "participation": participation})


def _trained(make: MakeRule, case: Case, **more: Any) -> tuple[np.ndarray, np.ndarray]:
    """The losses (rounds + 1, K) and the final parameters (d,) of a run."""
    history = train(
        small_federation(case.values["clients"]),
        make(),
        rounds=ROUNDS,
        participation=case.values["participation"],
        local=LocalSGD(lr=0.1, epochs=2, batch_size=4),
        progress=False,
        **more,
    )
    assert isinstance(history, History) and history.parameters is not None
    return history.loss, history.parameters


def _engines_fault(make: MakeRule, case: Case, value: None) -> str:
    (losses, parameters), (others, theirs) = (_trained(make, case, engine=engine) for engine in ENGINES)
    if np.allclose(losses, others, rtol=1e-4) and np.allclose(parameters, theirs, atol=1e-4):
        return ""
    return f"the final losses are {losses[-1].tolist()} (sequential) and {others[-1].tolist()} (batched)"


class _Interrupted(Exception):
    pass


class _Interrupt:
    """A tamper that changes nothing. If it is armed, it raises an error in the middle of the run.

    A checkpoint does not compare private attributes, so a run with an unarmed one continues that of an armed one.
    """

    def __init__(self, armed: bool):
        self._armed = armed

    def __call__(self, updates: Updates) -> Updates:
        if self._armed and updates.round == ROUNDS // 2:
            raise _Interrupted
        return updates


def _resumed_fault(make: MakeRule, case: Case, value: None) -> str:
    for engine in ENGINES:
        losses, parameters = _trained(make, case, engine=engine)
        with tempfile.TemporaryDirectory() as folder:
            kept: dict[str, Any] = dict(engine=engine, checkpoint=Path(folder) / "run.pt", checkpoint_every=1)
            with contextlib.suppress(_Interrupted):
                _trained(make, case, tamper=_Interrupt(True), **kept)
            resumed, theirs = _trained(make, case, tamper=_Interrupt(False), **kept)
        if not (np.array_equal(losses, resumed) and np.array_equal(parameters, theirs)):
            return (
                f"with engine={engine!r} the final losses are {losses[-1].tolist()}, and {resumed[-1].tolist()} after "
                "an interruption"
            )
    return ""


ENGINES_AGREE = Property(
    "engines",
    "it runs in train, and the sequential and the batched engine agree up to rounding",
    "List in needs what the rule reads, and decide nothing by a comparison that rounding can turn.",
    lambda rule: _cases(rule, 'once with engine="sequential" and once with engine="batched"'),
    _engines_fault,
)
CHECKPOINT = Property(
    "checkpoint",
    "a run of train that is interrupted and resumed from its checkpoint ends with the same bits",
    "Name the rule's state in remembers, and keep settings that can be compared (no lambdas) in public attributes.",
    lambda rule: _cases(rule, f"with checkpoint=, interrupted in round {ROUNDS // 2}, and called again"),
    _resumed_fault,
)
