"""The shortest way through the book: five to six hours, told on the cover and on the site's front page."""

from fairfl_book import book_paths
from fairfl_book.build import notebook_checks, reading_time
from fairfl_book.reading import cover, shortest_path
from fairfl_book.site import contents

BOOK = book_paths.find()
FRONTS = notebook_checks.fronts(BOOK)


def test_it_takes_five_to_six_hours():
    """The openings of its chapters and the sections that it names, as minutes are counted for all chapters."""
    minutes = 0.0
    for name, front in FRONTS.items():
        if front.shortest:
            minutes += reading_time.of_sections(BOOK.twin(name).read_text(encoding="utf-8"), front.shortest)
    assert 240 <= minutes <= 305


def test_it_ends_with_the_one_picture_and_which_rule_when():
    last = max(name for name, front in FRONTS.items() if front.shortest)
    assert last == "10_one_picture" and "Which rule, when" in FRONTS[last].shortest


def test_cover_and_front_page_tell_it_alike():
    told = shortest_path.way(FRONTS, lambda name: f"{name}.ipynb")
    assert told.count("\n- ") == 9 and "One pair, by hand" in told
    page = cover.content(FRONTS).decode()
    assert all(front.shortest[0] in page for front in FRONTS.values() if front.shortest)
    assert told in contents.way(FRONTS)
