"""TorchJD's aggregators as rules. `make test-torchjd` installs TorchJD; elsewhere what needs it skips by name."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from oracles.problems import problem
from refusals import refused

from fairfl.rules import TorchJD, min_norm

from .samples import updates

G = torch.tensor([[-4.0, 1, 1], [6, 1, 1]])
EYE = torch.eye(3, dtype=torch.float64)


@pytest.fixture
def aggregation():
    return pytest.importorskip("torchjd.aggregation", reason="TorchJD is not installed (make test-torchjd does it)")


def test_a_callable_is_a_torchjd_rule():
    direction = TorchJD(lambda rows: rows.sum(0)).direction(updates(EYE))
    assert direction.vector.tolist() == direction.rates.tolist() == [1, 1, 1] and direction.weights is None


@pytest.mark.parametrize(
    "given, mention", [(3, "aggregator is 3"), (torch.nn.Identity, "Identity"), (None, "aggregator is None")]
)
def test_anything_but_an_aggregator_is_refused(given, mention):
    with refused("type", mention):
        TorchJD(given)
    with refused("combination", "settings", "'c': 1"):
        TorchJD(torch.mean, c=1)


def test_without_torchjd_a_name_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torchjd", None)
    with pytest.raises(ImportError, match=r'TorchJD.*needs torchjd.*pip install "fairfl\[torchjd\]"'):
        TorchJD("MGDA")


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "name, settings",
    [("UPGrad", {}), ("DualProj", {}), ("CAGrad", {"c": 0.5}), ("MGDA", {}), ("Mean", {}), ("PCGrad", {})],
)
def test_aggregators_are_rules_by_their_names(aggregation, name, settings, dtype):
    rule, u = TorchJD(name, **settings), updates(G, dtype=dtype)
    direction = rule.direction(u)
    rows = u.gradients.float() if dtype == torch.bfloat16 else u.gradients
    theirs = getattr(aggregation, name)(**settings)(rows).to(dtype)
    assert direction.vector.dtype == dtype and rule.name == f"TorchJD {name}"
    if name != "PCGrad":  # which draws an order
        torch.testing.assert_close(direction.vector, theirs)
    torch.testing.assert_close(direction.rates, u.gradients.double() @ direction.vector.double())
    if name in ("UPGrad", "DualProj", "MGDA"):
        assert (direction.rates >= -2e-2 * G.norm(dim=1)).all(), "these three sacrifice nobody"


def test_an_instance_is_a_rule_as_well(aggregation):
    torch.testing.assert_close(
        TorchJD(aggregation.MGDA()).direction(updates(G)).vector, TorchJD("MGDA").direction(updates(G)).vector
    )


def test_nash_mtl_works_or_says_in_a_line_what_to_install(aggregation):
    if not find_spec("ecos"):
        with pytest.raises(ImportError, match=r"^TorchJD\('NashMTL'\) needs more.*pip install 'torchjd\[nash-mtl\]'$"):
            TorchJD("NashMTL", n_tasks=2)
        return
    rule = TorchJD("NashMTL", n_tasks=2)
    assert (rule.direction(updates(G)).rates > 0).all()
    with refused("combination", "n_tasks=2", "3 clients", "round 0", "n_tasks=3"):
        rule.direction(updates(EYE))


def test_a_solver_that_is_missing_is_named_as_pip_finds_it(aggregation, monkeypatch):
    def missing(self):
        raise ImportError('QuadprogProjector requires quadprog. Install it: pip install "torchjd[quadprog_projector]"')

    monkeypatch.setattr(aggregation.UPGrad, "__init__", missing)
    with pytest.raises(ImportError, match=r"'UPGrad'\) needs more.*pip install 'torchjd\[quadprog-projector\]'$"):
        TorchJD("UPGrad")


@pytest.mark.parametrize(
    "name, settings, kind, mentions",
    [
        ("MGDAA", {}, "name", ["'MGDAA'", "'MGDA'?"]),
        ("MGDAWeighting", {}, "name", ["TorchJD", "'MGDAWeighting'"]),
        ("Aggregator", {}, "name", ["TorchJD", "'Aggregator'"]),
        ("CAGrad", {}, "missing", ["TorchJD('CAGrad', c=…)"]),
        ("CAGrad", {"C": 1}, "name", ["CAGrad 'C'", "c,"]),
        ("NashMTL", {}, "missing", ["n_tasks"]),
        ("MGDA", {"epsilom": 1}, "name", ["'epsilom'", "'epsilon'?"]),
    ],
)
def test_names_and_settings_that_torchjd_does_not_have(aggregation, name, settings, kind, mentions):
    with refused(kind, *mentions):
        TorchJD(name, **settings)


def test_torchjd_s_mgda_agrees_where_it_converges(aggregation):
    compared = 0
    for seed in range(15):
        rows = torch.from_numpy(problem(np.random.default_rng(seed), 2 + seed % 5, 30, common=0.3).gradients)
        A = rows @ rows.T
        theirs = aggregation.MGDA(epsilon=1e-12, max_iters=2000)(rows)
        ours = min_norm(A)
        assert ours.squared_norm <= float(theirs @ theirs) + 1e-13
        if float(theirs @ theirs - (rows @ theirs).min()) <= 1e-10 * float(A.diagonal().max()):
            torch.testing.assert_close(rows.T @ ours.weights, theirs, rtol=1e-5, atol=1e-6)
            compared += 1
    assert compared >= 3
