"""A lab's pictures drawn in advance: one background for states that share their scenery, and what differs from it per state."""

import hashlib
import inspect
import io
import json
import os
import pickle
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.ndimage import maximum_filter

from fairfl_book import figures, toy
from fairfl_book.site.tours import Tour

DPI = 150  # the page shows it at 100: sharp on fine screens as well
MARGIN = 4  # pixels around what differs: a phone shows one pixel for three or four
RECORD = "tour.json"


def draw_all(tours: Sequence[Tour], folder: Path, workers: int | None = None) -> list[str]:
    """Draw what is missing or out of date under ``folder``, a lab a folder; returns the names of the labs that were drawn."""
    order = sorted(tours, key=len, reverse=True)
    folders = [folder / tour.name for tour in order]
    workers = min(workers or os.cpu_count() or 1, len(order))
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            drawn = list(pool.map(refresh, order, folders))
    else:
        drawn = list(map(refresh, order, folders))
    return [tour.name for tour, anew in zip(order, drawn) if anew]


def refresh(tour: Tour, folder: Path) -> bool:
    """Draw the tour into ``folder`` unless that holds its pictures as they would be now; returns whether it was drawn."""
    states = list(tour.states())
    numbers = [tour.lab.numbers(**state) for state in states]
    made_from = _made_from(tour, numbers)
    record = folder / RECORD
    if record.exists() and json.loads(record.read_text(encoding="utf-8"))["made_from"] == made_from:
        return False
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    told = _draw(tour, states, numbers, part)
    (part / RECORD).write_text(json.dumps({"made_from": made_from, **told}, ensure_ascii=False), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    return True


def _made_from(tour: Tour, numbers: Sequence[dict]) -> str:
    """A digest of all that the pictures depend on: the numbers, the code that draws them, matplotlib."""
    digest = hashlib.sha256(repr((DPI, list(tour.values.items()), version("matplotlib"))).encode())
    drawing = [kind for kind in type(tour.lab).__mro__ if kind.__module__.startswith("fairfl.")]
    for path in sorted({inspect.getfile(thing) for thing in (*drawing, figures, toy, refresh)}):
        digest.update(Path(path).read_bytes())
    for one in numbers:
        digest.update(pickle.dumps(one))
    return digest.hexdigest()


def _draw(tour: Tour, states: Sequence[dict], numbers: Sequence[dict], folder: Path) -> dict:
    """Write ``base-N.webp`` and ``frame-NNN.webp`` of every state; returns what a page has to know of them."""
    pixels = _pictures(tour, numbers)
    sceneries = [tour.scenery(state) for state in states]
    distinct = list(dict.fromkeys(sceneries))
    for number, scenery in enumerate(distinct):
        members = [n for n, of in enumerate(sceneries) if of == scenery]
        base = _background([pixels[n] for n in members])
        (folder / f"base-{number}.webp").write_bytes(_webp(base))
        for n in members:
            (folder / f"frame-{n:03d}.webp").write_bytes(_webp(_difference(pixels[n], base)))
    height, width = (round(side * 100 / DPI) for side in pixels[0].shape[:2])
    return {
        "width": width,
        "height": height,
        "base": [distinct.index(scenery) for scenery in sceneries],
        "words": ["\n".join(tour.lab.words(one)) for one in numbers],
        "alt": [tour.lab.alt(one) for one in numbers],
    }


def _pictures(tour: Tour, numbers: Sequence[dict]) -> list[np.ndarray]:
    """Pixels (height, width, 4), opaque, of each state, in place in one figure as the live lab does it."""
    from matplotlib import pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    pixels = []
    with figures.book_style():
        figure, axes = tour.lab.axes()
        figure.set_dpi(DPI)
        canvas = FigureCanvasAgg(figure)
        for one in numbers:
            for axis in figure.axes:
                axis.clear()
            tour.lab.draw(axes, one)
            canvas.draw()
            pixels.append(np.asarray(canvas.buffer_rgba()).copy())
    plt.close(figure)
    return pixels


def _background(pictures: Sequence[np.ndarray]) -> np.ndarray:
    """What most of the pictures have in common. The median of some of them: any background gives the right pictures."""
    some = pictures[:: max(1, len(pictures) // 9)]
    return np.median(np.stack(some), axis=0).astype(np.uint8)


def _difference(picture: np.ndarray, base: np.ndarray) -> np.ndarray:
    """The picture where it differs from ``base`` and a little around, so that no edge shows when a page makes it smaller;
    transparent elsewhere."""
    differs = (picture.view(np.uint32) != base.view(np.uint32))[..., 0]
    around = maximum_filter(differs.astype(np.uint32), 2 * MARGIN + 1)
    return (picture.view(np.uint32) * around[..., None]).view(np.uint8)


def _webp(pixels: np.ndarray) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "webp", lossless=True, quality=30, method=1)
    return buffer.getvalue()
