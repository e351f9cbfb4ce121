"""Mend what Sphinx and the theme write and a screen reader or a keyboard would stumble over. axe-core finds such barriers in the tests of the site."""

import re

# An aria-label that hides the words of the element itself: the title of a fold, and the key of the search.
_HIDING = re.compile(
    r'(<summary) aria-label="Toggle hidden content"|(<button class="btn search-button-field[^>]*?) aria-label="[^"]*"'
)
# An entry of the menu with a fold, whose arrow has no name.
_FOLD = re.compile(r"(<li [^>]*has-children[^>]*>\s*<a [^>]*>)([^<]*)(</a>\s*<details[^>]*><summary)(>)")
_CORNER = re.compile(r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>")  # an empty cell is the heading of nothing
_SCOPE = re.compile(r' scope="[^"]*"')
# The parameters of a long signature are a list of definitions without terms.
_PARAMETERS = re.compile(r'<dl>\s*(<dd><em class="sig-param">.*?)</dl>', re.DOTALL)
_MENU = '<div id="pst-primary-sidebar"'  # without a role, the book's title in it is part of no region of the page


def mended(page: str) -> str:
    """The HTML of a page without these barriers."""
    page = _HIDING.sub(lambda found: found[1] or found[2], page)
    page = _FOLD.sub(r'\1\2\3 aria-label="\2"\4', page)
    page = without_empty_headings(page)
    page = _PARAMETERS.sub(_listed, page)
    return page.replace(_MENU, f'{_MENU} role="complementary"')


def without_empty_headings(page: str) -> str:
    """``page`` with ordinary cells in place of empty headings of tables, such as the corner above labels."""
    return _CORNER.sub(lambda found: f"<td{_SCOPE.sub('', found[1])}></td>", page)


def _listed(found: re.Match) -> str:
    items = found[1].replace("<dd>", "<li>").replace("</dd>", "</li>")
    return f'<ul class="parameters">{items}</ul>'
