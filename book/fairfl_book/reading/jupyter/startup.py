"""Runs in every kernel that ``make lab`` starts, before the first cell. It leaves no name behind, and says nothing where the book is missing."""

try:  # noqa: SIM105, an import of contextlib would stay among the reader's names
    __import__("fairfl_book.reading.missing_setup", fromlist=["cold"]).watch()
except ImportError:
    pass
