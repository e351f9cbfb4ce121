"""The pictures of a chapter, taken out of its outputs: files of their own, a third smaller, loaded as the reader comes near them."""

import base64
import hashlib
import io
import re
from pathlib import Path

from nbformat import NotebookNode

from fairfl import atomic

_IMAGE = re.compile(r'<img ([^>]*?)src="data:image/png;base64,([^"]+)"')


def take_out(page: NotebookNode, folder: Path, address: str) -> set[Path]:
    """Replace every PNG in the HTML outputs of ``page`` by a lossless WebP in ``folder``, and every SVG by a file with its own description
    as alternative text; returns these files.

    ``address``: of ``folder``, as the page sees it. A file's name is its content's, so one that is there already is the right one.
    """
    files = set()

    def out(image: re.Match) -> str:
        png = base64.b64decode(image[2])
        file = folder / f"{hashlib.sha256(png).hexdigest()[:16]}.webp"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            atomic.write(file, smaller(png))
        files.add(file)
        width = re.search(r'width="(\d+)"', image[1])
        high = f'height="{round(int(width[1]) * _height(png) / _width(png))}" ' if width else ""
        return f'<img {image[1]}{high}loading="lazy" src="{address}/{file.name}"'

    for cell in page.cells:
        for output in cell.get("outputs", []):
            if "image/svg+xml" in output.get("data", {}):
                drawn = output.data["image/svg+xml"].encode()
                file = folder / f"{hashlib.sha256(drawn).hexdigest()[:16]}.svg"
                folder.mkdir(parents=True, exist_ok=True)
                atomic.write(file, drawn)
                files.add(file)
                words = re.search(rb'aria-label="([^"]*)"', drawn)
                alt = words[1].decode() if words else ""
                output.data = {"text/html": f'<img alt="{alt}" loading="lazy" src="{address}/{file.name}">'}
            elif "text/html" in output.get("data", {}):
                output.data["text/html"] = _IMAGE.sub(out, output.data["text/html"])
    return files


def smaller(png: bytes) -> bytes:
    """A PNG as WebP, every pixel as it was."""
    from PIL import Image

    webp = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGBA").save(webp, format="webp", lossless=True, quality=60, method=3)
    return webp.getvalue()


def _width(png: bytes) -> int:
    return int.from_bytes(png[16:20], "big")  # in PNG's header


def _height(png: bytes) -> int:
    return int.from_bytes(png[20:24], "big")
