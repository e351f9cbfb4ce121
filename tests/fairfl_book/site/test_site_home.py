"""The home page's map and way, made from front matter, and the links to numbered formulas."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx", reason="the site's packages are not installed (pip install -e '.[book]')")

from docutils import nodes
from docutils.utils import new_document
from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.site import chapter_map, contents, formula_links
from fairfl_book.site.chapter_index import Chapter, Known

FIRST = FrontMatter("0. Start", "A < B.", ("read",), ("weight",), (), 30, 5, (), ("One", "Two"))
FRONTS = {
    "00_start": FIRST,
    "01_averaging": replace(FIRST, title="1. Averaging", teaches=("rate",), needs=("calculus",), shortest=()),
    "02_both": replace(FIRST, title="2. Both", teaches=(), needs=("rate", "weight"), minutes=55),
}


def test_the_map_shows_minutes_needs_and_the_short_path():
    cards = chapter_map.cards(FRONTS)
    shown = {card[0]: card[1] for card in re.findall(r'<li data-chapter="(\d\d)">(.*?)</li>', cards)}
    assert list(shown) == ["00", "01", "02"] and 'href="02_both.html">Both</a>' in shown["02"]
    assert "55 minutes" in shown["02"] and "30 minutes" in shown["01"] and "A &lt; B." in shown["00"]
    links = {number: re.findall(r'<a href="(\w+)\.html">', card) for number, card in shown.items()}
    assert links == {"00": [], "01": [], "02": ["00_start", "01_averaging"]}
    assert [number for number, card in shown.items() if "◆" in card] == ["00", "02"]
    [style] = re.findall(r"<style>(.*?)</style>", cards)
    assert re.findall(r'"(\d\d)"', style) == ["02", "00", "01"], "only chapter 2 marks others, those that it needs"


def test_the_way_lists_only_the_chapters_on_it():
    assert re.findall(r"\]\((\w+)\.ipynb\): (.*)", contents.way(FRONTS)) == [
        ("00_start", "One · Two"),
        ("02_both", "One · Two"),
    ]


def links(here, text, formulas, monkeypatch):
    """The links that ``text`` gets on the page ``here``, which has the numbered ``formulas``: words → target."""
    document = new_document("page")
    document.settings.env = SimpleNamespace(docname=here)
    builder = SimpleNamespace(get_relative_uri=lambda here, page: f"{page}.html")
    chapters = {"04_mgda": Chapter("4", "", ("1", "2")), "08_adafed": Chapter("8", "", ("10",))}
    monkeypatch.setattr(formula_links.Numbers, "app", SimpleNamespace(srcdir="", builder=builder))
    monkeypatch.setattr(Known, "read", lambda folder: Known(chapters, {}))
    document += [nodes.math_block("", rf"a = b \tag{{{number}}}") for number in formulas]
    document += nodes.paragraph("", "", nodes.Text(text), nodes.literal("", "f(1)"))
    formula_links.Numbers(document).run()
    anchors = [one["ids"] for one in document.findall(nodes.math_block)]
    assert anchors == [[f"equation-{number.lower()}"] for number in formulas]
    assert document[-1].astext() == f"{text}f(1)", "the words stay"
    return {link.astext(): link["refuri"] for link in document.findall(nodes.reference)}


def test_numbers_of_formulas_are_linked_where_the_page_has_them(monkeypatch):
    found = links("04_mgda", "By (1) and (3), f(2) is at most (2).", ["1", "2"], monkeypatch)
    assert found == {"(1)": "#equation-1", "(2)": "#equation-2"}


def test_a_formula_of_another_chapter_leads_there_and_a_papers_nowhere(monkeypatch):
    found = links("04_mgda", "Chapter 8's (10), their (1), formula (2) of chapter 8.", ["1", "2"], monkeypatch)
    assert found == {"(10)": "08_adafed.html#equation-10"}


def test_a_companion_numbers_its_own_with_c_and_means_its_chapters_without(monkeypatch):
    found = links("more/04_mgda_more", "From (C1) and (1) follows (C2).", ["C1"], monkeypatch)
    assert found == {"(C1)": "#equation-c1", "(1)": "04_mgda.html#equation-1"}
