"""What a hand slips on in any exercise (a sign, a transpose, a rounding): how much of it gets a word of its own."""

import pytest
from fairfl_book.exercises import common_errors, judge, registry

ALL = registry()


@pytest.mark.parametrize("slug", ALL)
def test_at_most_two_slips_get_no_word_of_their_own(slug):
    verdicts = {name: judge(ALL[slug], answer) for name, answer in common_errors.natural(ALL[slug])}
    mute = [name for name, verdict in verdicts.items() if verdict.status != "right" and not verdict.known]
    print(f"{slug}: {len(verdicts)} slips tried, without a word of their own: {', '.join(mute) or 'none'}")
    assert len(mute) <= 2, f"{slug}: {', '.join(mute)}; recognise them in its `wrong`, or in common_errors.py"
