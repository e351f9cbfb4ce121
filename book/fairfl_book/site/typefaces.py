"""Load the site's typefaces, if they were downloaded. Without them, pages take the system's (``look.css``)."""

import re
from pathlib import Path

from sphinx.application import Sphinx

from fairfl_book.site import third_party

_FACE = re.compile(r"@font-face *\{[^}]*\}")
_URL = re.compile(r"url\(([^)]+)\)")


def load(app: Sphinx) -> None:
    """Add the typefaces' style sheets to every page."""
    for style in third_party.STYLES:
        if (Path(app.srcdir) / "_static" / "vendor" / style).is_file():
            app.add_css_file(f"vendor/{style}")


def drop_absent(vendor: Path) -> None:
    """Remove the parts of the copied style sheets whose font files are not there, such as Vietnamese. A browser would
    ask for such a file because of one combining accent."""
    for style in third_party.STYLES:
        if (file := vendor / style).is_file():
            there = lambda face, folder=file.parent: all((folder / name).is_file() for name in _URL.findall(face))
            faces = _FACE.findall(file.read_text(encoding="utf-8"))
            file.write_text("\n".join(face for face in faces if there(face)), encoding="utf-8")
