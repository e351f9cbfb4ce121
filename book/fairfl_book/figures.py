"""The book's figure style, its standard plots, and ``show``, which gives every figure an alternative text."""

import base64
import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fairfl._extras import needed_by
from fairfl.errors import refuse, unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

# Okabe and Ito's palette: eight colours that are distinct for colour-blind readers and in print.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "yellow": "#F0E442",
    "black": "#000000",
}
GREY = "#8A8A8A"
SCALE = 2  # image pixels per CSS pixel in each direction, for phones and high-resolution screens


def style() -> None:
    """Set matplotlib's defaults to the book's style for the rest of the notebook."""
    with needed_by("figures.style()"):
        import matplotlib as mpl

    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.dpi": 100,
            "savefig.dpi": 100,
            "figure.constrained_layout.use": True,
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "axes.prop_cycle": mpl.cycler(color=list(COLOURS.values())[:6] + [COLOURS["black"]]),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#E5E5E5",
            "axes.axisbelow": True,
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "axes.labelsize": 10,
            "lines.linewidth": 1.8,
            "legend.frameon": False,
            "legend.fontsize": 10,
            "font.size": 10,
            "image.cmap": "cividis",
        }
    )


def show(figure: "Figure", alt: str) -> None:
    """Show ``figure`` as a cell's output, an HTML image with alternative text ``alt``, and close it.

    ``alt`` describes the figure in a sentence or two. Raises ``Refused`` if it has fewer than four words.
    """
    with needed_by("figures.show()"):
        from IPython.display import display
        from matplotlib import pyplot as plt

    if not isinstance(alt, str) or len(alt.split()) < 4:
        raise refuse(
            "alt", alt, "a sentence of four words or more", "Describe the figure for readers who cannot see it."
        )
    # HTML, because JupyterLab and GitHub ignore alternative text in an image's metadata. The plain text is for front ends without images.
    display({"text/html": image(figure, alt), "text/plain": alt}, raw=True)
    plt.close(figure)


def image(figure: "Figure", alt: str) -> str:
    """``figure`` as an HTML image with embedded data and alternative text ``alt``, no wider than the page.

    The width is an attribute, not a style, because GitHub removes styles, and the image would then be ``SCALE`` times too wide.
    """
    picture = png(figure)
    width = round(int.from_bytes(picture[16:20], "big") / SCALE)  # PNG's header: the width in pixels
    return (
        f'<img alt="{html.escape(alt)}" width="{width}" style="max-width: 100%; height: auto" '
        f'src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
    )


def png(figure: "Figure") -> bytes:
    """``figure`` as a PNG at ``SCALE`` times its size with at most 128 colours: a quarter of the bytes, so notebooks stay reviewable.

    It is as sharp on high-resolution screens as an SVG, which takes twice the bytes.
    """
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    plain = {"compress_level": 0}  # only an intermediate image
    figure.savefig(full, format="png", bbox_inches="tight", dpi=SCALE * figure.dpi, pil_kwargs=plain)
    Image.open(full).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def class_map(axes: "Axes", counts: ArrayLike, classes: Sequence[object], largest: float = 160) -> None:
    """Plot the class distribution: a dot per client and class, with area proportional to the number of rows.

    ``counts`` (N, C) as from ``federation.class_counts()``. ``largest``: area of the largest dot, in points squared.
    """
    counts = np.asarray(counts)
    clients, kinds = np.nonzero(counts)
    area = largest * counts[clients, kinds] / max(counts.max(), 1)
    axes.scatter(clients, kinds, s=area, color=COLOURS["blue"])
    axes.set(
        xlabel="client",
        ylabel="class",
        xticks=range(len(counts)) if len(counts) <= 20 else [],
        yticks=range(len(classes)),
        yticklabels=classes,
        ylim=(len(classes) - 0.4, -0.6),
    )


def client_bars(axes: "Axes", accuracy: ArrayLike, test_sizes: ArrayLike | None = None, colour: str = "blue") -> None:
    """One bar per client, sorted from worst to best, in percent.

    With ``test_sizes``, error bars of one binomial standard error.
    """
    accuracy = np.asarray(accuracy, dtype=float)
    order = np.argsort(accuracy, kind="stable")
    error = None
    if test_sizes is not None:
        error = 100 * np.sqrt(accuracy * (1 - accuracy) / np.asarray(test_sizes))[order]
    axes.bar(range(len(order)), 100 * accuracy[order], yerr=error, color=COLOURS[colour], ecolor=GREY, capsize=2)
    mean = 100 * accuracy.mean()
    axes.axhline(mean, color=COLOURS["black"], linewidth=1, linestyle="--")
    axes.annotate("mean", (0.01, mean), (0, 3), ("axes fraction", "data"), "offset points")  # above the lowest bar
    axes.set(
        xlabel="client, worst to best",
        ylabel="test accuracy (%)",
        ylim=(0, 100),
        xlim=(-1.6, len(order) - 0.3),  # room for "mean", which would overlap the second bar
        xticks=range(len(order)),
        xticklabels=order if len(order) <= 20 else [],
    )


def curves(axes: "Axes", rounds: ArrayLike, accuracy: ArrayLike, label: str = "", colour: str = "blue") -> None:
    """Mean over clients as a line, worst to best client as a band, in percent. ``accuracy`` (E, N)."""
    accuracy = 100 * np.asarray(accuracy, dtype=float)
    axes.plot(rounds, accuracy.mean(1), color=COLOURS[colour], label=label)
    axes.fill_between(rounds, accuracy.min(1), accuracy.max(1), color=COLOURS[colour], alpha=0.15, linewidth=0)
    axes.set(xlabel="round", ylabel="test accuracy (%)", ylim=(0, 100))


def ours_over_theirs(axes: "Axes", ours: "DataFrame", theirs: "DataFrame", row: str, colour: str = "blue") -> None:
    """Mean accuracy of a row over the rounds: the authors' logs in black, our runs in colour, with bands of one standard deviation over seeds.

    ``ours``: a recorded table's ``NAME.curves.csv`` as a ``DataFrame``; ``theirs``: the same table's rows of ``data/papers/fedfv_curves.csv``.
    Both standard deviations divide by the number of seeds. Raises ``Refused`` if either has no such row.
    """
    for name, table in (("ours", ours), ("theirs", theirs)):
        if row not in set(table["row"]):
            raise unknown(f"row of {name}", row, sorted(set(table["row"])))
    theirs = theirs[theirs["row"] == row].sort_values("round")
    seeds = (
        ours[ours["row"] == row]
        .groupby("round")["mean"]
        .agg(mean="mean", mean_std=lambda means: means.std(ddof=0))
        .reset_index()
    )
    for name, table, paint in (("authors' logs", theirs, "black"), ("ours", seeds, colour)):
        axes.plot(table["round"], table["mean"], color=COLOURS[paint], label=name)
        axes.fill_between(
            table["round"],
            table["mean"] - table["mean_std"],
            table["mean"] + table["mean_std"],
            color=COLOURS[paint],
            alpha=0.15,
            linewidth=0,
        )
    axes.set(xlabel="round", ylabel="test accuracy (%)", title=row)
