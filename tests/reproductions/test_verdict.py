from math import isnan, sqrt

import pytest

from reproductions.cell_verdict import judge


def test_within_two_standard_errors_is_reproduced():
    ours = [80.0, 81.0, 82.0, 81.0, 81.0]
    s = sqrt(0.5)
    allowed = 2 * sqrt(1.5**2 / 5 + s**2 / 5) + 0.005
    v = judge(ours, "80.00", "1.50", 5)
    assert v.mean == 81 and v.runs == 5 and v.difference == pytest.approx(1.0)
    assert v.spread == pytest.approx(s) and v.allowed == pytest.approx(allowed)
    assert v.word == "reproduced"
    assert judge(ours, f"{81 - allowed - 0.02:.2f}", "1.50", 5).word == "not reproduced"
    assert judge(ours, f"{81 + allowed - 0.02:.2f}", "1.50", 5).word == "reproduced"


def test_a_population_deviation_is_made_a_sample_deviation_first():
    wide = judge([80.0, 80.0], "80.0", "3.00", 4, "population")
    assert wide.allowed == pytest.approx(2 * sqrt(9 * 4 / 3 / 4) + 0.05)


def test_what_stands_in_for_a_missing_spread():
    v = judge([80.0, 82.0], "80.5", "", 5)
    assert v.remark == "our spread for both" and v.allowed == pytest.approx(2 * sqrt(2 / 5 + 2 / 2) + 0.05)
    v = judge([80.0], "80.5", "1.00", 5)
    assert (
        v.remark == "their spread for both"
        and v.allowed == pytest.approx(2 * sqrt(1 / 5 + 1) + 0.05)
        and isnan(v.spread)
    )
    assert judge([80.0], "80.5", "", 5).word == "undecided"


def test_printed_digits_are_allowed_for():
    assert judge([77.904, 77.904], "77.90", "0.00", 5).word == "reproduced"
    assert judge([77.95, 77.95], "77.90", "0.00", 5).word == "not reproduced"


def test_not_run_and_underspecified():
    assert judge([], "80", "1", 5).word == "not run"
    v = judge([80.0, 80.0], "95.00", "1.00", 5, underspecified=True)
    assert v.word == "underspecified" and v.remark == "outside what luck allows"
