"""The teachers' map of chapters, written anew whenever the book grows."""

import pytest
from fairfl_book.build import prerequisites


def test_a_page_without_a_place_for_the_map_is_refused():
    with pytest.raises(ValueError, match="Restore the lines"):
        prerequisites.refreshed("# For teachers\n", {})


def test_the_map_grows_with_the_book(book, write_twin):
    page = book.root / "book" / "teachers.md"
    page.write_text("before\n<!-- map -->\nold\n<!-- /map -->\nafter\n", encoding="utf-8")
    write_twin("01_ferries", "# Ferries")
    assert prerequisites.refresh(book) and not prerequisites.refresh(book)
    write_twin("02_bridges", "# Bridges", title="Bridges", teaches=["bridge"], needs=["ferry"], minutes=7)
    assert prerequisites.refresh(book)
    assert page.read_text(encoding="utf-8") == (
        "before\n<!-- map -->\n| chapter | minutes | builds on | teaches |\n|---|---|---|---|\n| Ferries | 5 | – | ferry |\n"
        "| Bridges | 7 | 1 | bridge |\n<!-- /map -->\nafter\n"
    )
