"""The models of the papers' tables, shaped by a dataset and with keyed initial weights.

In: a name or a function, and a ``Dataset``. Out: a ``torch.nn.Module``.

Every model takes a batch of a dataset's inputs, flattened or not, and returns logits (batch, classes). If a dataset's
targets are numbers, "classes" is the number of outputs, and ``logistic`` is linear regression. The softmax at the end
of some papers' tables is part of the loss. No model uses batch normalisation, whose running averages are not part of a
client's update. All of them run under ``torch.func.functional_call`` and ``vmap`` (those with dropout need vmap's
``randomness="different"``).
"""

import copy
import inspect
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, cast

import torch
from torch import nn

from fairfl import _torchvision
from fairfl._layers import as_image, ending, image_shape, stack, width_after
from fairfl._randomness import GLOBAL_STREAM, key
from fairfl._torch_modes import in_plain_modes
from fairfl._validation import boolean, integer, known
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, refuse


@in_plain_modes
def build(name: str | Callable[..., nn.Module], dataset: Dataset, *, seed: int = 0, **settings: Any) -> nn.Module:
    """Build the model called ``name`` (see ``names()``) for ``dataset``'s inputs and classes.

    ``settings`` are the model's own; see for instance ``help(models.mlp)``. ``name`` may also be a function, from this
    module or your own, which is called as ``name(shape, classes, **settings)`` with the shape of one input (a tuple)
    and the number of outputs. It draws its weights with PyTorch, as layers do when they are made. The initial weights
    depend only on ``seed``: they are equal on every device and in every thread, and global random states are restored.

    Raises ``Refused`` for an unknown name or setting, for a function that cannot be called in this way or does not
    return a module, for text given to a model of numbers or the reverse, and for inputs of a shape that the model
    cannot take.
    """
    remedy = "A function (shape, classes) -> Module of your own works as well."
    make = partial(name if callable(name) else MODELS[known("model", name, MODELS, remedy)], **settings)
    _check(make, dataset)
    # torch.manual_seed would also reseed the GPUs, which fork_rng does not restore, so only this generator is seeded.
    with GLOBAL_STREAM, torch.random.fork_rng(devices=[]), torch.device("cpu"):
        torch.default_generator.manual_seed(key(seed, "weights"))
        module = make(tuple(dataset.inputs.shape[1:]), dataset.outputs)
    if not isinstance(module, nn.Module):
        what, made = f"the return value of {_called(make)}", type(module).__name__
        raise refuse(what, made, "a torch.nn.Module", "Return the model.", "type")
    return module


def fresh(model: nn.Module | str | Callable[..., nn.Module], dataset: Dataset, seed: int) -> nn.Module:
    """A new module to train: a copy of ``model``, or the one that ``build`` makes from it with ``seed``."""
    return copy.deepcopy(model) if isinstance(model, nn.Module) else build(model, dataset, seed=seed)


def _check(make: partial, dataset: Dataset) -> None:
    """Raise ``Refused`` if ``make(shape, classes)`` cannot be called, or if the model cannot read ``dataset``."""
    name = _called(make)
    try:
        signature = inspect.signature(make.func)
    except ValueError:  # some callables written in C have no signature
        return
    if MODELS.get(name) is make.func:
        kind, fits = ("numbers", "text") if name in READS_TEXT else ("text", "numbers")
        if dataset.inputs.is_floating_point() == (name in READS_TEXT):
            rest = [n for n in names() if (n in READS_TEXT) != (name in READS_TEXT)]
            raise Refused(
                f"{dataset.called} holds {kind}, and model {name!r} reads {fits}; for {kind}, use "
                f"one of {', '.join(rest)}",
                "combination",
            )
        if dataset.inputs.ndim == 1:
            raise refuse(
                f"the shape of inputs in {dataset.called}",
                tuple(dataset.inputs.shape),
                f"(N, ...), one row of {fits} per example",
                "Add a dimension with inputs[:, None], or give your own model.",
                "shape",
            )
        for setting, value in make.keywords.items():
            known(f"setting of model {name!r}", setting, ["seed", *list(signature.parameters)[2:]])
            _check_setting(setting, value, signature.parameters[setting].default)
    try:
        signature.bind(*make.args, (1,), 1, **make.keywords)
    except TypeError as error:
        raise Refused(
            f"model function {name} cannot be called as {name}(shape, classes): {error}. It gets the shape of "
            f"one input and the number of classes, and its own settings by name. A module works as well, an instance "
            f"whose weights every seed starts from",
            "type",
        ) from error


def _check_setting(setting: str, value: object, usual: object) -> None:
    """Raise ``Refused`` unless ``value`` is of the kind of the setting's ``usual`` value: switch, size, or sizes."""
    if isinstance(usual, bool):
        boolean(setting, cast(bool, value))
    elif isinstance(usual, int):
        integer(setting, value, 1, "It is a number of layers, units or groups.")
    elif isinstance(usual, tuple):
        if not isinstance(value, (tuple, list)):
            raise refuse(setting, value, "a tuple of whole numbers", "Give one width per hidden layer.", "type")
        for width in value:
            integer(f"a width in {setting}", width, 1, "It is the number of units of a layer.")


def _called(make: partial) -> str:
    return getattr(make.func, "__name__", type(make.func).__name__)


def names() -> list[str]:
    """The models that ``build`` knows by name."""
    return sorted(MODELS)


def logistic(shape: tuple[int, ...], classes: int, *, softmax: bool = False) -> nn.Module:
    """Logistic regression, one linear layer: the Adult model of FedMGDA+ (section 6.1.4) and q-FFL.

    With ``softmax=True`` the model ends in a softmax, to which the cross-entropy loss adds its own. This linear model
    with the softmax, and not the paper's "feed-forward network with 2 hidden layers", made FedFV's Fashion-MNIST
    tables: it is in the first released code, and the logs beside that code average to Table 3's FedAvg row in every
    digit.
    """
    return stack(flat=nn.Flatten(), out=nn.Linear(prod(shape), classes), **ending(softmax))


def mlp(
    shape: tuple[int, ...], classes: int, *, hidden: tuple[int, ...] = (200, 200), softmax: bool = False
) -> nn.Module:
    """A feed-forward network with ReLU between the layers.

    The papers say "two hidden layers" (FedFV section 5.1, AdaFed 7.1, DQN-Fed 5.1) but not how wide; 200 and 200 are
    from FedFV's released code. ``softmax=True``: as in ``logistic``; that code's first version has it on CIFAR-10.
    """
    layers: OrderedDict[str, nn.Module] = OrderedDict(flat=nn.Flatten())
    width = prod(shape)
    for i, wide in enumerate(hidden, 1):
        layers[f"dense{i}"], layers[f"relu{i}"], width = nn.Linear(width, wide), nn.ReLU(), wide
    return stack(**layers, out=nn.Linear(width, classes), **ending(softmax))


def fedmgda_cifar10(shape: tuple[int, ...], classes: int) -> nn.Module:
    """FedMGDA+ Table 2, for CIFAR-10: 797,962 parameters at (3, 32, 32) and 10 classes."""
    shape = image_shape(shape)
    convolutions = OrderedDict(
        image=as_image(shape),
        conv1=nn.Conv2d(shape[0], 64, 5),
        relu1=nn.ReLU(),
        pool1=nn.MaxPool2d(2),
        norm1=nn.LocalResponseNorm(2),
        conv2=nn.Conv2d(64, 64, 5),
        relu2=nn.ReLU(),
        norm2=nn.LocalResponseNorm(2),
        pool2=nn.MaxPool2d(2),
        flat=nn.Flatten(),
    )
    return stack(
        **convolutions,
        dense1=nn.Linear(width_after(convolutions, shape), 384),
        relu3=nn.ReLU(),
        dense2=nn.Linear(384, 192),
        relu4=nn.ReLU(),
        out=nn.Linear(192, classes),
    )


def fedmgda_fashion_mnist(shape: tuple[int, ...], classes: int, *, dropout: bool = True) -> nn.Module:
    """FedMGDA+ Table 3, for Fashion-MNIST: 21,840 parameters at (1, 28, 28) and 10 classes.

    The table has two dropouts of 0.5, one of whole channels and one of units; ``dropout=False`` leaves both out. (The
    paper's section 6.1.1 gives this model three dense layers; its table has two.)
    """
    shape = image_shape(shape)
    convolutions = OrderedDict(
        image=as_image(shape),
        conv1=nn.Conv2d(shape[0], 10, 5),
        relu1=nn.ReLU(),
        pool1=nn.MaxPool2d(2),
        conv2=nn.Conv2d(10, 20, 5),
        relu2=nn.ReLU(),
        pool2=nn.MaxPool2d(2),
        drop1=nn.Dropout2d(0.5 * dropout),
        flat=nn.Flatten(),
    )
    return stack(
        **convolutions,
        dense=nn.Linear(width_after(convolutions, shape), 50),
        relu3=nn.ReLU(),
        drop2=nn.Dropout(0.5 * dropout),
        out=nn.Linear(50, classes),
    )


def fedmgda_femnist(shape: tuple[int, ...], classes: int, *, dropout: bool = True) -> nn.Module:
    """FedMGDA+ Table 4, for FEMNIST: 1,206,590 parameters at (1, 28, 28) and 62 classes.

    The table leaves the activations of the first convolution and of the dense layer blank and cites Reddi et al., whose
    code has ReLU in both places; so does this model. Dropout 0.25 and 0.5 as in the table; ``dropout=False`` leaves
    both out. It also fits AdaFed's and DQN-Fed's "2 convolutional and 2 fully-connected layers", as does
    ``fedfv_mnist``.
    """
    shape = image_shape(shape)
    convolutions = OrderedDict(
        image=as_image(shape),
        conv1=nn.Conv2d(shape[0], 32, 3),
        relu1=nn.ReLU(),
        conv2=nn.Conv2d(32, 64, 3),
        relu2=nn.ReLU(),
        pool=nn.MaxPool2d(2),
        drop1=nn.Dropout(0.25 * dropout),
        flat=nn.Flatten(),
    )
    return stack(
        **convolutions,
        dense=nn.Linear(width_after(convolutions, shape), 128),
        relu3=nn.ReLU(),
        drop2=nn.Dropout(0.5 * dropout),
        out=nn.Linear(128, classes),
    )


def fedfv_mnist(shape: tuple[int, ...], classes: int) -> nn.Module:
    """FedFV's CNN for MNIST, from McMahan et al.: 1,663,370 parameters at (1, 28, 28) and 10 classes.

    The paper says "a CNN with 2 convolution layers"; the layers are those of its released code since version 2.
    (Version 1 had neither padding nor ReLU around the convolutions, and 62 outputs.)
    """
    shape = image_shape(shape)
    convolutions = OrderedDict(
        image=as_image(shape),
        conv1=nn.Conv2d(shape[0], 32, 5, padding=2),
        relu1=nn.ReLU(),
        pool1=nn.MaxPool2d(2),
        conv2=nn.Conv2d(32, 64, 5, padding=2),
        relu2=nn.ReLU(),
        pool2=nn.MaxPool2d(2),
        flat=nn.Flatten(),
    )
    return stack(
        **convolutions,
        dense=nn.Linear(width_after(convolutions, shape), 512),
        relu3=nn.ReLU(),
        out=nn.Linear(512, classes),
    )


def resnet18(shape: tuple[int, ...], classes: int, *, groups: int = 2, stem: str = "cifar") -> nn.Module:
    """torchvision's ResNet-18 with group normalisation: 11,173,962 parameters at (3, 32, 32) and 10 classes.

    AdaFed (sections 7.1, 7.2, appendix D) and DQN-Fed name it but give neither the groups nor the stem. ``groups``: the
    number of groups in which a layer's channels are normalised; 2 is the value in FedDyn's and TensorFlow Federated's
    code. ``stem``: "cifar" begins with a 3×3 convolution and keeps the size; "imagenet" begins with torchvision's 7×7
    convolution of stride 2 and pooling, which leaves a single pixel of a 32×32 image at the end.
    """
    known("stem", stem, ("cifar", "imagenet"))
    if groups < 1 or 64 % groups:
        raise refuse("groups", groups, "a divisor of 64", "Every layer has a multiple of 64 channels.")
    shape = image_shape(shape)
    network = _torchvision.torchvision().models.resnet18(
        num_classes=classes, norm_layer=lambda c: nn.GroupNorm(groups, c)
    )
    if stem == "cifar":
        network.conv1 = nn.Conv2d(shape[0], 64, 3, padding=1, bias=False)
        network.maxpool = nn.Identity()
    elif shape[0] != 3:
        network.conv1 = nn.Conv2d(shape[0], 64, 7, stride=2, padding=3, bias=False)
    return stack(image=as_image(shape), network=network)


def char_lstm(
    shape: tuple[int, ...], classes: int, *, embedding: int = 8, hidden: int = 256, layers: int = 2
) -> nn.Module:
    """Next-character LSTM, (batch, time) int64 in: 819,920 parameters at the 80 characters of Shakespeare.

    An embedding of 8, two LSTM layers of 256, one dense layer on the last step: FedMGDA+ section 6.1.3, q-FFL and LEAF;
    AdaFed's set-up 1 gives no widths. ``layers=1`` is AdaFed's set-up 2. (PyTorch has two bias vectors per
    layer and TensorFlow one, so there are 2,048 parameters more.) Its gradients under ``vmap`` are slow.
    """
    return _CharLSTM(classes, embedding, hidden, layers)


MODELS = {
    make.__name__: make
    for make in (
        logistic,
        mlp,
        fedmgda_cifar10,
        fedmgda_fashion_mnist,
        fedmgda_femnist,
        fedfv_mnist,
        resnet18,
        char_lstm,
    )
}
READS_TEXT = frozenset({"char_lstm"})


class _CharLSTM(nn.Module):
    def __init__(self, symbols: int, embedding: int, hidden: int, layers: int):
        super().__init__()
        self.embedding = nn.Embedding(symbols, embedding)
        self.lstm = nn.LSTM(embedding, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, symbols)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        steps, _ = self.lstm(self.embedding(inputs))
        return self.out(steps[:, -1])
