"""Remove what the theme ships and no page needs: scripts for icons that a font draws, and a search that is not shown."""

import re
import shutil
from pathlib import Path

# Icons come from the theme's fonts; the search has a page of its own, which alone reads the index.
_ICONS = r'\s*<script defer src="[^"]*fontawesome\.js[^"]*"></script>'
_SEARCH = r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex|hits)\.js[^"]*"></script>'
_TWICE = (
    r'\s*<meta name="viewport" content="width=device-width, initial-scale=1"\s*/?>'  # the theme's own, after Sphinx's
)
# The theme's header is not shown, but its buttons come before those of the page, and the theme would give them the clicks.
_HIDDEN = r'(?s)\s*<button class="pst-navbar-icon sidebar-toggle (?:primary|secondary)-toggle".*?</button>'
# Where a server hands the notebook out it is kept as a file; from disk a browser shows it, beside the page.
_NOTEBOOK, _KEPT = re.compile(r'(<a href="[^"]+\.ipynb") (target="_blank")'), r"\1 download \2"
_UNUSED = ("scripts/fontawesome.js*", "scripts/*.map", "styles/*.map", "*webpack-macros.html", "locales", "vendor/fontawesome/webfonts/fa-brands*")  # fmt: skip


# What a search has found is marked on its page; in a drawing the mark would need a size that its title has not.
_MARKED, _NO_DRAWING = '"button, select, textarea"', '"button, select, textarea, svg"'


def slim(html: Path) -> None:
    """Make the built pages under ``html`` lighter, and remove files that no page asks for."""
    marks = html / "_static" / "sphinx_highlight.js"
    marks.write_text(marks.read_text(encoding="utf-8").replace(_MARKED, _NO_DRAWING), encoding="utf-8")
    for path in html.rglob("*.html"):
        if html / "_static" not in path.parents:
            page = path.read_text(encoding="utf-8")
            for unused in (_ICONS, _TWICE, _HIDDEN, *([] if path.name == "search.html" else [_SEARCH])):
                page = re.sub(unused, "", page)
            page = _NOTEBOOK.sub(_KEPT, page)
            path.write_text(page, encoding="utf-8")
    for pattern in _UNUSED:
        for path in (html / "_static").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
