"""The page of errata is on the site and in a release, speaks of this edition, and names chapters that there are."""

import re

from fairfl_book import book_paths
from fairfl_book.build import notebook_checks
from fairfl_book.site import contents
from fairfl_book.teaching import release

import fairfl

BOOK = book_paths.find()
PAGE = BOOK.root / "book" / "pages" / "errata.md"
TEXT = PAGE.read_text(encoding="utf-8")


def entries():
    """The entries of both editions, each on one line."""
    told = TEXT.partition("## This edition")[2].replace("## The first edition", "\n- ##")
    found = [re.sub(r"\s+", " ", entry).strip() for entry in re.split(r"^- ", told, flags=re.MULTILINE)[1:]]
    return [entry for entry in found if not entry.startswith("##")]


def test_the_page_is_in_the_sites_contents():
    trees = re.findall(r"```\{toctree\}(.+?)```", contents.contents(notebook_checks.fronts(BOOK)), re.DOTALL)
    assert any("errata" in tree.split() for tree in trees)


def test_the_page_is_in_a_release():
    if (BOOK.root / ".git").exists():
        assert PAGE.relative_to(BOOK.root).as_posix() in release.tracked(BOOK.root)


def test_it_has_this_edition_and_says_how_to_report():
    assert f"## This edition, {fairfl.__version__}\n" in TEXT and "**To report something**" in TEXT
    assert "`fairfl-book --version`" in TEXT and PAGE.relative_to(BOOK.root).as_posix() in TEXT


def test_every_entry_says_where_what_was_said_and_what_is_right():
    assert len(entries()) >= 10
    for entry in entries():
        assert re.match(
            r"\*\*(The sentence|The package|The commands|The front page|The labs|The site|The ledger|The book on paper|The note|\[?Chapter \d+)",
            entry,
        ), entry
        assert ("*Said:*" in entry and "*Right:*" in entry) or "what was not said" in entry, entry


def test_chapters_are_named_by_their_numbers_and_links_lead_there_in_the_repository():
    named = re.findall(r"\[([Cc]hapter \d+)\]\((?:\.\./)*chapters/(\w+)\.ipynb\)", TEXT)
    assert len(named) >= 10 and all(
        name in BOOK.names() and int(name[:2]) == int(words.split()[1]) for words, name in named
    )
    for page in PAGE.parent.glob("*.md"):
        for link in re.findall(r"\]\(([^):#]+\.ipynb)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
