"""What the theme ships and no page of the book needs is taken away: scripts of icons that are drawn by a font, a search that is not shown."""

import re
import shutil
from pathlib import Path

# Icons come from the theme's fonts; the search has a page of its own, which alone reads the index.
_ICONS = r'\s*<script defer src="[^"]*fontawesome\.js[^"]*"></script>'
_SEARCH = r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex|hits)\.js[^"]*"></script>'
_TWICE = (
    r'\s*<meta name="viewport" content="width=device-width, initial-scale=1"\s*/?>'  # the theme's own, after Sphinx's
)
_UNUSED = ("scripts/fontawesome.js*", "scripts/*.map", "styles/*.map", "*webpack-macros.html", "locales", "vendor/fontawesome/webfonts/fa-brands*")  # fmt: skip


def slim(html: Path) -> None:
    """Make the built pages under ``html`` lighter, and remove files that no page asks for."""
    for path in html.rglob("*.html"):
        if html / "_static" not in path.parents:
            page = path.read_text(encoding="utf-8")
            for unused in (_ICONS, _TWICE, *([] if path.name == "search.html" else [_SEARCH])):
                page = re.sub(unused, "", page)
            path.write_text(page, encoding="utf-8")
    for pattern in _UNUSED:
        for path in (html / "_static").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
