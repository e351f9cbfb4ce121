"""The second edition's verdict: intervals, margins, what no spread may buy, and how often it errs."""

import numpy as np
import pytest

from reproductions.equivalence import LACKS, compare, holm, in_points, margin_between, margin_of, outside


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


@pytest.mark.parametrize("printed", [True, False])
def test_one_split_of_theirs_errs_in_five_of_a_hundred_as_well(printed):
    """The mirror: all their runs share one split, and each of ours has its own."""
    rng, wrong, plain = np.random.default_rng(3), 0, 0
    for _ in range(1500):
        ours = 1 + rng.normal(size=5) + 2 * rng.normal(size=5)
        theirs = rng.normal(size=5) + 2 * rng.normal()
        given = (ours, f"{theirs.mean():.9f}", f"{theirs.std(ddof=1):.9f}" if printed else "", 5)
        wrong += compare(*given, margin=1, published_one_split=True).word == "different"
        plain += compare(*given, margin=1).word == "different"
    assert wrong / 1500 < 0.065 < plain / 1500


def test_one_split_on_both_sides_is_no_mirror():
    ours = [79.0, 82.0, 80.0, 81.0, 78.0]
    tied = compare(ours, "80.0", "0.5", 5, margin=1, one_split=True)
    assert compare(ours, "80.0", "0.5", 5, margin=1, one_split=True, published_one_split=True) == tied


TIGHT, WIDE = [0.1, 0.0, -0.1, 0.2, -0.2], [2.0, -2.0, 1.0, -1.0, 0.0]


@pytest.mark.parametrize(
    "gap, runs, spread, more, lacks",
    [
        (0.0, WIDE, "0.20", {}, "ours"),  # with many runs of ours the interval is narrow, around 0
        (5.0, [0.0], "0.20", {}, "ours"),
        (2.5, WIDE, "0.20", {}, "ours"),
        (0.0, TIGHT, "2.00", {}, "theirs"),
        (0.0, [0.0], "2.00", {}, "theirs"),
        (1.0, TIGHT, "0.20", {}, "margin"),
        (1.0, [0.0], "0.20", {}, "ours"),
        (0.0, TIGHT, "0.20", {"settings": "the width"}, "settings"),
        (0.0, TIGHT, "", {"one_split": True}, "ours"),
        (0.0, TIGHT, "0.20", {}, ""),
        (5.0, TIGHT, "0.20", {}, ""),
    ],
)
def test_undecided_says_what_is_lacking(gap, runs, spread, more, lacks):
    told = compare([80 + gap + run for run in runs], "80.00", spread, 5, margin=1, **more)
    assert told.lacks == lacks and (told.word == "undecided") == bool(lacks)
    assert told.told == (told.word if not lacks else f"undecided: {LACKS[lacks]}")


def test_what_theirs_lack_no_number_of_our_runs_can_mend():
    """FedFV's Table 3, AFL with step 0.01 on pullovers: 81.89 ± 1.30, whose own error is 0.65."""
    ours = 81.89 + 1e-6 * np.random.default_rng(0).normal(size=100_000)
    told = compare(ours, "81.89", "1.30", 5, margin=1, population=True)
    assert (told.word, told.lacks) == ("undecided", "theirs") and told.high == pytest.approx(
        2.132 * 0.65 + 0.005, abs=1e-3
    )


def test_one_run_of_theirs_decides_nothing():
    told = compare([80.0, 80.1], "80.0", "", 1, margin=1)
    assert (told.word, told.lacks) == ("undecided", "theirs")
    assert compare([80.0, 80.1], "80.0", "0.5", 1, margin=1, population=True).lacks == "theirs"


def test_a_margin_between_rows_lets_one_pair_of_rows_in_ten_pass():
    printed = ["80.0", "81.0", "83.0", "86.0", "90.0"]  # differences 1, 2, 3, 3, 4, 5, 6, 7, 9, 10
    assert margin_between(printed) == pytest.approx(1.9)
    assert margin_between(["80.0"] * 4) == 0.1 and np.isnan(margin_between(printed[:3]))


def test_without_a_margin_p_is_the_two_sided_one():
    ours, theirs = np.array([80.1, 79.2, 81.0, 80.4]), np.array([79.0, 80.5, 81.5, 78.2, 80.9])
    from scipy import stats

    got = compare(ours, f"{theirs.mean():.12f}", f"{theirs.std(ddof=1):.12f}", 5, margin=0)
    assert abs(got.p - stats.ttest_ind(ours, theirs, equal_var=False).pvalue) < 1e-9
    assert abs(outside(0.0, 0.0, 1.0, 4) - 1) < 1e-12 and abs(outside(-0.3, 2.0, 1.0, 4) - 1) < 1e-12


@pytest.mark.parametrize(
    "distance, margin, error", [(1.5, 1, 2.0), (5, 1, 1.4), (0.4, 1, 0.5), (3, 0.2, 1.0), (4, 1, 1.0)]
)
def test_p_has_both_tails_where_the_true_difference_is_just_the_margin(distance, margin, error):
    from scipy import integrate, stats

    drawn = margin + error * np.random.default_rng(0).standard_t(5, 400_000)
    assert abs(outside(distance, margin, error, 5) - (abs(drawn) >= distance).mean()) < 0.003
    law = stats.t(5, loc=margin, scale=error)  # the same as an integral of its density
    within, _ = integrate.quad(law.pdf, -distance, distance)
    assert abs(outside(distance, margin, error, 5) - (1 - within)) < 1e-6


def test_p_of_runs_without_spread_is_sure():
    assert outside(1.0, 1.0, 0.0, 4) == 1 and outside(1.01, 1.0, 0.0, 4) == 0
    told = compare([82.0, 82.0], "80.0", "0.0", 5, margin=1)
    assert told.p == 0 and told.risk == 0 and compare([81.0, 81.0], "80.0", "0.0", 5, margin=1).p == 1


@pytest.mark.parametrize("spread", [0.3, 2, 30])
def test_p_falls_below_five_per_cent_in_at_most_five_of_a_hundred_however_wide_the_spread(spread):
    rng, told = np.random.default_rng(4), []
    for _ in range(2000):
        ours, theirs = 1 + spread * rng.normal(size=5), spread * rng.normal(size=5)
        told.append(compare(ours, f"{theirs.mean():.9f}", f"{theirs.std(ddof=1):.9f}", 5, margin=1))
    assert np.mean([one.p <= 0.05 for one in told]) < 0.06
    wrong = np.mean([one.word == "different" for one in told])
    assert abs(np.mean([one.risk for one in told]) - wrong) < 0.015
    assert wrong > 0.085 or spread < 30  # the word reads one tail at a time


def test_holm_is_stricter_than_each_alone_and_not_than_bonferroni():
    assert holm([0.04, 0.01, 0.02]) == [True, True, True]
    assert holm([0.04, 0.03, 0.02]) == [False, False, False]
    assert holm([0.001, 0.2, 0.03]) == [True, False, False] and holm([]) == []


def test_margins_are_points_unless_the_measure_has_another_unit():
    assert margin_of("mean") == margin_of("client 3") == margin_of("std") == 1 and margin_of("root of std") == 0.15
    assert in_points("worst 5 %") and in_points("std") and not in_points("angle") and not in_points("Jain")
