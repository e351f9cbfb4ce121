"""A PDF with fewer bytes and the same pages: Typst stores every picture in full colours and every tag on its own."""

import io
import zlib

from fairfl._extras import needed_by

_PALETTE = 256  # colours that one byte per pixel can name


def slimmed(pdf: bytes) -> bytes:
    """``pdf`` with a palette for each picture of few colours, and with its small objects compressed together. Equal books give equal bytes."""
    with needed_by("the book as a PDF"):
        import pikepdf

    kept = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as book:
        for one in book.objects:
            if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == pikepdf.Name.Image:
                _with_palette(one)
        book.save(kept, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    return kept.getvalue()


def _with_palette(image) -> None:
    """Store ``image`` with a palette, if it has eight bits of red, green and blue and at most 256 colours."""
    import numpy as np
    import pandas as pd
    import pikepdf

    pixels = image.read_bytes()
    if len(pixels) != 3 * int(image.Width) * int(image.Height) or any(key in image for key in ("/SMask", "/Decode")):
        return
    channels = np.frombuffer(pixels, np.uint8).reshape(-1, 3).astype(np.uint32)
    names, colours = pd.factorize(channels[:, 0] << 16 | channels[:, 1] << 8 | channels[:, 2])
    if len(colours) > _PALETTE:
        return
    palette = np.stack([colours >> 16, colours >> 8, colours], 1).astype(np.uint8).tobytes()
    image.ColorSpace = pikepdf.Array(
        [pikepdf.Name.Indexed, image.ColorSpace, len(colours) - 1, pikepdf.String(palette)]
    )
    image.write(zlib.compress(names.astype(np.uint8).tobytes(), 9), filter=pikepdf.Name.FlateDecode)
