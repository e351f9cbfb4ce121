"""Inputs on which a formula can break, each with a defined behaviour. No result may be NaN, or lack a reason."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import rules
from fairfl.errors import Refused
from fairfl.rules import min_norm
from fairfl.rules.gram import gram_matrix
from fairfl.testing.answers import unusable

from .samples import VARIANTS, length, updates

RNG = np.random.default_rng(0)
G = RNG.normal(size=(5, 40))
EQUAL = [0.5, 1, 2, 1.5, 0.7, 0.5, 1]
TWINS = np.vstack([G, G[:2]])

CASES = {
    "one client": dict(gradients=G[:1]),
    "one parameter": dict(gradients=G[:, :1]),
    "more clients than parameters": dict(gradients=RNG.normal(size=(12, 4))),
    "more clients than parameters, in a cone": dict(gradients=RNG.normal(size=(12, 4)) + [3, 0, 0, 0]),
    "twins with equal losses": dict(gradients=TWINS, losses=EQUAL, extras={"newton_rates": EQUAL}),
    "twins with other losses": dict(gradients=TWINS),
    "opposites": dict(gradients=np.vstack([G[:2], -G[:2]])),
    "a zero update": dict(gradients=G * np.array([1, 1, 0, 1, 1])[:, None]),
    "zero updates": dict(gradients=0 * G),
    "nearly parallel, 1e-9": dict(gradients=G[0] + 1e-9 * G),
    "nearly parallel, 1e-3": dict(gradients=G[0] + 1e-3 * G),
    "sizes from 1e-30 to 1e30": dict(gradients=G * np.array([1e-30, 1e30, 1, 1e-15, 1e15])[:, None]),
    "entries from 1e-30 to 1e30": dict(gradients=G * 10.0 ** RNG.uniform(-30, 30, size=G.shape)),
    "tiny": dict(gradients=1e-30 * G),
    "huge": dict(gradients=1e30 * G),
    "one client 1e8 times larger": dict(gradients=G * np.array([1, 1, 1e8, 1, 1])[:, None]),
    "a loss of zero": dict(gradients=G, losses=[0, 1, 2, 0.5, 0.7]),
    "losses of zero": dict(gradients=G, losses=[0] * 5),
    "equal losses": dict(gradients=G, losses=[0.7] * 5),
    "negative losses": dict(gradients=G, losses=[-1, -2, 0.5, -0.1, 3]),
    "huge losses": dict(gradients=G, losses=[1e30, 1, 2, 1e10, 3]),
    "tiny losses": dict(gradients=G, losses=[1e-30, 1e-25, 1e-28, 1e-30, 1e-29]),
}
# Settings whose result overflows or is not defined: refused, with a remedy.
REFUSED = {
    ("negative losses", "QFedAvg"): ("value", "client 0", "losses", -1.0),
    ("negative losses", "QFedAvg q=0.1"): ("value", "client 0", "losses", -1.0),
    ("tiny losses", "AdaFed g=10"): ("diverged", "float64"),
}
HALF_REFUSED = {
    ("tiny losses", "AdaFed"),
    ("tiny losses", "AdaFed after"),
    ("one client", "AdaFed g=10"),
    ("one parameter", "AdaFed g=10"),
    ("opposites", "AdaFed g=10"),
}
WIDE = {"sizes from 1e-30 to 1e30", "entries from 1e-30 to 1e30", "huge", "one client 1e8 times larger"}


def sane(direction, u):
    assert unusable(direction, u) == "" and direction.rates is not None
    assert direction.exact == (direction.reason == "")


def meets(case, variant, dtype):
    if dtype == torch.float16 and case in WIDE:
        with refused("diverged", "client"):
            updates(dtype=dtype, **CASES[case])
        return
    u, rule = updates(dtype=dtype, **CASES[case]), VARIANTS[variant]()
    if (case, variant) in REFUSED and not (case == "tiny losses" and dtype == torch.float64):
        with refused(*REFUSED[case, variant]):
            rule.direction(u)
        return
    for _ in range(2):
        try:
            sane(rule.direction(u), u)
        except Refused as error:
            assert dtype == torch.float16 and (case, variant) in HALF_REFUSED
            assert error.kind == "diverged" and "float64" in str(error)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_every_rule_on_every_hard_input(dtype, variant):
    for case in CASES:
        try:
            meets(case, variant, dtype)
        except Exception as error:
            error.add_note(f"on {case!r}")
            raise


RATES = ["FedMGDA", "FedMGDAPlus", "AdaFed", "DQNFed", "NashMTL", "FairGrad", "IMTLG"]
# The others keep the shares they had among all.
SHARES = ["FedAvgN", "ConFIG", "AlignedMTL", "CAGrad", "DualProj", "UPGrad"]


@pytest.mark.parametrize("name", RATES + SHARES)
def test_a_zero_update_is_set_aside_and_named(name):
    others = [0, 1, 3, 4]
    u, rest = updates(G * np.array([1, 1, 0, 1, 1])[:, None]), updates(G)
    got = rules.make(name).direction(u)
    assert not got.exact and got.reason == "client 2 sent a zero update and was set aside"
    assert abs(float(got.weights[2])) < (
        1 if name == "CAGrad" else 1e-15
    )  # the weight of a zero update does not matter
    without = updates(G[others], rest.losses[others], extras={"newton_rates": rest.extras["newton_rates"][others]})
    expected = rules.make(name).direction(without).vector * (0.8 if name in SHARES else 1)
    torch.testing.assert_close(got.vector, expected)
    if name in RATES:
        assert (got.rates[others] > 0).all()


@pytest.mark.parametrize("name", [*RATES, "ConFIG", "AlignedMTL", "DualProj", "UPGrad", "FedMDFG"])
def test_nobody_moves_where_every_update_is_zero(name):
    got = rules.make(name).direction(updates(0 * G, clients=torch.arange(5) + 20))
    assert not got.vector.any() and "clients 20, 21, 22, 23, 24 sent zero updates" in got.reason


@pytest.mark.parametrize("name", ["AdaFed", "DQNFed"])
class TestClosedForms:
    def test_twins_that_ask_for_equal_rates_keep_the_closed_form(self, name):
        u = updates(TWINS, EQUAL, extras={"newton_rates": EQUAL})
        got = rules.make(name).direction(u)
        assert got.exact
        ratio = got.rates / torch.tensor(EQUAL, dtype=torch.float64)
        torch.testing.assert_close(
            ratio, torch.full((7,), 1.0 if name == "DQNFed" else length(got.vector) ** 2, dtype=torch.float64)
        )
        single = updates(G, EQUAL[:5], extras={"newton_rates": EQUAL[:5]})
        torch.testing.assert_close(got.vector, rules.make(name).direction(single).vector)

    def test_dependent_updates_fall_back_to_the_convex_hull(self, name):
        for gradients in (TWINS, RNG.normal(size=(12, 4)) + [3, 0, 0, 0]):
            u = updates(gradients)
            s = u.losses if name == "AdaFed" else u.extras["newton_rates"]
            got = rules.make(name).direction(u)
            assert not got.exact and "convex hull" in got.reason
            point = min_norm(gram_matrix(u.gradients) / torch.outer(s, s))
            expected = u.gradients.T @ (point.weights / s) / (point.squared_norm if name == "DQNFed" else 1)
            torch.testing.assert_close(got.vector, expected, rtol=1e-6, atol=1e-9)
            least = 1.0 if name == "DQNFed" else length(got.vector) ** 2
            assert (got.rates >= s * least * (1 - 1e-9)).all()

    def test_stationary_dependent_updates_give_zero_and_say_so(self, name):
        got = rules.make(name).direction(updates(np.vstack([G, -G.mean(0)])))
        assert length(got.vector) <= 1e-8 and "Pareto-stationary" in got.reason

    def test_a_prescribed_rate_of_zero_is_kept(self, name):
        values = [0, 1, 2, 0.5, 0.7]
        got = rules.make(name).direction(updates(G, values, extras={"newton_rates": values}))
        assert got.exact and abs(got.rates[0]) < 1e-12 and (got.rates[1:] > 0).all()

    def test_nothing_prescribed_is_nothing_done(self, name):
        got = rules.make(name).direction(updates(G, [0] * 5, extras={"newton_rates": [0] * 5}))
        assert not got.vector.any() and not got.exact and "zero" in got.reason


def test_fedmgda_s_box_is_renormalised_over_the_others():
    u = updates(G * np.array([1, 1, 0, 1, 1])[:, None])
    got = rules.FedMGDA(epsilon=0.0, lambda0=[1, 1, 4, 1, 1]).direction(u)
    torch.testing.assert_close(got.weights, torch.tensor([0.25, 0.25, 0, 0.25, 0.25], dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", [*RATES[:-1], "ConFIG", "FedMDFG"])
def test_one_giant_does_not_cost_the_others_their_descent(name, dtype):
    u = updates(G * np.array([1, 1, 1e8, 1, 1])[:, None], dtype=dtype)
    got = rules.make(name).direction(u)
    felt = u.gradients.double() @ got.vector.double()
    # The rounding of the vector itself, which dominates the giant's own rate.
    rounding = 8 * torch.finfo(dtype).eps * u.gradients.double().norm(dim=1) * length(got.vector)
    assert got.exact and (got.rates > 0).all() and ((felt - got.rates).abs() <= rounding).all()
    assert (felt[[0, 1, 3, 4]] > 0).all()


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.startswith(("FedFV", "FedLF", "FedMDFG", "QFedAvg q=0"))])
@pytest.mark.parametrize("dtype, size", [(torch.float32, 1e-44), (torch.float16, 1e-6)], ids=str)
def test_a_direction_too_short_for_its_type_is_not_called_exact(dtype, size, variant):
    u = updates(size * G, dtype=dtype)
    got = VARIANTS[variant]().direction(u)
    felt = u.gradients.double() @ got.vector.double()
    assert float((felt - got.rates).abs().max() / felt.abs().max()) > 1e-3
    assert not got.exact and f"below what {dtype} holds" in got.reason


def test_fedmdfg_s_length_is_that_of_the_mean_of_those_who_moved():
    others = [0, 1, 3, 4]
    u = updates(G * np.array([1, 1, 0, 1, 1])[:, None], [2, 1, 5, 0.5, 0.7])
    got, without = rules.FedMDFG().direction(u), rules.FedMDFG().direction(updates(G[others], u.losses[others]))
    torch.testing.assert_close(got.vector, without.vector)
    assert got.reason == "client 2 sent a zero update and was set aside" and float(got.weights[2]) == 0


@pytest.mark.parametrize("size", [2.0**-1030, 2.0**-500, 2.0**1020])
def test_fedheal_is_the_same_at_any_scale(size):
    got, expected = (rules.FedHEAL().combine(updates(s * G)).vector for s in (size, 1.0))
    torch.testing.assert_close(got / size, expected, rtol=1e-9, atol=1e-9)


def test_fedfv_s_opposites_cancel_to_zero():
    got = rules.FedFV(alpha=0).direction(updates(np.vstack([G[0], -G[0]])))
    assert not got.vector.any() and "cancel" in got.reason


def test_adafed_s_powers():
    u = updates(G, [1e30, 1, 2, 1e10, 3])
    got = rules.AdaFed(gamma=10).direction(u)
    assert got.exact and got.rates[0] > 0
    signed = rules.AdaFed().direction(updates(G, [-1, -2, 0.5, -0.1, 3])).vector
    torch.testing.assert_close(signed, rules.AdaFed().direction(updates(G, [1, 2, 0.5, 0.1, 3])).vector)
    short = rules.AdaFed(gamma=10).direction(updates(G, [1e30, 1, 2, 1e10, 3], dtype=torch.float32))
    assert not short.exact and "below what torch.float32 holds" in short.reason
    with refused("value", "gamma = 10"):
        rules.AdaFed(gamma=10).direction(updates(G, [1e40, 1, 2, 1, 3]))


def test_fedlf_without_a_fairness_row_or_a_fragment():
    equal = rules.FedLF().direction(updates(G, [0.7] * 5))
    assert length(equal.vector) > 0
    patched = G.copy()
    patched[1, :20] = 0
    patched[:, 20:] = 0
    got = rules.FedLF().direction(updates(patched, [0.7] * 5))
    assert length(got.vector[:20]) > 0 and not got.vector[20:].any()
