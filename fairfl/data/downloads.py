"""torchvision's downloads, kept in the cache: complete or not at all, and never downloaded twice.

torchvision knows each dataset's mirrors and checksums, unpacks it and parses its format.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairfl import _torchvision
from fairfl.data import data_folder
from fairfl.data.image_decoding import Pixels
from fairfl.data.parquet_reader import broken
from fairfl.errors import NotInstalled


def images_of(name: str, full: str, class_name: str, split: str | None) -> tuple[Pixels, Path]:
    """Training and test rows of torchvision's dataset ``class_name``, and the folder they are in.

    ``full`` is the name that the reader's own files would have. Raises ``FileNotFoundError`` with both remedies if the
    dataset can be neither found nor downloaded, ``Refused`` naming the folder if its content is incomplete, and
    ``NotInstalled`` without torchvision.
    """
    root = data_folder.cache() / "torchvision"
    if not (root / name).is_dir():
        try:
            _fetch(root, name, class_name, split)
        except NotInstalled:
            raise
        except Exception as failure:  # no network or no disk space: the remedies are the same
            raise data_folder.missing(
                full,
                f"{full}-train.parquet and {full}-test.parquet (as on the Hugging Face hub: image, label)",
                f"torchvision could not download it ({failure})",
                f"connect to the network and load it again: torchvision then downloads it once, into {root / name}",
            ) from None
    try:
        made = [_open(class_name, root / name, train, split, fetch=False) for train in (True, False)]
        images, labels = [_upright(m.data, split) for m in made], [np.asarray(m.targets, np.int64) for m in made]
    except NotInstalled:
        raise
    except Exception as failure:  # for a truncated file, torchvision raises anything from OSError to AssertionError
        raise broken(root / name, failure) from None
    if (sizes := tuple(map(len, images))) != tuple(map(len, labels)):
        raise broken(root / name, f"it has {sum(sizes)} images and {sum(map(len, labels))} labels")
    return Pixels(np.concatenate(images), np.concatenate(labels), sizes=sizes), root / name


def _fetch(root: Path, name: str, class_name: str, split: str | None) -> None:
    """Download into a temporary folder and rename it when complete, so a killed download never looks complete."""
    root.mkdir(parents=True, exist_ok=True)
    unfinished = tempfile.mkdtemp(dir=root, prefix=f"{name}.part-")
    try:
        for train in (True, False):
            _open(class_name, unfinished, train, split, fetch=True)
        os.replace(unfinished, root / name)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not (root / name).is_dir():  # otherwise another process was quicker, and its copy is used
            raise


def _open(class_name: str, root: str | Path, train: bool, split: str | None, fetch: bool) -> Any:
    kind = getattr(_torchvision.torchvision().datasets, class_name)
    return kind(str(root), train=train, download=fetch, **({"split": split} if split else {}))


def _upright(data: ArrayLike, split: str | None) -> np.ndarray:
    """torchvision's (N, H, W) or (N, H, W, C) as (N, C, H, W). EMNIST, alone in having splits, is transposed."""
    images = np.asarray(data)
    if images.ndim == 4:
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    return np.ascontiguousarray(images.transpose(0, 2, 1) if split else images)[:, None]
