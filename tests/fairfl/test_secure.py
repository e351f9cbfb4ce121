"""Fair directions from secure sums: the masks cancel and hide the rows, and the directions are those that NumPy finds from
all rows.
"""

from unittest.mock import ANY

import numpy as np
import pytest
from refusals import refused

from fairfl import Updates, rules
from fairfl.deployment.secure_sums import SecureSum, ask_next, by_sums, known, prescribed_by_sums, shadows
from fairfl.rules.solvers.min_norm import min_norm


def crowd(seed, K=8, size=40, pull=0.5):
    """Unit rows (K, size), all but one of which lean in a common direction."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=size)
    rows = pull * common + rng.normal(size=(K, size))
    rows[0] -= 2 * pull * common
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def guaranteed(rows, vector):
    return (rows @ vector).min() / np.linalg.norm(vector)


@pytest.mark.parametrize("seed", range(3))
def test_a_sum_is_the_weighted_sum_and_the_rates_are_its_products(seed):
    rows, weights = crowd(seed), np.random.default_rng(seed).normal(size=8)
    secure = SecureSum(rows, seed=seed)
    d, rates = secure(weights)
    assert np.abs(d - weights @ rows).max() < 8 * 2.0**-41
    assert np.allclose(rates, rows @ rows.T @ weights, atol=1e-10)
    assert np.array_equal(secure.asked, weights[None])


def test_what_a_client_sends_is_spread_over_all_integers_and_tells_nothing_of_its_row():
    rows = np.zeros((4, 20000))
    rows[0] = 1.0
    sent = SecureSum(rows).sent(np.full(4, 0.25))
    for one in sent:
        share = one.astype(np.float64) / 2.0**64
        assert abs(share.mean() - 0.5) < 0.01 and abs(share.std() - 12**-0.5) < 0.01
    assert len(np.unique(sent)) == sent.size


def test_masks_change_from_sum_to_sum():
    secure, weights = SecureSum(crowd(0)), np.full(8, 1 / 8)
    before = secure.sent(weights)
    secure(weights)
    assert not np.any(before == secure.sent(weights))


def test_messages_are_checked_and_counted_like_a_sum():
    secure = SecureSum(np.eye(5), protect=True)
    with refused("value", "at least 3"):
        secure.sent(np.eye(5)[0])
    secure.sent(np.full(5, 0.2))
    assert np.allclose(secure.known, 0.2)
    with refused("value", "reveal"):
        secure([0.3, 0.2, 0.2, 0.2, 0.2])
    assert len(secure.asked) == 1


def test_few_clients_a_large_row_and_a_revealing_question_are_refused():
    rows = crowd(1)
    with refused("value", "2", "at least 3"):
        SecureSum(rows)(np.eye(8)[0] + np.eye(8)[1])
    with refused("value", "2^22"):
        SecureSum(1e7 * rows)(np.ones(8))
    with refused("shape", "weights", "(7,)", "8"):
        SecureSum(rows)(np.ones(7))
    with refused("value", "rows", "(3, 2)"):
        SecureSum(np.full((3, 2), np.nan))
    secure = SecureSum(rows, protect=True)
    secure(np.full(8, 1 / 8))
    with refused("value", "weights", "[5]"):
        secure(0.7 * np.full(8, 1 / 8) + 0.3 * np.eye(8)[5])
    assert len(secure.asked) == 1, "a refused sum is not heard"


@pytest.mark.parametrize(
    "settings, kind, mentions",
    [
        (dict(point=-5), "value", ["point is -5", "0 to 62"]),
        (dict(point="x"), ANY, ["point is 'x'"]),
        (dict(point=63), "value", ["point is 63"]),
        (dict(least=0), "value", ["least is 0", "1 or more"]),
        (dict(least=-1), "value", ["least is -1"]),
        (dict(least=float("nan")), ANY, ["least is nan"]),
        (dict(least="x"), ANY, ["least is 'x'"]),
        (dict(protect="no"), ANY, ["protect is 'no'", "True or False"]),
        (dict(seed=-1), "value", ["seed is -1", "0 or more"]),
        (dict(seed="x"), ANY, ["seed is 'x'"]),
        (dict(seed=None), ANY, ["seed is None"]),
        (dict(rows=[["a", "b"]]), ANY, ["rows is"]),
        (dict(rows=np.ones((3, 2)) + 1j), ANY, ["rows is 'complex128'"]),
        (dict(rows=[[1.0], [1.0, 2.0]]), ANY, ["rows is 'list'"]),
    ],
)
def test_settings_that_would_switch_the_protection_off_are_refused(settings, kind, mentions):
    with refused(kind, *mentions):
        SecureSum(**{"rows": crowd(0)} | settings)


@pytest.mark.parametrize(
    "ask, kind, mentions",
    [
        (lambda secure: by_sums(secure, np.ones(8), 0), "value", ["sums is 0", "1 or more"]),
        (lambda secure: by_sums(secure, np.ones(8), 2, start=np.ones(7)), "shape", ["start is", "(7,)", "8"]),
        (lambda secure: by_sums(secure, np.ones(8), 2, start=np.full(8, np.nan)), "value", ["start is", "nan", "8"]),
        (lambda secure: by_sums(secure, -np.ones(8), 2), "value", ["squares is", "-1.0"]),
        (lambda secure: by_sums(secure, [], 2), "shape", ["squares is", "(0,)"]),
        (lambda secure: by_sums(secure, np.ones(7), 2), "shape", ["weights is", "(7,)", "8"]),
        (lambda secure: prescribed_by_sums(secure, np.full(8, np.nan), 2), "value", ["wanted is"]),
        (lambda secure: prescribed_by_sums(secure, np.ones(8), 2.5), ANY, ["sums is 2.5"]),
        (lambda secure: prescribed_by_sums(secure, np.ones(8), 2, tolerance=np.nan), "value", ["tolerance is nan"]),
        (lambda secure: secure.sent(np.ones(7)), "shape", ["weights is", "(7,)"]),
        (lambda secure: secure("8"), ANY, ["weights is"]),
    ],
)
def test_questions_of_the_wrong_kind_are_refused(ask, kind, mentions):
    secure = SecureSum(crowd(0))
    with refused(kind, *mentions):
        ask(secure)
    assert len(secure.asked) == 0


def test_known_shares_sum_to_the_rank_and_are_one_where_a_row_follows():
    asked = np.array([[0.25] * 4, [0.2, 0.2, 0.2, 0.4], [0.3, 0.3, 0.2, 0.2]])
    assert np.allclose(known(asked[:1]), 0.25)
    assert np.allclose(known(asked[:2]), [1 / 3, 1 / 3, 1 / 3, 1])
    assert np.allclose(known(asked), [0.5, 0.5, 1, 1])
    assert np.allclose(known(asked[[0, 1, 1, 0]]), known(asked[:2]))
    assert not known(np.zeros((0, 3))).any()


@pytest.mark.parametrize("seed", range(4))
def test_shadows_are_projections(seed):
    rows = crowd(seed)
    heard = np.random.default_rng(seed).normal(size=(3, 40))
    heard = np.vstack([heard, heard[0] - heard[1]])  # the fourth says nothing new
    B, basis = shadows(heard, heard @ rows.T)
    Q = np.linalg.qr(heard[:3].T)[0]
    assert B.shape == (8, 3)
    assert np.allclose(B @ B.T, rows @ Q @ Q.T @ rows.T)
    assert np.allclose(heard.T @ basis @ B.T, Q @ Q.T @ rows.T)


@pytest.mark.parametrize("sums", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("seed", range(6))
def test_nobody_is_hurt_at_any_number_of_sums_and_the_certificate_is_true(seed, sums):
    rows = crowd(seed)
    best = min_norm(rows @ rows.T).squared_norm ** 0.5
    found = by_sums(SecureSum(rows), np.ones(8), sums)
    squared = found.vector @ found.vector
    assert found.sums <= sums
    assert np.allclose(found.rates, rows @ found.vector, atol=1e-8)
    assert found.rates.min() >= squared - 1e-8
    assert found.bound >= best - 1e-8
    if squared:
        assert guaranteed(rows, found.vector) <= best + 1e-6
        assert found.share == pytest.approx(guaranteed(rows, found.vector) / found.bound, abs=1e-6)


@pytest.mark.parametrize("K, size", [(3, 10), (8, 40), (8, 5), (12, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_k_sums_find_fedmgda_plus(K, size, seed):
    rows = crowd(seed, K, size, pull=0.8)
    direction = rules.FedMGDAPlus().direction(Updates(rows)).vector.numpy()
    found = by_sums(SecureSum(rows, least=1), np.ones(K), K)
    assert np.abs(found.vector - direction).max() < 1e-5
    again = by_sums(SecureSum(rows, least=1), np.ones(K), 3 * K)
    assert again.sums <= K + 1


def test_few_sums_find_more_than_frank_wolfe():
    """The chapter's table, in short: five sums leave less than a per cent where ten steps of Frank–Wolfe leave more."""
    rows = crowd(2, K=30, size=2000, pull=1.0)
    A = rows @ rows.T
    best = min_norm(A).squared_norm ** 0.5
    assert guaranteed(rows, by_sums(SecureSum(rows), np.ones(30), 5).vector) > 0.99 * best
    lam = np.full(30, 1 / 30)
    for _ in range(9):
        rho = A @ lam
        j, squared = rho.argmin(), lam @ rho
        t = min(1, (squared - rho[j]) / (squared - 2 * rho[j] + 1))
        lam = (1 - t) * lam + t * np.eye(30)[j]
    assert guaranteed(rows, lam @ rows) < 0.99 * best


def test_noise_costs_length_and_not_the_promise():
    class Noisy(SecureSum):
        noise = np.random.default_rng(0)

        def __call__(self, weights):
            d = super().__call__(weights)[0] + 0.02 * self.noise.normal(size=self._rows.shape[1])
            return d, self._rows @ d

    rows = crowd(3)
    for _ in range(20):
        found = by_sums(Noisy(rows), np.ones(8), 3)
        assert (rows @ found.vector).min() >= found.vector @ found.vector - 1e-9


def test_a_refused_start_falls_back_and_a_refused_question_ends_it():
    rows = crowd(4)
    found = by_sums(SecureSum(rows), np.ones(8), 2, start=np.eye(8)[3])
    assert np.allclose(found.vector, by_sums(SecureSum(rows), np.ones(8), 2).vector)
    guarded = SecureSum(rows, protect=True)
    ended = by_sums(guarded, np.ones(8), 20)
    assert ended.sums < 8 and guarded.known.max() < 1 and (rows @ ended.vector).min() > 0
    with refused("value", "8", "at least 9"):
        by_sums(SecureSum(rows, least=9), np.ones(8), 3)


def test_where_no_direction_helps_everybody_the_vector_is_zero():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    found = by_sums(SecureSum(rows, least=1), np.ones(4), 4)
    assert not found.vector.any() and found.share == 0


def test_the_next_question_is_min_norm_of_what_is_known_once_nothing_is_unseen():
    rows = crowd(5, K=4)
    asked = np.eye(4)[:3] + 0.1
    B, _ = shadows(rows, rows @ rows.T)
    assert np.allclose(ask_next(asked, B, np.ones(4)), min_norm(rows @ rows.T).weights, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_conjugate_gradients_find_adafeds_direction(seed):
    rows, losses = crowd(seed), np.random.default_rng(seed).uniform(0.5, 2, size=8)
    vector, rates, taken = prescribed_by_sums(SecureSum(rows), losses, 20)
    right = rules.AdaFed(gamma=1.0).direction(Updates(rows, losses=losses)).vector.numpy()
    assert taken <= 9 and np.allclose(rates, losses, rtol=1e-8)
    assert np.allclose(vector / np.linalg.norm(vector), right / np.linalg.norm(right), atol=1e-6)
    early, felt, taken = prescribed_by_sums(SecureSum(rows), losses, 2)
    assert taken == 2 and np.allclose(rows @ early, felt, atol=1e-8)
    with refused("value", "wanted", "[0.0, 0.0"):
        prescribed_by_sums(SecureSum(rows), np.zeros(8), 2)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3])
def test_prescribed_rates_are_found_whatever_the_rows_unit(scale):
    rows, wanted = scale * np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [-1.0, -1.0, 1.0]]), np.array([1.0, 2.0, 3.0])
    vector, _, _ = prescribed_by_sums(SecureSum(rows), wanted, 4)
    assert np.allclose(rows @ vector, wanted, rtol=1e-3, atol=0)


def test_rates_that_no_step_has_are_refused():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    with refused("combination", "wanted", "[1.0, -2.0, 1.0]"):
        prescribed_by_sums(SecureSum(rows), [1.0, -2.0, 1.0], 3)


def test_the_answers_tell_what_the_sums_leave_open():
    """Identical rows: a known share of a third, and a shadow that is the whole row (chapter 15)."""
    rows = np.tile([[0.6, 0.8, 0.0]], (3, 1))
    secure = SecureSum(rows)
    d, rates = secure(np.full(3, 1 / 3))
    B, _ = shadows(d, rates)
    assert np.allclose(secure.known, 1 / 3) and np.allclose((B**2).sum(1), 1)
