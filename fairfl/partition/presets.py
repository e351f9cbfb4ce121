"""The papers' splits, by name. Where a paper is silent, the docstring says what was chosen."""

from dataclasses import replace

from fairfl import data
from fairfl._validation import known
from fairfl.federation import Federation
from fairfl.partition import columns, partitioners
from fairfl.partition.recut import recut

# Mean and standard deviation per colour, from FedFV's code; its deviations are means over single images' deviations.
FEDFV_PIXELS = ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))


def fedfv_cifar10(seed: int = 0) -> Federation:
    """FedFV section 5.1.1: the 50,000 training images sorted by class, 200 shards of 250, two per client, 100
    clients, local 80/20.

    The released code shuffles each client's rows and cuts them 80/10/10 instead; here they are shuffled and cut 80/20,
    as the paper says. Pixels are scaled by that code's numbers, which the paper does not print.
    """
    return partitioners.shards(data.load("cifar10", normalise=FEDFV_PIXELS), 100, 2, seed=seed, test=0.2)


def fedfv_cifar10_released(seed: int = 0) -> Federation:
    """``fedfv_cifar10`` with each client's 500 images cut 80/10/10 at random (400, 50 and 50), as FedFV's released code
    cuts them.
    """
    return partitioners.shards(
        data.load("cifar10", normalise=FEDFV_PIXELS), 100, 2, seed=seed, test=0.1, validation=0.1
    )


def fedfv_cifar10_dealt_once(seed: int = 0) -> Federation:
    """``fedfv_cifar10`` as FedFV's released code partitions it: the shards are dealt once, whatever the ``seed``, and
    ``seed`` draws how each client's 500 images are cut 80/10/10 (400, 50 and 50).
    """
    return recut(fedfv_cifar10_released(seed=0), seed=seed, test=0.1, validation=0.1)


def fedfv_mnist(seed: int = 0) -> Federation:
    """FedFV section 5.1.1: 200 clients, 400 shards of 150 of the 60,000 training images, local 80/20."""
    return partitioners.shards(data.load("mnist"), 200, 2, seed=seed, test=0.2)


def fedfv_fashion_mnist(seed: int = 0) -> Federation:
    """FedFV section 5.1.1 after Li et al. 2020: three clients with the classes shirt, pullover and T-shirt, a
    three-class problem.

    6,000 training and 1,000 official test images per client, each pixel scaled by its mean and deviation over the
    training images. (The released code pools both parts, shuffles, and cuts 80/10/10: 5,600 and 700.) ``seed`` changes
    only the order.
    """
    dataset = data.load("fashion_mnist", classes=("Shirt", "Pullover", "T-shirt/top"), normalise="pixel")
    return partitioners.by_class(dataset, seed=seed, scored_on="official")


def fedfv_fashion_mnist_released(seed: int = 0) -> Federation:
    """``fedfv_fashion_mnist`` with both parts pooled and each class cut 80/10/10 (5,600, 700 and 700), at random,
    as FedFV's released code does.
    """
    dataset = data.load("fashion_mnist", classes=("Shirt", "Pullover", "T-shirt/top"), normalise="pixel")
    pooled = replace(dataset, test_from=len(dataset), variant=f"{dataset.variant}; training and test parts pooled")
    return partitioners.by_class(pooled, seed=seed, test=0.1, validation=0.1)


def fedmgda_cifar10(seed: int = 0) -> Federation:
    """FedMGDA+ section 6.1: 500 shards of 100, five per client, 100 clients, 80/10/10 within a client.

    The paper does not say how a client's 500 images are cut; here they are shuffled first. It does not say how pixels
    are scaled either; here each channel is scaled by its mean and deviation.
    """
    return partitioners.shards(data.load("cifar10", normalise="channel"), 100, 5, seed=seed, test=0.1, validation=0.1)


def fedmgda_fashion_mnist(seed: int = 0) -> Federation:
    """Like ``fedmgda_cifar10``, on the 60,000 training images of Fashion-MNIST: 500 shards of 120."""
    return partitioners.shards(data.load("fashion_mnist"), 100, 5, seed=seed, test=0.1, validation=0.1)


def adult(seed: int = 0) -> Federation:
    """FedMGDA+ section 6.1.4, after AFL and q-FFL: two clients, 413 people with a doctorate and 32,148 without.

    Scored on the official test file (181 and 16,100).
    """
    return columns.by_column(data.load("adult"), "phd", seed=seed, scored_on="official")


def cifar10_dirichlet(seed: int = 0) -> Federation:
    """AdaFed's and DQN-Fed's CIFAR-10 set-up 2: ten clients, Dirichlet 0.5 over the training images.

    The papers do not say what a client is scored on; here it is the largest part of the official test images that has
    the client's own mix of classes. Each channel is scaled by its mean and deviation.
    """
    return partitioners.dirichlet(data.load("cifar10", normalise="channel"), 10, 0.5, seed=seed, scored_on="official")


def femnist_skewed(seed: int = 0) -> Federation:
    """AdaFed's FEMNIST-skewed, after q-FFL: EMNIST letters a to j, 100 clients, five classes each, local 80/20."""
    return partitioners.some_classes(
        data.load("emnist", split="letters", classes=tuple("abcdefghij")), 100, 5, seed=seed, test=0.2
    )


def shakespeare_31(seed: int = 0) -> Federation:
    """AdaFed's and FedMGDA+'s Shakespeare: 31 speaking roles with at least 1,000 windows, drawn by ``seed``.

    The papers' own roles are not published. A client trains on the first 80 % of its role's text and is scored on the
    rest; windows that straddle the cut are left out.
    """
    return columns.in_time(data.load("shakespeare", roles=31, min_windows=1000, stride=1, seed=seed), "role")


def shakespeare_20(seed: int = 0) -> Federation:
    """AdaFed's Shakespeare set-up 2: 20 roles with more than 10,000 windows, drawn by ``seed``.

    Cut in time like ``shakespeare_31``.
    """
    return columns.in_time(data.load("shakespeare", roles=20, min_windows=10_001, stride=1, seed=seed), "role")


def cifar100_10(seed: int = 0) -> Federation:
    """AdaFed's and DQN-Fed's CIFAR-100 set-up 1: ten clients, Dirichlet 0.5, scored like ``cifar10_dirichlet``."""
    return partitioners.dirichlet(data.load("cifar100", normalise="channel"), 10, 0.5, seed=seed, scored_on="official")


def cifar100_50(seed: int = 0) -> Federation:
    """AdaFed's and DQN-Fed's CIFAR-100 set-up 2: fifty clients, Dirichlet 0.05, scored like ``cifar10_dirichlet``."""
    return partitioners.dirichlet(data.load("cifar100", normalise="channel"), 50, 0.05, seed=seed, scored_on="official")


def cinic10(seed: int = 0) -> Federation:
    """AdaFed's and DQN-Fed's CINIC-10: fifty clients, Dirichlet 0.5.

    Needs parquet files called cinic10 under ``$FAIRFL_DATA``.
    """
    return partitioners.dirichlet(
        data.load("parquet", path="cinic10", normalise="channel"), 50, 0.5, seed=seed, scored_on="official"
    )


def tiny_imagenet(seed: int = 0) -> Federation:
    """AdaFed's and DQN-Fed's TinyImageNet: twenty clients, Dirichlet 0.05.

    Needs parquet files called tiny_imagenet under ``$FAIRFL_DATA``.
    """
    dataset = data.load("parquet", path="tiny_imagenet", test="valid", channels=3, normalise="channel")
    return partitioners.dirichlet(dataset, 20, 0.05, seed=seed, scored_on="official")


def femnist(seed: int = 0) -> Federation:
    """AdaFed's FEMNIST-original: 500 writers drawn by ``seed``, local 80/20.

    Needs parquet files called femnist under ``$FAIRFL_DATA``.
    """
    dataset = data.load("parquet", path="femnist", label="character", client="writer_id", channels=1)
    return columns.by_column(dataset, "client", max_clients=500, seed=seed, test=0.2)


PRESETS = {
    f.__name__: f
    for f in (
        fedfv_cifar10,
        fedfv_cifar10_released,
        fedfv_cifar10_dealt_once,
        fedfv_mnist,
        fedfv_fashion_mnist,
        fedfv_fashion_mnist_released,
        fedmgda_cifar10,
        fedmgda_fashion_mnist,
        adult,
        cifar10_dirichlet,
        femnist_skewed,
        shakespeare_31,
        shakespeare_20,
        cifar100_10,
        cifar100_50,
        cinic10,
        tiny_imagenet,
        femnist,
    )
}


def presets() -> list[str]:
    """The names that ``preset`` knows."""
    return list(PRESETS)


def preset(name: str, seed: int = 0) -> Federation:
    """The paper's split of that name, with its data loaded. ``help(partition.PRESETS[name])`` names its source.

    Raises ``Refused`` for an unknown name, and ``FileNotFoundError`` if the data are not there.
    """
    return PRESETS[known("preset", name, PRESETS)](seed)
