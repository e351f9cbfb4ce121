"""The lab of the ledger's rule: its words are those of ``reproductions``, and its start is the cell that chapter 12 judges by hand."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

from reproductions.equivalence import compare

LAB = labs.Verdicts()


def test_the_word_and_the_interval_are_the_ledgers():
    rng, words = np.random.default_rng(0), set()
    for _ in range(300):
        theirs, ours = rng.integers(2, 9, 2)
        dots = np.zeros((2, 8, 2))
        dots[..., 0] = (rng.normal(0, rng.uniform(0.1, 1.2, (2, 1)), (2, 8)) + rng.uniform(-1, 1, (2, 1))).clip(
            -2.5, 2.5
        )
        numbers = LAB.numbers(theirs=int(theirs), ours=int(ours), first=dots[0].tolist(), second=dots[1].tolist())
        one, two = 81 + dots[0, :theirs, 0], 81 + dots[1, :ours, 0]
        ledgers = compare(two, f"{one.mean():.13f}", f"{one.std(ddof=1):.15f}", int(theirs), margin=1.0)
        assert numbers["word"] == ledgers.word
        assert np.allclose([numbers["low"], numbers["high"]], [ledgers.low, ledgers.high], rtol=0, atol=1e-10)
        words.add(ledgers.word)
    assert words == {"equivalent", "different", "undecided"}


def test_runs_without_spread():
    same = [[0.5, 0.0]] * 8
    numbers = LAB.numbers(first=same, second=same)
    assert (numbers["word"], numbers["low"], numbers["high"], numbers["freedom"]) == ("equivalent", 0, 0, None)
    assert LAB.numbers(first=same, second=[[2.5, 0.0]] * 8)["word"] == "different"


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_runs_without_spread_come_with_a_warning():
    state = {**LAB.start, "first": [[0.5, 0.0]] * 8, "second": [[0.58, 0.0]] * 8}
    [told] = node.each("(s) => view.words(view.compute(s))", [[state]], {"{ view }": "verdicts"})
    assert told["tone"] == "soft" and told["lines"][1].startswith("Beware")


def test_the_start_is_chapter_12s_cell_by_hand():
    numbers = LAB.numbers()
    assert [round(mean, 2) for mean in numbers["means"]] == [80.42, 80.23]
    assert round(numbers["spreads"][0] * (4 / 5) ** 0.5, 2) == 0.76 and round(numbers["spreads"][1], 2) == 0.55
    assert numbers["word"] == "undecided" and numbers["low"] < -1 < numbers["high"] < 1


def test_enough_is_the_first_number_of_runs_that_decides():
    from fairfl_book.labs.verdicts import judged

    numbers = LAB.numbers(**LAB.tries["our runs noisy, same mean"])
    variances, n = [spread**2 for spread in numbers["spreads"]], numbers["enough"]
    words = [judged(numbers["difference"], variances, np.array([k, k]), 1.0)["word"].item() for k in (n - 1, n)]
    assert words == ["undecided", numbers["then"]] == ["undecided", "equivalent"]


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_buttons_keep_their_promises():
    states = [{**LAB.start, **state} for state in LAB.tries.values()]
    more, start = LAB.numbers(**LAB.tries["three more such runs each"]), LAB.numbers()
    assert np.allclose(more["means"], start["means"]) and np.allclose(more["spreads"], start["spreads"], atol=0.01)
    told = node.each("(s) => view.words(view.compute(s)).lines", [[s] for s in states], {"{ view }": "verdicts"})
    assert [lines[0].split(":")[0] for lines in told] == ["Equivalent", "Undecided", "Different"]
    assert told[2][1] == "Our mean is 2.50 points above theirs."
    assert (
        told[1][1] == "Our mean is 0.19 points below theirs."
        and "runs on both sides would settle it: equivalent. More of ours alone" in told[1][2]
    )
