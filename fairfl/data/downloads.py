"""torchvision's downloads, kept in the cache: whole or not at all, and never fetched twice."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairfl import _torchvision
from fairfl._extras import NotInstalled
from fairfl.data import data_folder
from fairfl.data.image_decoding import Pixels
from fairfl.data.parquet_reader import broken


def images_of(name: str, full: str, theirs: str, split: str | None) -> tuple[Pixels, Path]:
    """Training and test rows of torchvision's dataset ``theirs``, and the folder they lie in.

    ``full`` is the name that files of one's own would have. Raises ``FileNotFoundError`` with both ways out if it
    can neither be found nor fetched, ``ValueError`` naming the folder if what lies there is not whole, ``NotInstalled``
    without torchvision.
    """
    root = data_folder.cache() / "torchvision"
    if not (root / name).is_dir():
        try:
            _fetch(root, name, theirs, split)
        except NotInstalled:
            raise
        except Exception as failure:  # no network, no disk: the reader's choice is the same
            raise data_folder.missing(
                full,
                f"{full}-train.parquet and {full}-test.parquet (as on the Hugging Face hub: image, label)",
                f"torchvision could not download it ({failure})",
                f"connect to the network and load it again: torchvision then downloads it once, into {root / name}",
            ) from None
    try:
        made = [_open(theirs, root / name, train, split, fetch=False) for train in (True, False)]
        images, labels = [_upright(m.data, split) for m in made], [np.asarray(m.targets, np.int64) for m in made]
    except NotInstalled:
        raise
    except Exception as failure:  # torchvision's own words for a short file range from OSError to AssertionError
        raise broken(root / name, failure) from None
    if (sizes := tuple(map(len, images))) != tuple(map(len, labels)):
        raise broken(root / name, f"it has {sum(sizes)} images and {sum(map(len, labels))} labels")
    return Pixels(np.concatenate(images), np.concatenate(labels), sizes=sizes), root / name


def _fetch(root: Path, name: str, theirs: str, split: str | None) -> None:
    """Download beside the final place and move there when whole: a killed download leaves nothing that looks done."""
    root.mkdir(parents=True, exist_ok=True)
    unfinished = tempfile.mkdtemp(dir=root, prefix=f"{name}.part-")
    try:
        for train in (True, False):
            _open(theirs, unfinished, train, split, fetch=True)
        os.replace(unfinished, root / name)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not (root / name).is_dir():  # else another process was quicker, and its copy serves
            raise


def _open(theirs: str, root: str | Path, train: bool, split: str | None, fetch: bool) -> Any:
    kind = getattr(_torchvision.torchvision().datasets, theirs)
    return kind(str(root), train=train, download=fetch, **({"split": split} if split else {}))


def _upright(data: ArrayLike, split: str | None) -> np.ndarray:
    """torchvision's (N, H, W) or (N, H, W, C) as (N, C, H, W). EMNIST, which alone has splits, lies on its side."""
    images = np.asarray(data)
    if images.ndim == 4:
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    return np.ascontiguousarray(images.transpose(0, 2, 1) if split else images)[:, None]
