"""One setting makes every launch link; without it there is none, and a wrong one says what to write."""

import pytest
from fairfl_book import repository_address as module
from fairfl_book.repository_address import Address, address
from refusals import refused

import fairfl

REPOSITORY, TAG = "https://github.com/OWNER/NAME", f"v{fairfl.__version__}"


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
    ("text", "kind", "mentions"),
    [
        ('repositry = "https://github.com/a/b"', "name", ("'repositry'", "'repository'")),
        ('site = "https://a.org"', "missing", ("repository", REPOSITORY)),
        ("repository = https://github.com/a/b", "file", ("TOML",)),
        ("repository = 1", "type", ("repository", "is 1;")),
        ('repository = "http://github.com/a/b"', "value", ("repository", "'http://github.com/a/b'", REPOSITORY)),
        ('repository = "https://github.com/a/b/"', "value", ("'https://github.com/a/b/'", REPOSITORY)),
        ('repository = "https://github.com/a/b.git"', "value", ("'https://github.com/a/b.git'", ".git", REPOSITORY)),
        (
            'repository = "https://github.com/a/b/tree/main"',
            "value",
            ("'https://github.com/a/b/tree/main'", REPOSITORY),
        ),
        ('repository = "https://github.com/a/.."', "value", ("'https://github.com/a/..'", REPOSITORY)),
        ('repository = "https://gitlab.com/a/b"', "value", ("'https://gitlab.com/a/b'", "GitHub")),
        ('repository = "https://github.com/a/b"\nbranch = "--upload-pack=x"', "value", ("branch", "'--upload-pack=x'")),
        ('repository = "https://github.com/a/b"\nbranch = "main; rm"', "value", ("branch", "'main; rm'", TAG)),
        ('repository = "https://github.com/a/b"\nsite = "http://a.org"', "value", ("site", "'http://a.org'", "https")),
        ('repository = "https://github.com/a/b"\nsite = "https://a.org/book/"', "value", ("'https://a.org/book/'",)),
        ('repository = "https://github.com/a/b"\nsite = "https://a.org/index.html"', "value", ("/index.html'",)),
        ('repository = "https://github.com/a/b"\nsite = "https://a.org?x=1"', "value", ("'https://a.org?x=1'",)),
    ],
)
def test_a_wrong_file_says_what_to_write(book, text, kind, mentions):
    with refused(kind, f"{module.FILE}", *mentions):
        write(book, text)


def test_an_address_cannot_be_changed():
    with pytest.raises(AttributeError):
        Address("https://github.com/a/b").site = "https://a.org"
