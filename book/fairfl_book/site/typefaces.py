"""Load the site's typefaces, if they were downloaded. Without them, pages take the system's (``look.css``)."""

from pathlib import Path

from sphinx.application import Sphinx

from fairfl_book.site import third_party


def load(app: Sphinx) -> None:
    """Add the typefaces' style sheets to every page."""
    for style in third_party.STYLES:
        if (Path(app.srcdir) / "_static" / "vendor" / style).is_file():
            app.add_css_file(f"vendor/{style}")
