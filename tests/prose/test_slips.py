"""Common errors in every exercise (a sign, a transpose, a rounding): almost all of them get an explanation."""

import pytest
from fairfl_book.exercises import common_errors, judge, registry

ALL = registry()


@pytest.mark.parametrize("slug", ALL)
def test_at_most_two_common_errors_get_no_explanation(slug):
    verdicts = {name: judge(ALL[slug], answer) for name, answer in common_errors.natural(ALL[slug])}
    unexplained = [name for name, verdict in verdicts.items() if verdict.status != "right" and not verdict.known]
    print(f"{slug}: {len(verdicts)} errors tried, without an explanation: {', '.join(unexplained) or 'none'}")
    assert len(unexplained) <= 2, f"{slug}: {', '.join(unexplained)}; add them to its `wrong`, or to common_errors.py"
