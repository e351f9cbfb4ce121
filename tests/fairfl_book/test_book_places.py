"""Where chapters stand, and how they are named."""

from fairfl_book import book_paths
from refusals import refused


def test_names_are_every_text_and_notebook_in_order(book):
    book.twin("02_b").write_text("")
    book.twin("01_a").write_text("")
    book.notebook("02_b").write_text("")
    book.notebook("03_c").write_text("")
    assert book.names() == ["01_a", "02_b", "03_c"]


def test_select_takes_names_and_numbers(book):
    for name in ("00_start", "01_one"):
        book.twin(name).write_text("")
    assert book.select([]) == ["00_start", "01_one"]
    assert book.select(["01"]) == ["01_one"]
    assert book.select(["01_one", "00"]) == ["00_start", "01_one"]


def test_select_offers_the_nearest(book):
    book.twin("01_federated").write_text("")
    with refused("name", "'01_federatd'", "'01_federated'"):
        book.select(["01_federatd"])


def test_a_badly_named_file_is_refused(book):
    book.notebook("Untitled").write_text("")
    with refused("name", "Untitled.ipynb", "01_federated_learning"):
        book.names()


def test_the_book_is_found_from_inside(book):
    assert book_paths.find(book.chapters / "src") == book_paths.Book(book.root.resolve())


def test_the_installed_book_is_found_from_elsewhere(tmp_path):
    assert (book_paths.find(tmp_path).root / "fairfl").is_dir()
