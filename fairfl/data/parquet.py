"""Any other image dataset in the Hugging Face hub's parquet layout, with its clients where a column names them."""

from pathlib import Path

import numpy as np
import torch

from fairfl.data import pixels, places
from fairfl.data.dataset import Dataset
from fairfl.data.scaling import assemble
from fairfl.data.tables import broken
from fairfl.errors import refuse


def load(path: str | Path, *, image: str | None = None, label: str | None = None, client: str | None = None,
         test: str | None = None, channels: int | None = None, normalise=None) -> Dataset:
    """Images, labels and clients from parquet files: FEMNIST by writer, CINIC-10, TinyImageNet, your own.

    - ``path``: one ``.parquet`` file (training rows only); or a prefix or folder as ``places.shards`` reads it. A relative
      path that does not exist here is looked for under ``$FAIRFL_DATA``.
    - ``test``: the part that becomes the test rows; None takes "test" where there is one (TinyImageNet's is "valid").
    - ``image``, ``label``: the columns, by default the usual names. Images are encoded bytes (PNG, JPEG, ...) of one
      shape; labels are integers from 0, or text.
    - ``client``: a column of integers or text, one value a client; it becomes ``columns["client"]`` and its
      ``column_names``.
    - ``channels``: 1 or 3 converts every image. ``normalise``: see ``scaling.assemble``.

    The class names are those that the files tell (the hub writes them), the texts, or the numbers.
    Raises ``FileNotFoundError`` if there is no such file, ``ValueError`` naming the file if it is broken.

        data.load("parquet", path="femnist", image="image", label="character", client="writer_id")
    """
    if channels not in (None, 1, 3):
        raise refuse("channels", channels, "None, 1 or 3", "1 makes images grey, 3 makes them RGB.")
    train, tested = _files(Path(path).expanduser(), test)
    parts = [pixels.read(files, image=image, label=label, client=client, channels=channels)
             for files in (train, tested) if files]
    if len(parts) == 2 and parts[0].images.shape[1:] != parts[1].images.shape[1:]:
        raise broken(tested[0], f"its images are {parts[1].images.shape[1:]} (channels, height, width) and those of "
                                f"{train[0]} are {parts[0].images.shape[1:]}")
    labels, classes = _numbered(np.concatenate([p.labels for p in parts]))
    if classes is None:
        if labels.min() < 0:
            origin = train[0] if parts[0].labels.min() < 0 else tested[0]
            raise broken(origin, f"its labels go down to {labels.min()}; classes count from 0 (the hub's -1 means "
                                 f"that labels are withheld)")
        classes = parts[0].names or tuple(map(str, range(labels.max() + 1)))
        if labels.max() >= len(classes):
            raise broken(train[0], f"its labels go up to {labels.max()} and it names {len(classes)} classes")
    columns, column_names = {}, {}
    if client is not None:
        raw = np.concatenate([p.clients for p in parts])
        values, ids = np.unique(raw, return_inverse=True)
        columns, column_names = {"client": torch.from_numpy(ids)}, {"client": tuple(map(str, values))}
    done = ["read from JPEG"] if any(p.jpeg for p in parts) else []
    border = len(parts[0])
    renumbered = [pixels.Pixels(p.images, part_labels) for p, part_labels in zip(parts, np.split(labels, [border]))]
    return assemble(Path(path).stem, renumbered[0], renumbered[1] if len(parts) == 2 else None, classes,
                    normalise, done, columns, column_names)


def _numbered(labels: np.ndarray) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Text as class numbers in alphabetical order, with the names; numbers as they are, with None."""
    if labels.dtype.kind != "U":
        return labels, None
    names, numbers = np.unique(labels, return_inverse=True)
    return numbers, tuple(map(str, names))


def _files(path: Path, test: str | None) -> tuple[list[Path], list[Path]]:
    bases = [path] if path.is_absolute() or not places.own() else [path, places.own() / path]
    for base in bases:
        if base.is_file():
            return [base], []
        if train := places.shards(base, "train"):
            tested = places.shards(base, test or "test")
            if test is not None and not tested:
                raise FileNotFoundError(f"{train[0]} has no part {test!r} beside it; name another part, or leave test out")
            return train, tested
    raise FileNotFoundError(f"no parquet files at {' or '.join(map(str, bases))}. Give a .parquet file, a prefix with "
                            f"PREFIX-train.parquet, or a folder with train-00000-of-00001.parquet and its fellows.")
