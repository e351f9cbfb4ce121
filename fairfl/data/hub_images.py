"""Any other image dataset in the Hugging Face hub's parquet layout, with its clients if a column names them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fairfl.data import data_folder, image_decoding
from fairfl.data.dataset import Dataset
from fairfl.data.normalisation import Normalise, assemble
from fairfl.data.parquet_reader import broken
from fairfl.errors import refuse


def load(
    path: str | Path,
    *,
    image: str | None = None,
    label: str | None = None,
    client: str | None = None,
    test: str | None = None,
    channels: int | None = None,
    normalise: Normalise = None,
) -> Dataset:
    """Images, labels and clients from parquet files: FEMNIST by writer, CINIC-10, TinyImageNet, your own.

    - ``path``: one ``.parquet`` file (training rows only), or a prefix or folder as ``data_folder.shards`` reads it. A
      relative path that does not exist in the current folder is looked up under ``$FAIRFL_DATA``.
    - ``test``: the part that becomes the test rows; None takes "test" if there is one (TinyImageNet's is "valid").
    - ``image``, ``label``: the columns, by default the usual names. Images are encoded bytes (PNG, JPEG, ...) of one
      shape; labels are integers from 0, or text.
    - ``client``: a column of integers or text, one value per client; it becomes ``columns["client"]`` and its
      ``column_names``.
    - ``channels``: 1 or 3 converts every image. ``normalise``: see ``fairfl.data.normalisation.assemble``.

    The class names are those stored in the files (the hub writes them), else the label texts, else the numbers.
    Raises ``FileNotFoundError`` if there is no such file, and ``Refused`` naming the file if it is damaged.

        data.load("parquet", path="femnist", image="image", label="character", client="writer_id")
    """
    if channels not in (None, 1, 3):
        raise refuse("channels", channels, "None, 1 or 3", "1 makes images grey, 3 makes them RGB.")
    train, tested = _files(Path(path).expanduser(), test)
    whole = image_decoding.read([*train, *tested], image=image, label=label, client=client, channels=channels)
    border, labels = sum(whole.sizes[: len(train)]), whole.labels
    classes: Sequence[object] | None = whole.names
    if labels.dtype.kind == "U":  # numbered in alphabetical order
        texts, labels = np.unique(labels, return_inverse=True)
        classes = texts.tolist()
    elif labels.min() < 0:
        raise broken(
            [*train, *tested][0 if labels[:border].min() < 0 else len(train)],
            f"its smallest label is {labels.min()}, and classes count from 0 (on the hub, -1 means withheld labels)",
        )
    elif labels.max() >= (most := max(len(labels), 10_000) if classes is None else len(classes)):
        held = f"has {len(labels)} rows" if classes is None else f"names {most} classes"
        raise broken(train[0], f"its largest label is {labels.max()}, and it {held}")
    columns: dict[str, ArrayLike] = {}
    column_names = {}
    if whole.clients is not None:
        values, columns["client"] = np.unique(whole.clients, return_inverse=True)
        column_names["client"] = tuple(map(str, values))
    classes = range(labels.max() + 1) if classes is None else classes
    return assemble(
        Path(path).stem,
        replace(whole, labels=labels),
        border,
        classes,
        normalise,
        ["read from JPEG"] * whole.jpeg,
        columns,
        column_names,
    )


def _files(path: Path, test: str | None) -> tuple[list[Path], list[Path]]:
    own = data_folder.own()
    bases = [path, own / path] if own and not path.is_absolute() else [path]
    for base in bases:
        if base.is_file():
            return [base], []
        if train := data_folder.shards(base, "train"):
            tested = data_folder.shards(base, test or "test")
            if test is not None and not tested:
                raise FileNotFoundError(
                    f"there is no part {test!r} beside {train[0]}; name another part, or leave test out"
                )
            return train, tested
    raise FileNotFoundError(
        f"no parquet files at {' or '.join(map(str, bases))}. Give a .parquet file, a prefix with "
        f"PREFIX-train.parquet, or a folder with train-00000-of-00001.parquet and the other shards."
    )
