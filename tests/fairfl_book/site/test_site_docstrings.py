import pkgutil
import re

import pytest

pytest.importorskip("sphinx", reason="the site's packages are not installed (pip install -e '.[book]')")

from fairfl_book import book_paths
from fairfl_book.site import sphinx_extension

import fairfl


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("the scale |f|^γ and ``a * b``, w* and f_", "the scale \\|f\\|^γ and ``a * b``, w\\* and f\\_"),
        ("smallest_rate stays", "smallest_rate stays"),
        ("code::\n\n    a * b\n\nthen |f|", "code::\n\n    a * b\n\nthen \\|f\\|"),
        ("``two\nlines * here``", "``two\nlines * here``"),
    ],
)
def test_docstrings_are_plain_text_with_code(text, wanted):
    assert sphinx_extension.escape(text) == wanted


def test_every_public_subpackage_has_a_page_in_the_order_of_the_data():
    text = (book_paths.find().root / "book" / "pages" / "api" / "index.rst").read_text(encoding="utf-8")
    pages = re.findall(r"^   ((?:fairfl|fairfl_book|reproductions)\b[\w.]*)$", text, re.MULTILINE)
    public = {f"fairfl.{found.name}" for found in pkgutil.iter_modules(fairfl.__path__) if found.name[0] != "_"}
    assert {name for name in pages if name.startswith("fairfl.")} == public and len(set(pages)) == len(pages)
    flow = [pages.index(f"fairfl.{name}") for name in ("data", "partition", "clients", "rules", "training")]
    assert flow == sorted(flow) and pages.index("fairfl_book.labs") > max(flow)
