"""A rule that a reader defines in a notebook runs wherever the package's own rules run: in ``train``, its checkpoints, and the lab."""

import numpy as np
import pytest
import torch
from fairfl_book.labs import AllRules

from fairfl import LocalSGD, data, partition, train
from fairfl.updates import Updates

# What the cells of a notebook hold: one rule without and one with a memory, in a module called __main__.
CELLS = '''
import torch
from fairfl import rules

class AtLeast(rules.GramRule):
    """Rates of at least s_k ‖dir‖² for s_k = f_k^γ, and no negative weight."""

    needs = frozenset({"losses"})

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def weights(self, gram, updates):
        here = (gram.diagonal() > 0) & (updates.losses > 0)
        s = updates.losses[here]**self.gamma
        lam = torch.zeros(len(updates), dtype=torch.float64)
        if here.any():
            lam[here] = rules.min_norm(gram[here][:, here] / torch.outer(s, s)).weights / s
        return lam

class Patient(rules.GramRule):
    """Weights that follow the mean loss of the rounds so far."""

    needs = frozenset({"losses"})
    remembers = ("total",)

    def weights(self, gram, updates):
        if self._total is None:
            self._total = torch.zeros(updates.population, dtype=torch.float64)
        self._total[updates.clients] += updates.losses
        return self._total[updates.clients] / self._total[updates.clients].sum()
'''


@pytest.fixture(scope="module")
def cells():
    namespace = {"__name__": "__main__"}
    exec(CELLS, namespace)
    return namespace


@pytest.fixture(scope="module")
def federation():
    return partition.dirichlet(data.load("digits"), 6, 0.5, test=0.3)


@pytest.mark.parametrize("name", ["AtLeast", "Patient"])
def test_learns_and_both_engines_agree(cells, federation, name):
    one, other = (
        train(federation, cells[name](), "logistic", rounds=6, local=LocalSGD(lr=0.2, epochs=2), engine=engine)
        for engine in ("sequential", "batched")
    )
    assert one.loss[-1].mean() < 0.97 * one.loss[0].mean()
    assert np.allclose(one.loss, other.loss, rtol=1e-4) and np.allclose(one.parameters, other.parameters, atol=1e-4)


@pytest.mark.parametrize("engine", ["sequential", "batched"])
@pytest.mark.parametrize("name", ["AtLeast", "Patient"])
def test_resumed_in_the_middle_it_ends_with_the_same_bits(cells, federation, resumed_and_whole, name, engine):
    resumed, whole = resumed_and_whole(
        lambda **more: train(federation, cells[name](), **more),
        model="logistic",
        rounds=6,
        participation=0.5,
        local=LocalSGD(lr=0.2, batch_size=20),
        seed=1,
        engine=engine,
    )
    assert (resumed.parameters == whole.parameters).all() and (resumed.loss == whole.loss).all()


def test_another_setting_does_not_continue_a_checkpoint(cells, federation, tmp_path):
    train(federation, cells["AtLeast"](gamma=1.0), rounds=1, checkpoint=tmp_path / "c")
    with pytest.raises(ValueError, match="gamma"):
        train(federation, cells["AtLeast"](gamma=2.0), rounds=1, checkpoint=tmp_path / "c")


def test_beside_the_packages_rules_in_one_batch(cells, federation):
    alone = train(federation, cells["AtLeast"](), rounds=3, engine="batched")
    beside = train(
        federation, [cells["AtLeast"](), "AdaFed", cells["Patient"]()], rounds=3, seed=[0, 0, 0], engine="batched"
    )
    assert np.allclose(beside[0].parameters, alone.parameters, atol=1e-6)


@pytest.mark.parametrize("extra", ["AtLeast", "Patient", "both"])
def test_in_the_lab(cells, extra):
    names = ["AtLeast", "Patient"] if extra == "both" else [extra]
    mine = [cells[name]() for name in names]
    lab = AllRules(extra=mine if extra == "both" else mine[0])
    for state in ({}, *({name: end} for name, control in lab.controls.items() for end in control.ends)):
        words = "\n".join(lab.words(lab.numbers(**state)))
        assert "nan" not in words
        assert state.get("show") == "ellipse" or all(name in words for name in names)  # which names only who pays
    found = lab.kernel_numbers(lab.start)
    assert found["names"] == names and np.allclose(np.linalg.norm(found["steps"], axis=1), 1)
    assert all(rule.state_dict() == {} for rule in mine), "the lab asks copies; the reader's rule must stay as it was"


def test_its_promise_holds(cells):
    chance = torch.Generator().manual_seed(0)
    for _ in range(20):
        rows = torch.randn(5, 3, generator=chance, dtype=torch.float64)
        losses = torch.rand(5, generator=chance, dtype=torch.float64) + 0.1
        rows[0] = 0  # a zero update is set aside, and the others are served
        answer = cells["AtLeast"]().direction(Updates(rows, losses=losses))
        squared = float(answer.vector @ answer.vector)
        assert (answer.weights >= 0).all() and (answer.rates[1:] >= losses[1:] * squared - 1e-9).all()
