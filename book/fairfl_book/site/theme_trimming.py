"""Remove unused parts of the theme and of Sphinx: scripts for icons that a font provides, and another search; remove barriers from what is left."""

import re
import shutil
from pathlib import Path

from fairfl_book.site import barriers

# Icons come from the theme's fonts. The book has its own search (search_index.py).
_ICONS = r'\s*<script defer src="[^"]*fontawesome\.js[^"]*"></script>'
_SEARCH = r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex|sphinx_highlight)\.js[^"]*"></script>'
# The theme's own viewport, after Sphinx's.
_TWICE = r'\s*<meta name="viewport" content="width=device-width, initial-scale=1"\s*/?>'
# The theme's header is hidden, but its buttons come first in the page, and the theme would attach the click handlers to
# them.
_HIDDEN = r'(?s)\s*<button class="pst-navbar-icon sidebar-toggle (?:primary|secondary)-toggle".*?</button>'
# From a server, the link downloads the notebook. From disk, browsers show it, so it opens in a new tab.
_NOTEBOOK, _KEPT = re.compile(r'(<a href="[^"]+\.ipynb") (target="_blank")'), r"\1 download \2"
_UNUSED = ("searchtools.js", "language_data.js", "sphinx_highlight.js", "scripts/fontawesome.js*", "scripts/*.map", "styles/*.map", "*webpack-macros.html", "locales", "vendor/fontawesome/webfonts/fa-brands*")  # fmt: skip


def slim(html: Path) -> None:
    """Make the pages under ``html`` smaller and easier for all readers, and remove files that no page uses."""
    for path in html.rglob("*.html"):
        if html / "_static" not in path.parents:
            page = path.read_text(encoding="utf-8")
            for unused in (_ICONS, _TWICE, _HIDDEN, _SEARCH):
                page = re.sub(unused, "", page)
            page = _NOTEBOOK.sub(_KEPT, page)
            path.write_text(barriers.mended(page), encoding="utf-8")
    for pattern in _UNUSED:
        for path in (html / "_static").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
