"""One setting makes every launch link; without it there is none, and a wrong one says what to write."""

import pytest
from fairfl_book import repository_address as module
from fairfl_book.repository_address import Address, address

import fairfl


def write(book, text):
    (book.root / module.FILE).write_text(text, encoding="utf-8")
    return address(book)


def test_without_the_file_there_is_no_address(book):
    assert address(book) is None


def test_this_books_own_file_is_sound_where_it_has_one():
    assert address() is None or address().repository


def test_all_links_come_from_it(book):
    place = write(
        book, 'repository = "https://github.com/nobody/fairfl"\nbranch = "main"\nsite = "https://nobody.github.io/x"\n'
    )
    at = "github.com/nobody/fairfl/blob/main/chapters/05_ferries.ipynb"
    assert place.notebook("05_ferries") == f"https://{at}"
    assert place.colab("05_ferries") == f"https://colab.research.google.com/{at.replace('.com', '', 1)}"
    assert place.kaggle("05_ferries") == f"https://kaggle.com/kernels/welcome?src=https://{at}"
    assert place.codespace == "https://codespaces.new/nobody/fairfl/tree/main"
    assert place.source("05_ferries") == "https://github.com/nobody/fairfl/blob/main/chapters/src/05_ferries.md"
    assert place.page("05_ferries") == "https://nobody.github.io/x/05_ferries.html"


def test_without_a_branch_links_open_the_editions_own_tag(book):
    place = write(book, 'repository = "https://github.com/nobody/fairfl"')
    assert place.branch == f"v{fairfl.__version__}" and place.page("05_ferries") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'repositry = "https://github.com/a/b"',
            "unknown key in book/address.toml 'repositry'.*Did you mean 'repository'",
        ),
        ('site = "https://a.org"', "has no repository.*Write that line, or remove the file"),
        ("repository = https://github.com/a/b", "is not TOML.*a text in quotation marks"),
        ("repository = 1", "is 1; allowed: a text.*quotation marks"),
        ('repository = "http://github.com/a/b"', "allowed: https://github.com/OWNER/NAME"),
        ('repository = "https://github.com/a/b/"', "Take away a slash"),
        ('repository = "https://github.com/a/b.git"', "Take away a slash, a branch or .git"),
        ('repository = "https://github.com/a/b/tree/main"', "nothing behind the name"),
        ('repository = "https://github.com/a/.."', "allowed: https://github.com/OWNER/NAME"),
        ('repository = "https://gitlab.com/a/b"', "open nothing but GitHub"),
        ('repository = "https://github.com/a/b"\nbranch = "--upload-pack=x"', "the name of a branch or a tag"),
        ('repository = "https://github.com/a/b"\nbranch = "main; rm"', "Leave it out for this edition's own tag"),
        ('repository = "https://github.com/a/b"\nsite = "http://a.org"', "an https address"),
        ('repository = "https://github.com/a/b"\nsite = "https://a.org/book/"', "Take away a slash"),
        ('repository = "https://github.com/a/b"\nsite = "https://a.org/index.html"', "a page's name"),
        ('repository = "https://github.com/a/b"\nsite = "https://a.org?x=1"', "an https address, and nothing behind"),
    ],
)
def test_a_wrong_file_says_what_to_write(book, text, said):
    with pytest.raises(ValueError, match=said):
        write(book, text)


def test_an_address_cannot_be_changed():
    with pytest.raises(AttributeError):
        Address("https://github.com/a/b").site = "https://a.org"
