from fractions import Fraction
from unittest.mock import ANY

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refused

from fairfl import metrics


def test_known_values():
    a = np.array([0.2, 0.4, 0.6, 0.8])
    assert metrics.mean(a) == pytest.approx(0.5)
    assert metrics.std(a) == pytest.approx(np.sqrt(0.05))
    assert metrics.worst(a, 50) == pytest.approx(0.3) and metrics.best(a, 50) == pytest.approx(0.7)
    assert metrics.worst(a, 10) == pytest.approx(0.2)
    assert metrics.improved([1.0, 1.0, 1.0, 1.0], [0.5, 1.0, 0.9, 2.0]) == pytest.approx(0.5)


def test_ten_percent_of_thirty_is_three():
    assert metrics.worst(np.arange(30.0), 10) == pytest.approx(1.0)
    assert metrics.worst(np.arange(100.0), 7) == pytest.approx(3.0)  # 7 / 100 * 100 is 7.000000000000001


def test_however_small_the_share_somebody_is_the_worst():
    assert metrics.worst([0.2, 0.4], 1e-9) == metrics.cvar([0.2, 0.4], 1e-9) == pytest.approx(0.2)
    assert metrics.best([0.2, 0.4], 1e-9) == pytest.approx(0.4)


def test_without_a_share_a_tenth_is_meant():
    a = np.arange(100.0)
    assert metrics.worst(a) == metrics.cvar(a) == pytest.approx(4.5) and metrics.best(a) == pytest.approx(94.5)
    assert metrics.summary(a / 100)["worst 10 %"] == pytest.approx(4.5)
    assert metrics.loss_summary(a)["worst 10 % by loss"] == pytest.approx(94.5)


def test_angle_is_the_angle_to_ones():
    rng = np.random.default_rng(0)
    for _ in range(100):
        a = rng.uniform(size=rng.integers(2, 30))
        cosine = a.sum() / np.sqrt(len(a)) / np.linalg.norm(a)
        assert metrics.angle(a) == pytest.approx(np.degrees(np.arccos(cosine)), abs=1e-5)


def test_kl_is_zero_only_for_equal_values_and_log_n_at_a_corner():
    assert metrics.kl([0.3, 0.3, 0.3]) == pytest.approx(0, abs=1e-15)
    assert metrics.kl([1.0, 0.0, 0.0, 0.0]) == pytest.approx(np.log(4))


def test_sampling_spread_predicts_equal_clients():
    rng = np.random.default_rng(0)
    sizes = np.array([50, 100, 200] * 20)
    seen = np.mean([(rng.binomial(sizes, 0.8) / sizes).std() for _ in range(300)])
    assert metrics.sampling_std(np.full(60, 0.8), sizes) == pytest.approx(seen, rel=0.03)


def test_sampling_spread_pools_the_test_rows():
    # Right: 9 of 10 and 10 of 40, so 19 of 50; variances p (1 − p) / 10 and / 40, their mean's root.
    assert metrics.sampling_std([0.9, 0.25], [10, 40]) == pytest.approx(np.sqrt(0.38 * 0.62 * (0.1 + 0.025) / 2))


def test_rows_of_a_history_at_once_are_each_row_alone():
    rows = np.random.default_rng(0).uniform(0.01, 1, size=(5, 4)) * np.array([[1], [1e-3], [1], [0.5], [1]])
    sizes = [10, 20, 5, 40]
    for metric in (
        *(metrics.mean, metrics.std, metrics.worst, metrics.best, metrics.cvar, metrics.angle),
        *(metrics.jain, metrics.kl, metrics.entropy, metrics.gini),
        lambda a: metrics.weighted_std(a, sizes),
        lambda a: metrics.sampling_std(a, sizes),
        lambda a: metrics.improved(a, a[..., ::-1]),
        lambda a: metrics.collaboration_gain(a, [0.2, 0.3, 0.4, 0.5]).losers,
    ):
        assert metric(rows) == pytest.approx([metric(row) for row in rows])


def test_tiny_values_compare_as_large_ones_do():
    a = np.array([0.1, 0.4, 0.5])
    for index in (metrics.jain, metrics.kl, metrics.entropy, metrics.gini):
        assert index(1e-200 * a) == pytest.approx(index(a))
    assert metrics.jain([1e-200 * a, a]) == pytest.approx(2 * [metrics.jain(a)])


@pytest.mark.parametrize("power", [-1040, -700, -470, 0, 470, 700, 1020])
def test_spreads_of_tiny_and_huge_values_are_those_of_ordinary_ones(power):
    a, weights = np.array([1.0, 2.0, 4.0]), [1, 2, 3]
    scaled = np.ldexp(a, power)
    assert metrics.std(scaled) == np.ldexp(a.std(), power) > 0
    assert metrics.weighted_std(scaled, weights) == np.ldexp(metrics.weighted_std(a, weights), power)
    assert metrics.angle(scaled) == metrics.angle(a)
    rows = np.stack([scaled, a, 0 * a])
    assert np.array_equal(metrics.std(rows), [metrics.std(scaled), a.std(), 0])
    assert np.array_equal(metrics.angle(rows), [metrics.angle(a), metrics.angle(a), 0])


def test_zero_has_no_sign_and_equal_shares_no_negative_gini():
    for zero in (metrics.entropy([1.0]), metrics.best([0, 0]), metrics.worst([0, 0])):
        assert zero == 0 and not np.signbit(zero)
    for count in range(1, 200):
        assert metrics.gini(np.full(count, 0.1)) >= 0


def test_numbers_of_any_kind_are_read():
    values = [0.5, 0.25, 0.75]
    for kind in (np.float16, np.float32):
        assert metrics.mean(np.array(values, dtype=kind)) == 0.5
    for kind in (torch.bfloat16, torch.float32):
        assert metrics.mean(torch.tensor(values, dtype=kind, requires_grad=True)) == 0.5
    assert metrics.mean([Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)]) == metrics.mean([0, 1, 0.5]) == 0.5
    assert metrics.sampling_std(values, torch.tensor([10, 20, 30])) == metrics.sampling_std(values, [10, 20, 30])


def test_who_weighs_nothing_has_no_part_in_the_spread():
    assert metrics.weighted_std([0.2, 0.6, 0.9], [1, 1, 0]) == pytest.approx(0.2)


def test_a_table_of_losses_has_the_worst_at_the_large_end():
    row = metrics.loss_summary([1.0, 2.0, 3.0, 6.0], percent=25)
    assert row == pytest.approx(
        {"mean loss": 3, "std of loss": np.sqrt(3.5), "worst 25 % by loss": 6, "best 25 % by loss": 1}
    )


def sample(seed, least=1):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.01, 1, size=rng.integers(least, 40))


@pytest.mark.parametrize("seed", range(20))
def test_indices_against_other_formulas(seed):
    a = sample(seed)
    count, equal = len(a), np.ones(len(a))
    assert metrics.jain(a) == pytest.approx(np.cos(np.radians(metrics.angle(a))) ** 2)
    assert metrics.jain(a) == pytest.approx(1 / (1 + (a.std() / a.mean()) ** 2))
    assert metrics.entropy(a) == pytest.approx(scipy.stats.entropy(a))
    assert metrics.entropy(a) == pytest.approx(np.log(count) - scipy.stats.entropy(a, equal))
    # The area between the diagonal and the Lorenz curve, twice.
    lorenz = np.concatenate([[0], np.cumsum(np.sort(a)) / a.sum()])
    assert metrics.gini(a) == pytest.approx(1 - 2 * np.trapezoid(lorenz, dx=1 / count))
    assert metrics.gini(a) == pytest.approx(np.abs(a[:, None] - a).mean() / (2 * a.mean()))


@pytest.mark.parametrize("percent", [3, 10, 25, 40, 77, 100])
def test_cvar_is_the_best_threshold_of_rockafellar_and_uryasev(percent):
    for seed in range(20):
        a = sample(seed)
        best = max(t - np.clip(t - a, 0, None).mean() * 100 / percent for t in a)
        assert metrics.cvar(a, percent) == pytest.approx(best)


def test_cvar_is_the_worst_tenth_of_whole_clients_and_less_than_a_rounded_one():
    a = np.random.default_rng(0).uniform(size=30)
    assert metrics.cvar(a, 10) == pytest.approx(metrics.worst(a, 10))
    assert metrics.cvar(a[:25], 10) < metrics.worst(a[:25], 10)  # 2.5 clients against 3
    assert metrics.cvar([0.2, 0.5, 0.8], 50) == pytest.approx((0.2 + 0.5 * 0.5) / 1.5)


def test_weighted_std_is_the_plain_one_of_repeated_clients():
    a, sizes = np.array([0.2, 0.5, 0.9]), np.array([4, 1, 3])
    assert metrics.weighted_std(a, sizes) == pytest.approx(np.repeat(a, sizes).std())
    assert metrics.weighted_std(a, [7, 7, 7]) == pytest.approx(metrics.std(a))
    assert metrics.weighted_std(a, sizes) ** 2 == pytest.approx(np.cov(a, fweights=sizes, ddof=0))


def test_the_row_shows_both_spreads_and_both_indices():
    a, sizes = [0.9, 0.8, 0.4], [10, 10, 80]
    row = metrics.summary(a, sizes)
    assert row["Jain"] == pytest.approx(metrics.jain(a)) and row["Gini"] == pytest.approx(metrics.gini(a))
    assert row["std by test rows"] == pytest.approx(100 * np.repeat(a, sizes).std())
    assert row["std"] == pytest.approx(100 * np.std(a))
    shares = np.array(a) / 2.1
    assert row["KL"] == pytest.approx(np.log(3) + (shares * np.log(shares)).sum())
    assert row["angle"] == pytest.approx(np.degrees(np.arctan(np.std(a) / 0.7))) and row["mean"] == pytest.approx(70)
    assert row["std from sampling"] == pytest.approx(100 * np.sqrt(0.49 * 0.51 * (0.1 + 0.1 + 0.0125) / 3))
    two_of_three = metrics.summary(a, percent=66)
    assert two_of_three["worst 66 %"] == pytest.approx(60) and two_of_three["best 66 %"] == pytest.approx(85)


def test_collaboration_gain_names_who_loses():
    told = metrics.collaboration_gain([0.9, 0.5, 0.7], [0.8, 0.6, 0.7])
    assert told.gains == pytest.approx([0.1, -0.1, 0]) and told.losers == 1
    rows = metrics.collaboration_gain([[0.9, 0.5], [0.1, 0.1]], [0.6, 0.4])
    assert rows.gains.shape == (2, 2) and rows.losers.tolist() == [0, 2]


accuracies = arrays(float, st.integers(1, 30), elements=st.floats(1e-3, 1))


@given(accuracies, st.floats(0.1, 100), st.randoms(use_true_random=False))
def test_indices_ignore_scale_and_order(a, scale, random):
    order = list(range(len(a)))
    random.shuffle(order)
    for index in (metrics.jain, metrics.entropy, metrics.gini):
        assert index(scale * a[order]) == pytest.approx(index(a), abs=1e-9)


@given(accuracies)
def test_indices_stay_in_their_ranges(a):
    count, close = len(a), 1e-9
    assert 1 / count - close <= metrics.jain(a) <= 1 + close
    assert -close <= metrics.entropy(a) <= np.log(count) + close
    assert -close <= metrics.gini(a) <= 1 - 1 / count + close
    assert a.min() - close <= metrics.cvar(a, 10) <= metrics.worst(a, 10) + close <= a.mean() + 2 * close


@given(accuracies.filter(lambda a: np.ptp(a) > 0.01))
def test_a_gift_from_the_best_to_the_worst_is_fairer_by_every_index(a):
    after = a.copy()
    gift = np.ptp(a) / 4
    after[a.argmin()] += gift
    after[a.argmax()] -= gift
    assert metrics.jain(after) > metrics.jain(a) and metrics.entropy(after) > metrics.entropy(a)
    assert metrics.gini(after) < metrics.gini(a) and metrics.cvar(after) >= metrics.cvar(a) - 1e-12


@given(accuracies, st.floats(1, 99), st.floats(1, 99))
def test_cvar_grows_with_the_share(a, one, other):
    low, high = sorted((one, other))
    assert metrics.cvar(a, low) <= metrics.cvar(a, high) + 1e-9


@given(accuracies, st.data())
def test_gains_and_weights(a, data):
    own = data.draw(arrays(float, len(a), elements=st.floats(0, 1)))
    there, back = metrics.collaboration_gain(a, own), metrics.collaboration_gain(own, a)
    assert there.losers + back.losers + (a == own).sum() == len(a)
    weights = data.draw(arrays(float, len(a), elements=st.floats(0.1, 9)))
    spread = metrics.weighted_std(a, weights)
    assert spread <= np.ptp(a) / 2 + 1e-9 and metrics.weighted_std(a, 3 * weights) == pytest.approx(spread, abs=1e-12)


@pytest.mark.parametrize(
    "bad, kind, mentions",
    [
        (lambda: metrics.mean([]), "shape", ["(0,)", "N ≥ 1"]),
        (lambda: metrics.mean(0.5), "shape", ["()", "N ≥ 1"]),
        (lambda: metrics.std([1.0, np.nan]), "value", ["client 1"]),
        (lambda: metrics.worst([1.0], 0), "value", ["percent is 0", "above 0"]),
        (lambda: metrics.kl([-1.0, 2.0]), "value", ["-1.0"]),
        (lambda: metrics.improved([1.0, 2.0], [1.0]), "shape", ["before", "after", "(2,)", "(1,)"]),
        (lambda: metrics.jain([0.0, 0.0]), "value", ["0.0"]),
        (lambda: metrics.entropy([-1.0, 2.0]), "value", ["-1.0"]),
        (lambda: metrics.gini([0.5, np.inf]), "value", ["client 1"]),
        (lambda: metrics.cvar([1.0], 101), "value", ["percent is 101", "100"]),
        (lambda: metrics.weighted_std([0.5, 0.5], [1.0]), "shape", ["weights is [1.0]", "2"]),
        (lambda: metrics.weighted_std([0.5, 0.5], [0.0, 0.0]), "value", ["weights is [0.0, 0.0]"]),
        (lambda: metrics.weighted_std([0.5, 0.5], [1.0, -1.0]), "value", ["weights is [1.0, -1.0]"]),
        (lambda: metrics.weighted_std([0.5, 0.5], [1.0, np.inf]), "value", ["weights is [1.0, inf]"]),
        (lambda: metrics.collaboration_gain([0.5, np.nan], [0.5, 0.5]), "value", ["client 1"]),
        (lambda: metrics.collaboration_gain([0.5, 0.5], [np.nan, 0.5]), "value", ["client 0"]),
        (lambda: metrics.collaboration_gain([0.5, 0.5], [0.5]), "shape", ["alone", "(1,)", "(2,)"]),
        (lambda: metrics.sampling_std([0.5, 0.5], [10]), "shape", ["test_sizes is [10.0]", "2"]),
        (lambda: metrics.sampling_std([0.1, 0.2], [1, np.nan]), "value", ["test_sizes is [1.0, nan]", "2"]),
        (lambda: metrics.sampling_std([0.1, 0.2], [1, np.inf]), "value", ["test_sizes is [1.0, inf]", "2"]),
        (lambda: metrics.sampling_std([0.1, 0.2], ["1", "2"]), ANY, ["test_sizes is"]),
        (lambda: metrics.weighted_std([0.1, 0.2], [[1], [1, 2]]), ANY, ["weights is 'list'"]),
        (lambda: metrics.summary([90, 80]), "value", ["accuracy is 90.0", "0 to 1", "100", "loss_summary"]),
        (lambda: metrics.mean(["0.5", "0.6"]), ANY, ["values is"]),
        (lambda: metrics.mean("0.5"), ANY, ["values is"]),
        (lambda: metrics.mean(["0.5", None]), ANY, ["values is"]),
        (lambda: metrics.mean([0.5, 1j]), ANY, ["values is 'complex128'"]),
        (lambda: metrics.mean(torch.ones(2) * 1j), ANY, ["values is 'complex64'"]),
        (lambda: metrics.mean([[0.5], [0.5, 0.6]]), ANY, ["values is 'list'"]),
        (lambda: metrics.mean([0.5, {}]), ANY, ["values is 'list'"]),
        (lambda: metrics.sampling_std([0.5, 1.5], [10, 10]), "value", ["(0.5, 1.5)", "0 to 1"]),
    ],
)
def test_refusals_teach(bad, kind, mentions):
    with refused(kind, *mentions):
        bad()


@pytest.mark.parametrize("row", [metrics.summary, metrics.loss_summary])
@pytest.mark.parametrize("percent", ["x", None, 0, 101])
def test_a_row_refuses_a_share_of_clients_that_is_none(row, percent):
    with refused(ANY, f"percent is {percent!r}", "above 0, at most 100"):
        row([0.1, 0.2], percent=percent)
