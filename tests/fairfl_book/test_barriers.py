"""What screen readers and keyboards would stumble over in the theme's HTML is mended, and nothing else is touched."""

from fairfl_book.site import barriers


def test_a_fold_is_called_by_its_title_and_a_part_of_the_menu_by_its_link():
    fold = '<summary{}>\n<p class="collapsed admonition-title">The imports</p></summary>'
    assert barriers.mended(fold.format(' aria-label="Toggle hidden content"')) == fold.format("")
    menu = '<li class="toctree-l1 has-children"><a href="04.html">4. One &amp; all</a><details><summary{}><span></span></summary></details></li>'
    assert barriers.mended(menu.format("")) == menu.format(' aria-label="4. One &amp; all"')
    own = '<details class="answer"><summary aria-label="mine">A hint</summary></details>'
    assert barriers.mended(own) == own


def test_an_empty_heading_is_a_cell_and_one_with_words_stays():
    row = '<tr><th class="head"><p></p></th><th class="head"><p>mean</p></th><th scope="col" align="left"></th><th>a</th></tr>'
    assert (
        barriers.mended(row)
        == '<tr><td class="head"></td><th class="head"><p>mean</p></th><td align="left"></td><th>a</th></tr>'
    )


def test_a_long_signature_is_a_list_and_definitions_stay():
    signature = '<dt class="sig"><dl>\n<dd><em class="sig-param">G</em>,</dd>\n<dd><em class="sig-param">hull</em>,</dd>\n</dl>\n)</dt>'
    mended = barriers.mended(signature)
    assert mended.count("<li>") == mended.count("</li>") == 2 and "<dd>" not in mended and "<dl>" not in mended
    definitions = "<dl><dt>hull</dt><dd>All averages.</dd></dl>"
    assert barriers.mended(definitions) == definitions
