"""The first edition's word on a cell, which chapter 12 compares with today's."""

from math import sqrt

import pytest

from reproductions.cell_verdict import first_word


def allowed_is(allowed, ours, value, spread, seeds, *more):
    """The word changes where the mean of ``ours`` leaves ``value`` by just ``allowed``."""
    words = {}
    for distance in (allowed - 1e-6, allowed + 1e-6):
        for sign in (-1, 1):
            move = float(value) + sign * distance - sum(ours) / len(ours)
            words.setdefault(distance < allowed, set()).add(
                first_word([one + move for one in ours], value, spread, seeds, *more)
            )
    return words == {True: {"reproduced"}, False: {"not reproduced"}}


def test_within_two_standard_errors_is_reproduced():
    ours = [80.0, 81.0, 82.0, 81.0, 81.0]
    s = sqrt(0.5)
    allowed = 2 * sqrt(1.5**2 / 5 + s**2 / 5) + 0.005
    assert first_word(ours, "80.00", "1.50", 5) == "reproduced"
    assert allowed_is(allowed, ours, "80.00", "1.50", 5)
    assert first_word(ours, f"{81 - allowed - 0.02:.2f}", "1.50", 5) == "not reproduced"
    assert first_word(ours, f"{81 + allowed - 0.02:.2f}", "1.50", 5) == "reproduced"


def test_a_population_deviation_is_made_a_sample_deviation_first():
    assert allowed_is(2 * sqrt(9 * 4 / 3 / 4) + 0.05, [80.0, 80.0], "80.0", "3.00", 4, "population")


def test_what_replaces_a_missing_spread():
    assert allowed_is(2 * sqrt(2 / 5 + 2 / 2) + 0.05, [80.0, 82.0], "80.5", "", 5)
    assert allowed_is(2 * sqrt(1 / 5 + 1) + 0.05, [80.0], "80.5", "1.00", 5)
    assert first_word([80.0], "80.5", "", 5) == "undecided"


def test_printed_digits_are_allowed_for():
    assert first_word([77.904, 77.904], "77.90", "0.00", 5) == "reproduced"
    assert first_word([77.95, 77.95], "77.90", "0.00", 5) == "not reproduced"


@pytest.mark.parametrize("value", ["95.00", "80.00"])
def test_not_run_and_underspecified(value):
    assert first_word([], value, "1", 5) == "not run"
    assert first_word([80.0, 80.0], value, "1.00", 5, underspecified=True) == "underspecified"
