"""Decode the images in parquet files to uint8 pixels, once, and keep them in the cache."""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairfl import _atomic_files
from fairfl._extras import needed_by
from fairfl._incoming import regular
from fairfl.data import data_folder
from fairfl.data.parquet_reader import Table, broken
from fairfl.errors import Refused

VERSION = 1  # of the cached files' content: raise it when decoding changes
IMAGE, LABEL = ("image", "img"), ("label", "labels", "fine_label")


@dataclass(frozen=True)
class Pixels:
    """One part of an image dataset, decoded.

    ``images`` (N, C, H, W) uint8; ``labels`` (N,) int64, or text; ``clients`` (N,) integers or text, or None;
    ``names``: the class names stored in the files, or None; ``jpeg``: whether any image was read from JPEG bytes,
    which do not hold the original pixels of a losslessly published dataset; ``sizes``: the number of rows per file.
    """

    images: np.ndarray
    labels: np.ndarray
    clients: np.ndarray | None = None
    names: tuple[str, ...] | None = None
    jpeg: bool = False
    sizes: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.images)


def read(
    files: list[Path],
    *,
    image: str | None = None,
    label: str | None = None,
    client: str | None = None,
    channels: int | None = None,
    like: tuple[str, tuple[int, int, int]] | None = None,
) -> Pixels:
    """All rows of some shards, in order.

    ``channels``: 1 or 3 converts every image, None keeps their channels. ``like``: the name of the dataset that the
    images must match, and their shape (default: those of the first file).

    Raises ``Refused`` naming the file for a damaged file, a missing column, an image that does not decode, or images of
    different shapes; see ``Table``.
    """
    parts = [_read_one(file, image, label, client, channels) for file in files]
    whose, shape = like or (files[0], parts[0].images.shape[1:])
    for file, part in zip(files, parts):
        if part.images.shape[1:] != shape:
            raise broken(
                file,
                f"its images are {part.images.shape[1:]} (channels, height, width), and those of {whose} are {shape}",
            )
        if part.labels.dtype.kind != ("i" if like else parts[0].labels.dtype.kind):
            kind = "text" if part.labels.dtype.kind == "U" else "numbers"
            raise broken(file, f"its labels are {kind}, unlike those of {whose}")
    clients = None if client is None else np.concatenate([p.clients for p in parts])
    return Pixels(
        np.concatenate([p.images for p in parts]),
        np.concatenate([p.labels for p in parts]),
        clients,
        parts[0].names,
        any(p.jpeg for p in parts),
        tuple(map(len, parts)),
    )


def _read_one(file: Path, image: str | None, label: str | None, client: str | None, channels: int | None) -> Pixels:
    table = Table(file)
    image, label = table.column(image, IMAGE, "image"), table.column(label, LABEL, "label")
    columns = [image, label] + ([table.column(client, (), "client")] if client is not None else [])
    kept = _kept_at(file, columns, channels)
    arrays = _recall(kept)
    if arrays is None or arrays["images"].dtype != np.uint8 or len(arrays["images"]) != len(table):
        arrays = _decode(table, columns, channels)
        _keep(kept, arrays)
    return Pixels(
        arrays["images"], arrays["labels"], arrays.get("clients"), table.class_names(label), bool(arrays["jpeg"])
    )


def _decode(table: Table, columns: list[str], channels: int | None) -> dict[str, np.ndarray]:
    images, jpeg, cells = np.empty(0), False, table.values(columns[0])
    for row, cell in enumerate(cells):
        data: Any = cell.get("bytes") if isinstance(cell, dict) else cell
        pixels = _pixels(table.file, row, data, channels)
        jpeg = jpeg or data[:2] == b"\xff\xd8"
        images = images if row else np.empty((len(cells), *pixels.shape), np.uint8)
        if pixels.shape != images.shape[1:]:
            raise broken(
                table.file,
                f"image {row} has the shape {pixels.shape} (channels, height, width), and the first "
                f"{images.shape[1:]}; channels=1 or channels=3 converts grey and colour images to one kind",
            )
        images[row] = pixels
    facts = {what: _fact(table, column) for what, column in zip(("labels", "clients"), columns[1:])}
    return {"images": images, "jpeg": np.array(jpeg), **facts}


def _pixels(file: Path, row: int, data: object, channels: int | None) -> np.ndarray:
    """One image as (C, H, W) uint8."""
    with needed_by(f"reading {file}"):
        from PIL import Image

    if not isinstance(data, bytes):
        raise broken(file, f"row {row} has no image bytes (a path alone is not enough)")
    try:
        picture = Image.open(io.BytesIO(data))
        picture.load()
    except Exception as failure:  # Pillow raises its own errors, OSError, SyntaxError or struct.error
        raise broken(file, f"image {row} does not decode ({failure})") from None
    if picture.mode[0] in "IF":
        raise broken(file, f"image {row} has more than 8 bits per channel (mode {picture.mode})")
    mode = {None: {"1": "L", "L": "L"}.get(picture.mode, "RGB"), 1: "L", 3: "RGB"}[channels]
    array = np.asarray(picture if picture.mode == mode else picture.convert(mode))
    return array[None] if array.ndim == 2 else array.transpose(2, 0, 1)


def _fact(table: Table, column: str) -> np.ndarray:
    """A column of integers as int64, or of text as text. No value may be missing."""
    values = table.values(column)
    if None in values:
        raise broken(table.file, f"column {column!r} has no value in row {values.index(None)}")
    array = np.asarray(values)
    if array.dtype.kind not in "iubU":
        raise broken(table.file, f"column {column!r} holds {array.dtype}; integers or text are needed")
    return array if array.dtype.kind == "U" else array.astype(np.int64)


def _kept_at(file: Path, columns: list[str], channels: int | None) -> Path:
    """The cached file, named by the content of ``file``, so a changed file is decoded again."""
    with open(file, "rb") as opened:
        content = hashlib.file_digest(opened, "blake2b").hexdigest()
    address = f"{VERSION}/{content}/{file.stat().st_size}/{columns}/{channels}"
    digest = hashlib.blake2b(address.encode(), digest_size=10).hexdigest()
    return data_folder.cache() / "pixels" / f"{file.stem}-{digest}.npz"


def _recall(kept: Path) -> dict[str, np.ndarray] | None:
    try:
        with np.load(regular(kept)) as stored:
            return {name: stored[name] for name in stored.files}
    except Exception:  # absent, truncated or foreign: in any case the source file can be decoded again
        return None


def _keep(kept: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write the cached file atomically: another process must never read half of it."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with _atomic_files.writing(kept) as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
    except (OSError, Refused):  # with a full or read-only disk, the next load only takes longer
        pass
