"""The bibliography: what is read, what is refused, what a chapter prints."""

import pytest
from fairfl_book.build import bibtex
from refusals import refused

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
    with refused("name", "ada1834", "'ada1843'"):
        bibtex.lines(["ada1834"], bibtex.parse(bibliography))


@pytest.mark.parametrize(
    "text, kind, mentions",
    [
        (ENTRY.format(key="a", author="{Ada}"), "file", ["'Ada'", "'Family, Given'"]),
        (ENTRY.format(key="a", author="{Ada Lovelace}"), "file", ["'Ada Lovelace'", "'Family, Given'"]),
        (ENTRY.format(key="a", author=r"{D{\'e}s, J}"), "file", ["author", "'a'", "UTF-8"]),
        (ENTRY.format(key="a", author="{Ada, A"), "file", ["line 8", "@type{key"]),
        (ENTRY.format(key="a", author="nobody"), "file", ["line 2", "nobody"]),
        (ENTRY.format(key="a", author="{A, B}") * 2, "file", ["entry: a", "each key"]),
        ("@misc{a, title = {T}, title = {U}}", "file", ["title", "key a"]),
        ("@misc{a, title = {T}}", "missing", ["author, year, journal/booktitle/publisher, url/doi/eprint"]),
        (ENTRY.format(key="a", author="{A, B}").replace("1990", "soon"), "file", ["'soon'", "year"]),
        ("@string(a = b)", "file", ["line 1", "@type{key"]),
    ],
)
def test_malformed_entries_are_refused(text, kind, mentions):
    with refused(kind, *mentions):
        bibtex.parse(text)
