"""The second edition's verdict: intervals, margins, what no spread may buy, and how often it errs."""

import numpy as np
import pytest

from reproductions.equivalence import compare, holm, margin_of


def test_a_tight_agreement_is_equivalent_and_a_clear_gap_is_different():
    assert compare([80.1, 80.0, 79.9, 80.2, 79.8], "80.0", "0.2", 5, margin=1).word == "equivalent"
    far = compare([75.1, 75.0, 74.9, 75.2, 74.8], "80.0", "0.2", 5, margin=1)
    assert far.word == "different" and far.high < -1 and far.p < 1e-6


@pytest.mark.parametrize(
    "ours, value, spread",
    [
        ([85.0, 1.0, 86.0, 0.5, 28.8], "85.82", "0.6"),  # AdaFed's Table 12, γ = 10: 40.26 ± 40.9 was once "reproduced"
        ([53.0, 90.0, 12.0, 81.0, 28.6], "85.82", "0.6"),
    ],
)
def test_no_large_spread_buys_a_green_cell(ours, value, spread):
    assert (
        compare(ours, value, spread, 5, margin=1).word == "different"
        and compare(ours, value, spread, 5, margin=50).word == "undecided"
    )


def test_more_noise_never_turns_a_cell_equivalent():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=5)
    noise -= noise.mean()
    words = [compare(80 + 0.4 + s * noise, "80.0", "0.3", 5, margin=1).word for s in np.linspace(0.01, 30, 60)]
    assert words[0] == "equivalent" and words[-1] == "undecided"
    assert "equivalent" not in words[words.index("undecided") :]


def test_one_seed_never_decides():
    assert compare([80.0], "80.0", "0.1", 5, margin=1).word == "undecided"
    assert compare([20.0], "80.0", "0.1", 5, margin=1).word == "undecided"
    assert "no printed" in compare([80.0, 80.1, 80.05], "80.0", "", 5, margin=1).remark
    assert compare([], "80.0", "0.1", 5, margin=1).word == "not run"


def test_underspecified_settings_leave_a_cell_undecided():
    assert compare([20.0, 20.1, 19.9], "80.0", "0.1", 5, margin=1, settings="the width").word == "undecided"


def test_one_split_of_ours_counts_as_one():
    ours, value, spread = [80.0, 80.01, 79.99, 80.02, 79.98], "83.0", "2.0"
    assert compare(ours, value, spread, 5, margin=1).low < compare(ours, value, spread, 5, margin=1).difference
    free, tied = (compare(ours, value, spread, 5, margin=1, one_split=tied) for tied in (False, True))
    assert tied.high - tied.low > 2 * (free.high - free.low)


def test_one_split_of_ours_and_no_printed_spread_decide_nothing():
    for value in ("80.0", "83.0"):
        told = compare([80.0, 80.01, 79.99, 80.02, 79.98], value, "", 5, margin=1, one_split=True)
        assert told.word == "undecided" and "as run, but no ± is printed, and ours share one split" in told.remark
        assert compare([80.0, 80.01, 79.99, 80.02, 79.98], value, "", 5, margin=1).word != "undecided"


def test_the_interval_is_welchs():
    ours, theirs = np.array([80.1, 79.2, 81.0, 80.4]), np.array([79.0, 80.5, 81.5, 78.2, 80.9])
    got = compare(ours, f"{theirs.mean():.12f}", f"{theirs.std(ddof=1):.12f}", 5, margin=1)
    from scipy import stats

    want = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.90)
    assert abs(got.low - want.low) < 1e-9 and abs(got.high - want.high) < 1e-9
    population = compare(ours, f"{theirs.mean():.12f}", f"{theirs.std():.12f}", 5, margin=1, population=True)
    assert abs(population.low - want.low) < 1e-9


def test_at_the_margins_edge_it_errs_in_five_of_a_hundred():
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(4000):
        ours, theirs = 1 + rng.normal(size=5), rng.normal(size=5)
        wrong += compare(ours, f"{theirs.mean():.9f}", f"{theirs.std(ddof=1):.9f}", 5, margin=1).word == "different"
    assert wrong / 4000 < 0.06


def test_without_a_printed_spread_ours_has_its_degrees_of_freedom_once():
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(4000):
        ours, theirs = 1 + 0.3 * rng.normal(size=5), 0.3 * rng.normal(size=5)
        wrong += compare(ours, f"{theirs.mean():.9f}", "", 5, margin=1).word != "undecided"
    assert wrong / 4000 < 0.11  # both words, each in 5 %; with 2 (n − 1) degrees of freedom in 7 %
    got = compare([80.1, 79.2, 81.0, 80.4, 79.9], "80.000000000", "", 5, margin=1)
    from scipy import stats

    half = stats.t.ppf(0.95, 4) * np.sqrt(2 / 5) * np.std([80.1, 79.2, 81.0, 80.4, 79.9], ddof=1)
    assert abs((got.high - got.low) / 2 - half) < 1e-8


def test_one_split_of_ours_errs_in_five_of_a_hundred_as_well():
    rng, wrong = np.random.default_rng(3), 0
    for _ in range(4000):
        ours = 1 + rng.normal(size=5) + 2 * rng.normal()  # one split for all of ours, five of theirs
        theirs = rng.normal(size=5) + 2 * rng.normal(size=5)
        told = compare(ours, f"{theirs.mean():.9f}", f"{theirs.std(ddof=1):.9f}", 5, margin=1, one_split=True)
        wrong += told.word == "different"
    assert wrong / 4000 < 0.065


def test_holm_is_stricter_than_each_alone_and_not_than_bonferroni():
    assert holm([0.04, 0.01, 0.02]) == [True, True, True]
    assert holm([0.04, 0.03, 0.02]) == [False, False, False]
    assert holm([0.001, 0.2, 0.03]) == [True, False, False] and holm([]) == []


def test_margins_are_points_unless_the_measure_has_another_unit():
    assert margin_of("mean") == margin_of("client 3") == margin_of("std") == 1 and margin_of("root of std") == 0.15
