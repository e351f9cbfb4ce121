"""Pictures of stored outputs as files for Typst. Drawings stay vector graphics."""

import base64
import hashlib
import html
import re
from pathlib import Path

from fairfl import _atomic_files
from fairfl.errors import Refused
from fairfl_book.paper.typst_text import called, quoted

_IMAGE = re.compile(r"<img\b[^>]*>")
_SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)(?:px)?"')
_SCREEN_FONT = re.compile(r"font: ?(\d+)px [^}]*sans-serif")
POINTS = 0.6  # on paper for a CSS pixel: a figure's letters become a little smaller than the text's


class Pictures:
    """Writes the book's pictures into ``folder``, each once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def in_page(self, page: str, where: str) -> str:
        """The images of an HTML output. Raises ``Refused`` if one is not embedded."""
        made = []
        for image in _IMAGE.findall(page):
            found = re.search(r'src="data:image/([a-z+]+);base64,([^"]+)"', image)
            if not found:
                raise Refused(
                    f"{where}: an output shows an image that is not embedded. Show it with figures.show.", "file"
                )
            words, width = re.search(r'alt="([^"]*)"', image), re.search(r'width="(\d+)"', image)
            kind = "svg" if found[1] == "svg+xml" else found[1]
            alt = html.unescape(words[1]) if words else ""
            made.append(self._placed(base64.b64decode(found[2]), kind, alt, float(width[1]) if width else 0))
        return "".join(made)

    def drawing(self, svg: str, alt: str = "") -> str:
        """An SVG. Its letters get a font that paper has, a little smaller, because that font is wider than a screen's."""
        size = _SIZE.search(svg)
        if not alt and (words := re.search("<desc>(.*?)</desc>", svg, re.DOTALL)):
            alt = html.unescape(words[1])
        svg = _SCREEN_FONT.sub(lambda found: f'font:{0.86 * int(found[1]):.4g}px "DejaVu Sans"', svg)
        return self._placed(svg.encode(), "svg", alt, float(size[1]) if size else 0)

    def _placed(self, data: bytes, kind: str, alt: str, pixels: float) -> str:
        name = f"{hashlib.sha256(data).hexdigest()[:20]}.{kind}"
        if not (self.folder / name).exists():
            _atomic_files.write(self.folder / name, data)
        width = f"{POINTS * pixels:.5g}pt" if pixels else "auto"
        return called("picture", quoted(f"{self.folder.name}/{name}"), width, quoted(alt)) + "\n"
