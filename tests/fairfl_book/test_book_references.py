"""The bibliography: what is read, what is refused, what a chapter prints."""

import pytest
from fairfl_book.build import bibtex

ENTRY = (
    "@misc{{{key},\n author = {author},\n title = {{T}},\n year = {{1990}},\n publisher = {{P}},\n url = {{u}},\n}}\n"
)


def test_entries_are_read(bibliography):
    entries = bibtex.parse(bibliography)
    assert list(entries) == ["ada1843", "bell1990"]
    assert entries["bell1990"].authors == (("J.-A. B.", "Bell"), ("C.", "Agüera y Cruz"))


def test_lines_are_sorted_and_complete(bibliography):
    first, second = bibtex.lines(["ada1843", "bell1990"], bibtex.parse(bibliography))
    assert first == (
        "- J.-A. B. Bell and C. Agüera y Cruz (1990). [On FedAvg, again](https://doi.org/10.1000/182). "
        "*AISTATS, 54, 1–9*."
    )
    assert second.startswith("- A. Lovelace (1843).")


def test_an_unknown_key_offers_the_nearest(bibliography):
    with pytest.raises(ValueError, match="Did you mean 'ada1843'"):
        bibtex.lines(["ada1834"], bibtex.parse(bibliography))


@pytest.mark.parametrize(
    "text, message",
    [
        (ENTRY.format(key="a", author="{Ada}"), "'Family, Given'"),
        (ENTRY.format(key="a", author=r"{D{\'e}s, J}"), "plain UTF-8"),
        (ENTRY.format(key="a", author="{Ada, A"), "Close every brace"),
        (ENTRY.format(key="a", author="nobody"), "Close every brace"),
        (ENTRY.format(key="a", author="{A, B}") * 2, "line 8 of the bibliography is 'a'; allowed: each key once"),
        ("@misc{a, title = {T}}", "author, year, journal/booktitle/publisher, url/doi/eprint"),
        ("@string(a = b)", "@type{key"),
    ],
)
def test_malformed_entries_are_refused(text, message):
    with pytest.raises(ValueError, match=message.replace("{", r"\{").replace("(", r"\(")):
        bibtex.parse(text)
