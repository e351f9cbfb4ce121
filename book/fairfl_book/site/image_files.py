"""Move a chapter's embedded images into files, which are a third smaller and load lazily."""

import base64
import hashlib
import io
import re
from pathlib import Path

from nbformat import NotebookNode

from fairfl import _atomic_files

# The form in which labs/js/lab.js writes a static image: the sheet, a background, and one drawing per panel.
_OUTER = re.compile(r'(?P<before><svg [^>]*?class="fairfl-lab" )viewBox="[^"]*" (?P<size>width="[^"]*" height="[^"]*")')
_PANEL = re.compile(r'<svg x="[^"]*" y="[^"]*" width="(?P<width>[^"]*)" height="(?P<height>[^"]*)"')
_GAP = 16
_IMAGE = re.compile(r'<img ([^>]*?)src="data:image/png;base64,([^"]+)"')


def take_out(page: NotebookNode, folder: Path, address: str) -> set[Path]:
    """Replace every PNG in the HTML outputs of ``page`` by a lossless WebP file in ``folder``, and every SVG by a file
    (a lab's by two) with its description as alternative text. Returns these files.

    ``address``: the path of ``folder`` relative to the page. File names are hashes of the contents, so existing files
    are reused.
    """
    files = set()

    def out(image: re.Match) -> str:
        png = base64.b64decode(image[2])
        file = folder / f"{hashlib.sha256(png).hexdigest()[:16]}.webp"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _atomic_files.write(file, smaller(png))
        files.add(file)
        width = re.search(r'width="(\d+)"', image[1])
        high = f'height="{round(int(width[1]) * _height(png) / _width(png))}" ' if width else ""
        return f'<img {image[1]}{high}loading="lazy" src="{address}/{file.name}"'

    def kept(drawn: str) -> Path:
        file = folder / f"{hashlib.sha256(drawn.encode()).hexdigest()[:16]}.svg"
        folder.mkdir(parents=True, exist_ok=True)
        _atomic_files.write(file, drawn.encode())
        files.add(file)
        return file

    for cell in page.cells:
        for output in cell.get("outputs", []):
            if "image/svg+xml" in output.get("data", {}):
                drawn = output.data["image/svg+xml"]
                wide, tall = kept(drawn), kept(stacked(drawn))
                words = re.search(r'aria-label="([^"]*)"', drawn)
                image = f'<img alt="{words[1] if words else ""}" loading="lazy" src="{address}/{wide.name}">'
                if tall != wide:
                    image = (
                        f'<picture><source media="(max-width: 600px)" srcset="{address}/{tall.name}">{image}</picture>'
                    )
                output.data = {"text/html": image}
            elif "text/html" in output.get("data", {}):
                output.data["text/html"] = _IMAGE.sub(out, output.data["text/html"])
    return files


def stacked(drawn: str) -> str:
    """A lab's drawing with its panels stacked vertically, so that text stays readable on a phone. Other drawings are
    unchanged."""
    outer = _OUTER.match(drawn)
    panels = list(_PANEL.finditer(drawn)) if outer else []
    if len(panels) < 2:
        return drawn
    wide = max(float(panel["width"]) for panel in panels)
    top, pieces, end = 0.0, [], 0
    for panel in panels:
        x, height = (wide - float(panel["width"])) / 2, float(panel["height"])
        pieces += [
            drawn[end : panel.start()],
            f'<svg x="{x:g}" y="{top:g}" width="{panel["width"]}" height="{panel["height"]}"',
        ]
        top, end = top + height + _GAP, panel.end()
    size = f'width="{wide:g}" height="{top - _GAP:g}"'
    body = "".join([*pieces, drawn[end:]])[outer.end() :].replace(f"<rect {outer['size']}", f"<rect {size}", 1)
    return f'{outer["before"]}viewBox="0 0 {wide:g} {top - _GAP:g}" {size}{body}'


def smaller(png: bytes) -> bytes:
    """Convert a PNG to a lossless WebP."""
    from PIL import Image

    webp = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGBA").save(webp, format="webp", lossless=True, quality=60, method=3)
    return webp.getvalue()


def _width(png: bytes) -> int:
    return int.from_bytes(png[16:20], "big")  # in PNG's header


def _height(png: bytes) -> int:
    return int.from_bytes(png[20:24], "big")
