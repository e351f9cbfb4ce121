"""MNIST, Fashion-MNIST, CIFAR-10, CIFAR-100 and EMNIST, from parquet files or downloaded once by torchvision."""

import string
from dataclasses import dataclass, replace

from fairfl._validation import known
from fairfl.data import data_folder, downloads, image_decoding
from fairfl.data.dataset import Dataset
from fairfl.data.normalisation import Normalise, assemble
from fairfl.data.parquet_reader import broken

# The fifteen letters whose upper and lower case are one class in EMNIST's merged splits.
_MERGED = set("cijklmopsuvwxyz")
EMNIST_SPLITS = {
    "letters": tuple(string.ascii_lowercase),
    "balanced": tuple(sorted(set(string.digits + string.ascii_letters) - _MERGED)),
    "bymerge": tuple(sorted(set(string.digits + string.ascii_letters) - _MERGED)),
    "byclass": tuple(sorted(string.digits + string.ascii_letters)),
    "digits": tuple(string.digits),
    "mnist": tuple(string.digits),
}
EMNIST_ROWS = {
    "letters": (124800, 20800),
    "balanced": (112800, 18800),
    "bymerge": (697932, 116323),
    "byclass": (697932, 116323),
    "digits": (240000, 40000),
    "mnist": (60000, 10000),
}
_FASHION = ("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot")
_CIFAR10 = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
_CIFAR100 = tuple(
    """apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly
camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin
elephant flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster man
maple_tree motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree plain
plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk skyscraper snail snake
spider squirrel streetcar sunflower sweet_pepper table tank telephone television tiger tractor train trout tulip
turtle wardrobe whale willow_tree wolf woman worm""".split()
)


@dataclass(frozen=True)
class _Source:
    """A dataset's name in torchvision, its classes, the shape of its images and its number of rows."""

    class_name: str
    classes: tuple[str, ...]
    shape: tuple[int, int, int]
    rows: tuple[int, int]


SOURCES = {
    "mnist": _Source("MNIST", tuple(string.digits), (1, 28, 28), (60000, 10000)),
    "fashion_mnist": _Source("FashionMNIST", _FASHION, (1, 28, 28), (60000, 10000)),
    "cifar10": _Source("CIFAR10", _CIFAR10, (3, 32, 32), (50000, 10000)),
    "cifar100": _Source("CIFAR100", _CIFAR100, (3, 32, 32), (50000, 10000)),
}


def mnist(*, normalise: Normalise = None) -> Dataset:
    """MNIST: (1, 28, 28) grey digits, 60,000 + 10,000 rows, 10 classes.

    ``normalise``: see ``fairfl.data.normalisation.assemble``.
    """
    return _named("mnist", SOURCES["mnist"], normalise)


def fashion_mnist(*, normalise: Normalise = None) -> Dataset:
    """Fashion-MNIST: (1, 28, 28) grey clothes, 60,000 + 10,000 rows, 10 classes.

    The papers' three-client problem is ``load("fashion_mnist", classes=("Shirt", "Pullover", "T-shirt/top"))``; Li et
    al. 2019 and FedFV prepare it with ``normalise="pixel"``.
    """
    return _named("fashion_mnist", SOURCES["fashion_mnist"], normalise)


def cifar10(*, normalise: Normalise = None) -> Dataset:
    """CIFAR-10: (3, 32, 32) colour photographs, 50,000 + 10,000 rows, 10 classes.

    FedFV's code divides by the mean of single images' deviations, a common mistake: ``normalise=((0.4914, 0.4822,
    0.4465), (0.2023, 0.1994, 0.2010))``.
    """
    return _named("cifar10", SOURCES["cifar10"], normalise)


def cifar100(*, normalise: Normalise = None) -> Dataset:
    """CIFAR-100 with its 100 fine classes: (3, 32, 32), 50,000 + 10,000 rows."""
    return _named("cifar100", SOURCES["cifar100"], normalise)


def emnist(*, split: str = "letters", normalise: Normalise = None) -> Dataset:
    """EMNIST: (1, 28, 28) handwritten characters, upright; ``split`` as in ``EMNIST_SPLITS``.

    "letters": 26 classes, upper and lower case together, 124,800 + 20,800 rows; "balanced": 47 classes, 112,800 +
    18,800; "byclass": 62 classes, 697,932 + 116,323. It has no writers: FEMNIST by writer is read with
    ``load("parquet", ..., client="writer_id")``. FEMNIST-skewed's ten classes are ``load("emnist",
    classes="abcdefghij")``. Your own files are called ``emnist_letters-train.parquet`` and so on, hold upright images,
    and count letters from 0 or from 1.
    """
    known("EMNIST split", split, EMNIST_SPLITS)
    source = _Source("EMNIST", EMNIST_SPLITS[split], (1, 28, 28), EMNIST_ROWS[split])
    return _named("emnist", source, normalise, split)


def _named(name: str, source: _Source, normalise: Normalise, split: str | None = None) -> Dataset:
    """Read parquet files under ``$FAIRFL_DATA``, or else torchvision's download in the cache."""
    full = f"{name}_{split}" if split else name
    own = data_folder.own()
    if files := data_folder.both(own / full) if own else None:
        whole, origins = (
            image_decoding.read([*files[0], *files[1]], like=(full, source.shape)),
            (files[0][0], files[1][0]),
        )
        border = sum(whole.sizes[: len(files[0])])
    else:
        whole, folder = downloads.images_of(name, full, source.class_name, split)
        origins, border = (folder, folder), whole.sizes[0]
    labels, most = whole.labels, len(source.classes) - 1
    if split == "letters" and labels.max() == 26:  # EMNIST's own files count letters from 1
        labels = labels - 1
    done = ["JPEG re-encoded"] if whole.jpeg else []
    for part, origin, rows, what in zip((labels[:border], labels[border:]), origins, source.rows, ("training", "test")):
        low, high = int(part.min()), int(part.max())
        if not 0 <= low <= high <= most:
            raise broken(origin, f"its labels run from {low} to {high}, and those of {full} from 0 to {most}")
        done += [f"{len(part):,} of {rows:,} {what} rows"] if len(part) != rows else []
    return assemble(full, replace(whole, labels=labels), border, source.classes, normalise, done)
