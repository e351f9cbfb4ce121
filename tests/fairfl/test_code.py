"""A checkpoint knows the reader's own code: what was edited does not continue, and what only moved does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from fairfl import LocalSGD, partition, rules, train
from fairfl.errors import Refused
from fairfl.training import checkpoint, code_fingerprint
from fairfl.training.description import identify

# A notebook's cell: a rule with what it reads, and one of everything else that a reader may write.
CELL = '''
import functools
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F

from fairfl import LocalSGD, rules
from fairfl.clients import Correction

FACTOR = 0.5
TABLE = {"first": [1.0, 2.0]}


def doubled(x):
    return 2 * x


class Base(rules.WeightRule):
    power = 1

    @staticmethod
    def raised(x, power):
        return x**power


class Mine(Base):
    """Weights of its own."""

    def weights(self, updates, least=1e-3):
        class Local:
            first = "a string"

        numbers = [float(k) for k in updates.clients if k not in {"a", "b", "c"}]
        try:
            told = torch.tensor(numbers, dtype=torch.float64).clamp(min=least)
        except KeyError:
            told = None
        return FACTOR * doubled(self.raised(told, self.power)) / TABLE["first"][0]


@dataclass(frozen=True)
class Louder:
    by: float = 2.0

    def __call__(self, updates):
        return replace(updates, gradients=self.by * updates.gradients)


def quieter(updates, *, by=0.5):
    return replace(updates, gradients=by * updates.gradients)


def loss(outputs, targets):
    return F.cross_entropy(outputs, targets, reduction="none") + 0.25


class Shifted(Correction):
    def shift(self, w, start, kept, common):
        return 0.125 * (w - start)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(5, 3)
        self.bend = lambda x: x + 0.0625

    def forward(self, x):
        return 1.5 * self.bend(self.linear(x))


class Steps(LocalSGD):
    def lr_at(self, round):
        return self.lr / (1 + round)
'''


def cell(text=CELL, file="<cell>", above=0):
    names = {"__name__": "__main__"}
    exec(compile("\n" * above + text, file, "exec"), names)  # as a kernel does
    return names


GIVEN = {
    "rule": lambda names: dict(rule=names["Mine"]()),
    "tamper": lambda names: dict(tamper=names["Louder"]()),
    "function": lambda names: dict(tamper=names["quieter"]),
    "loss": lambda names: dict(loss=names["loss"]),
    "correction": lambda names: dict(local=LocalSGD(correct=names["Shifted"]())),
    "local": lambda names: dict(local=names["Steps"](lr=0.1)),
    "model": lambda names: dict(model=names["Net"]()),
}

EDITED = [
    ("rule", "FACTOR = 0.5", "FACTOR = 0.75", r"rule.code of Mine"),
    ("rule", "return 2 * x", "return 3 * x", r"rule.code of Mine"),
    ("rule", "power = 1\n", "power = 2\n", r"rule.code of Base.power: 2 here, 1 in the checkpoint"),
    ("rule", "x**power", "x**power + 1", r"rule.code of Base.raised"),
    ("rule", "least=1e-3", "least=1e-2", r"rule.code of Mine.weights"),
    ("rule", "[1.0, 2.0]", "[2.0, 2.0]", r"rule.code of Mine.weights"),
    ("rule", '"c"}', '"d"}', r"rule.code of Mine.weights"),
    ("rule", "KeyError", "TypeError", r"rule.code of Mine.weights"),
    ("tamper", "self.by * updates", "-self.by * updates", r"tamper.code of Louder.__call__"),
    ("function", "gradients=by", "gradients=-by", r"tamper.code.steps"),
    ("function", "by=0.5", "by=0.75", r"tamper.code.defaults.by: 0.75 here, 0.5 in the checkpoint"),
    ("loss", "0.25", "0.75", r"loss.code.steps"),
    ("correction", "0.125", "0.75", r"local.correct.code of Shifted.shift"),
    ("local", "1 + round", "2 + round", r"local.code of Steps.lr_at"),
    ("model", "1.5 *", "2.5 *", r"inside the model.code of Net.forward"),
    ("model", "0.0625", "0.125", r"inside the model.bend"),
]


@pytest.mark.parametrize("what, old, new, words", EDITED)
def test_edited_code_does_not_continue_a_checkpoint(small, tmp_path, what, old, new, words):
    assert CELL.count(old) == 1, old
    federation = partition.iid(small, 3, test=0.2)

    def run(text, **place):
        torch.manual_seed(0)
        return train(federation, rounds=1, checkpoint=tmp_path / "c.pt", **GIVEN[what](cell(text, **place)))

    first = run(CELL)
    again = run(
        CELL.replace("of its own", "in other words").replace("\n\n\n", "\n\n# a remark\n"), file="/else", above=9
    )
    assert (first.parameters == again.parameters).all()
    with pytest.raises(Refused, match=words):
        run(CELL.replace(old, new))


TOLD = """
import sys
sys.path[:0] = {paths!r}
from test_code import CELL, GIVEN, cell
from fairfl.training.description import identify
names = cell(file="{file}", above={above})
print([identify("a", {{k: v for k, v in make(names).items() if k != "model"}}) for make in GIVEN.values()])
"""


def test_another_process_and_another_place_tell_the_same():
    here, told = str(Path(__file__).parent), set()
    for seed, (file, above) in enumerate([("one.py", 0), ("/tmp/two.py", 41)]):
        done = subprocess.run(
            [sys.executable, "-c", TOLD.format(paths=[here], file=file, above=above)],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        )
        told.add(done.stdout)
    assert len(told) == 1 and "code:" in next(iter(told))


@pytest.mark.parametrize("name", rules.names())
def test_the_packages_own_rules_are_told_by_name(name):
    assert "code" not in repr(identify("rule", rules.make(name)))


def test_another_version_of_python_is_refused_by_name(small, tmp_path, monkeypatch):
    federation = partition.iid(small, 3, test=0.2)
    given = dict(rounds=1, checkpoint=tmp_path / "c.pt")
    train(federation, cell()["Mine"](), **given)
    monkeypatch.setattr(code_fingerprint, "PYTHON", "Python 3.99")
    with pytest.raises(Refused, match="Python 3.99 code:"):
        train(federation, cell()["Mine"](), **given)


def test_what_code_reads_is_never_a_reason_to_refuse():
    names = cell(
        CELL.replace(
            "FACTOR = 0.5",
            "import threading, logging\nFACTOR = [threading.Lock(), logging.getLogger(), lambda: 1, object()]",
        )
    )
    assert identify("rule", names["Mine"]()) == identify("rule", names["Mine"]())


def test_functions_that_call_each_other_are_told():
    names = cell("def one(n):\n    return other(n - 1)\n\ndef other(n):\n    return one(n) if n else 0\n")
    changed = cell("def one(n):\n    return other(n - 1)\n\ndef other(n):\n    return one(n) if n else 1\n")
    assert identify("a", names["one"]) != identify("a", changed["one"])
    assert checkpoint.differences(identify("a", names["one"]), identify("a", changed["one"]))[0].startswith(
        "code.reads"
    )
