"""Results in rows: the same words in HTML and in a terminal, a verdict by word and mark as well as by colour."""

import pytest
from fairfl_book import tables
from refusals import refused

ROWS = [{"rule": "FedAvg", "mean": "90 %", "agrees": "holds"}, {"rule": "<MGDA>", "mean": "8 %", "agrees": "fails"}]


def test_text_is_aligned_and_says_verdicts_by_mark_and_word():
    assert tables.as_text(ROWS, "Two rules").splitlines() == [
        "Two rules",
        "rule    mean  agrees",
        "FedAvg  90 %  ✓ holds",
        "<MGDA>   8 %  ✗ fails",
    ]


def test_html_says_the_same_words_and_escapes_them():
    page = tables.as_html(ROWS, "Two rules")
    assert "&lt;MGDA&gt;" in page and "<MGDA>" not in page and "<caption>Two rules</caption>" in page
    assert "✓ holds" in page and "✗ fails" in page and tables.GOOD[1] in page and tables.BAD[1] in page
    assert page.count('align="right"') == 3  # numbers' column: its head and two cells


@pytest.mark.parametrize("rows", [[], [{"a": 1}, {"b": 2}], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]])
def test_rows_that_do_not_fit_are_refused(rows):
    with refused("shape" if rows else "missing", *(list(row) for row in rows[:2])):
        tables.as_text(rows)


def test_what_a_cell_shows_is_both(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append((data, raw)))
    tables.show(ROWS)
    assert shown == [({"text/html": tables.as_html(ROWS), "text/plain": tables.as_text(ROWS)}, True)]
