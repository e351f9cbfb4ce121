"""``data.load``'s own promises, ``Dataset.only``, and that importing the package stays light."""

import subprocess
import sys

import pytest
import torch

from fairfl import Dataset, data


def small(**more) -> Dataset:
    return Dataset("small", torch.arange(8.).reshape(8, 1), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1]), ("a", "b", "c"),
                   test_from=5, columns={"who": torch.arange(8)}, **more)


def test_names_are_the_loaders():
    assert data.names() == ["adult", "cifar10", "cifar100", "digits", "emnist", "fashion_mnist", "mnist", "parquet",
                            "shakespeare"]


def test_an_unknown_dataset_is_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match="unknown dataset 'minst'.*Did you mean 'mnist'"):
        data.load("minst")


def test_an_unknown_option_is_refused_before_anything_is_read():
    with pytest.raises(ValueError, match="option of dataset 'mnist'.*known: classes, normalise.*mean 'normalise'"):
        data.load("mnist", normalize="channel")


def test_digits_are_what_they_were():
    d = data.load("digits")
    assert d.inputs.shape == (1797, 64) and d.classes == tuple("0123456789") and d.test_from == 1797


def test_classes_keeps_and_renumbers_in_the_order_given():
    d = data.load("digits", classes=("7", "1"))
    whole = data.load("digits")
    assert d.classes == ("7", "1") and d.variant == "only the classes 7, 1"
    assert torch.equal(d.inputs[d.targets == 0], whole.inputs[whole.targets == 7])
    assert torch.equal(d.inputs[d.targets == 1], whole.inputs[whole.targets == 1])


def test_only_moves_the_border_and_the_columns():
    d = small(variant="thinned").only("c", 0)
    assert d.inputs.flatten().tolist() == [0, 2, 3, 5, 6] and d.targets.tolist() == [1, 0, 1, 0, 1]
    assert d.test_from == 3 and d.columns["who"].tolist() == [0, 2, 3, 5, 6]
    assert d.variant == "thinned; only the classes c, a"


@pytest.mark.parametrize("classes, words", [(("a", "a"), "different classes"), ((), "different classes"),
                                            (("d",), "unknown class of dataset 'small' 'd'"), ((3,), "unknown class")])
def test_only_refuses(classes, words):
    with pytest.raises(ValueError, match=words):
        small().only(*classes)


def test_importing_data_and_models_imports_no_heavy_library():
    """They cost seconds, and a reader of the digits chapters needs none of them."""
    code = ("import sys, fairfl.data, fairfl.models, fairfl.vision; "
            "print([m for m in ('torchvision', 'pandas', 'pyarrow', 'sklearn', 'PIL') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_torchvision_imports_whatever_build_of_torch_is_beside_it():
    """Also after a plain import has failed and left its pieces behind."""
    pytest.importorskip("pyarrow")
    code = ("import sys\n"
            "try:\n    import torchvision\nexcept RuntimeError: pass\n"
            "from fairfl import vision\n"
            "tv = vision.torchvision()\n"
            "import torchvision\n"
            "assert tv is torchvision is vision.torchvision() and tv.datasets.MNIST and tv.models.resnet18 and tv.ops.nms\n"
            "print('fine')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "fine", done.stderr
