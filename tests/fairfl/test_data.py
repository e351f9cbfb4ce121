"""``data.load``'s own promises, ``Dataset.only``, and that importing the package stays light."""

import subprocess
import sys
from unittest.mock import ANY

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Dataset, data, partition, train


def small(**more) -> Dataset:
    return Dataset(
        torch.arange(8.0).reshape(8, 1),
        torch.tensor([0, 1, 2, 0, 1, 2, 0, 1]),
        ("a", "b", "c"),
        test_from=5,
        columns={"who": torch.arange(8)},
        name="small",
        **more,
    )


def test_names_are_the_loaders():
    assert data.names() == [
        "adult",
        "cifar10",
        "cifar100",
        "digits",
        "emnist",
        "fashion_mnist",
        "mnist",
        "parquet",
        "shakespeare",
    ]


def test_an_unknown_dataset_is_refused_with_the_nearest_name():
    with refused("name", "'minst'", "Did you mean 'mnist'?"):
        data.load("minst")


def test_an_unknown_option_is_refused_before_anything_is_read():
    with refused("name", "'normalize'", "'mnist'", "classes, normalise", "Did you mean 'normalise'?"):
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


@pytest.mark.parametrize(
    "classes, kind, mentions",
    [
        (("a", "a"), "value", ["classes", "('a', 'a')"]),
        ((), "value", ["classes", "()"]),
        (("d",), "name", ["'small'", "'d'"]),
        ((3,), "value", ["class", "3", "0 to 2"]),
    ],
)
def test_only_refuses(classes, kind, mentions):
    with refused(kind, *mentions):
        small().only(*classes)


def test_importing_data_and_models_imports_no_heavy_library():
    """They cost seconds, and a reader of the digits chapters needs none of them."""
    code = (
        "import sys, fairfl.data, fairfl.models, fairfl._torchvision; "
        "print([m for m in ('torchvision', 'pandas', 'pyarrow', 'sklearn', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_torchvision_imports_whatever_build_of_torch_is_beside_it():
    """Also after a plain import has failed and left its pieces behind."""
    pytest.importorskip("pyarrow")
    code = (
        "import sys\n"
        "try:\n    import torchvision\nexcept RuntimeError: pass\n"
        "from fairfl import _torchvision\n"
        "tv = _torchvision.torchvision()\n"
        "import torchvision\n"
        "assert tv is torchvision is _torchvision.torchvision() and tv.datasets.MNIST and tv.models.resnet18 and tv.ops.nms\n"
        "print('fine')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "fine", done.stderr


def made(inputs, targets=(0, 1, 2), classes=("a", "b", "c"), **more):
    return Dataset(inputs, targets, classes, name="mine", **more)


@pytest.mark.parametrize(
    "inputs, dtype",
    [
        (np.arange(6.0).reshape(3, 2), torch.float32),
        (torch.arange(6.0, dtype=torch.float64).reshape(3, 2), torch.float32),
        (np.arange(6, dtype=np.float16).reshape(3, 2), torch.float32),
        (np.arange(6.0)[::-1].reshape(3, 2), torch.float32),
        ([[0.5, 1], [2, 3], [4, 5]], torch.float32),
        (np.arange(6, dtype=np.int32).reshape(3, 2), torch.int64),
        (torch.arange(6, dtype=torch.int16).reshape(3, 2), torch.int64),
    ],
)
def test_arrays_and_lists_become_tensors_that_models_take(inputs, dtype):
    d = made(
        inputs,
        np.array([0, 1, 2], np.uint8),
        columns={"who": np.array([1, 1, 2]), "age": np.array([0.5, 1, 2]), "old": [True, False, True]},
    )
    assert d.inputs.dtype == dtype and d.inputs.double().tolist() == np.asarray(inputs, np.float64).tolist()
    assert d.targets.dtype == torch.int64 and d.targets.tolist() == [0, 1, 2]
    assert [d.columns[name].dtype for name in ("who", "age", "old")] == [torch.int64, torch.float32, torch.int64]


def test_an_array_is_copied_and_a_tensor_is_not():
    array, tensor = np.zeros((3, 2), np.float32), torch.zeros(3, 2)
    kept, shared = made(array), made(tensor)
    array[:] = 1
    assert not kept.inputs.any() and shared.inputs is tensor


def test_numpy_s_own_float64_trains():
    rng = np.random.default_rng(0)
    targets = np.arange(60) % 3
    federation = partition.iid(Dataset(rng.normal(size=(60, 4)) + targets[:, None], targets), 3)
    history = train(federation, rounds=3)
    assert history.loss[-1].mean() < history.loss[0].mean()


def test_without_a_name_a_digest_of_the_data_stands_in(tmp_path):
    rng, targets = np.random.default_rng(0), np.arange(30) % 3
    one = Dataset(rng.normal(size=(30, 2)), targets)
    other = Dataset(one.inputs + 1, targets)
    assert one.classes == ("0", "1", "2") and repr(one) == "Dataset(30 rows of shape (2,), 3 classes)"
    assert one.digest == Dataset(one.inputs.numpy(), targets.tolist()).digest != other.digest
    assert partition.iid(one, 3).passport().startswith(f"{one.digest}: 3 clients")
    history = train(partition.iid(one, 3), rounds=1, checkpoint=tmp_path / "run.pt")
    assert history.settings["federation"]["dataset"] == one.digest
    with pytest.raises(ValueError) as caught:
        train(partition.iid(other, 3), rounds=1, checkpoint=tmp_path / "run.pt")
    assert all(word in str(caught.value) for word in ("federation.dataset", other.digest, one.digest))
    with refused("missing", "scored_on", "'own'", "'pool'"):
        partition.iid(one, 3, scored_on="official")


ROWS = np.zeros((3, 2))


@pytest.mark.parametrize(
    "given, kind, mentions",
    [
        (dict(inputs=ROWS.astype(np.uint8)), "type", ["inputs of dataset 'mine'", "float32", "/ 255"]),
        (dict(inputs=ROWS.astype(bool)), "type", ["inputs of dataset 'mine'", ".astype('float32')"]),
        (dict(inputs=ROWS + 1j), "type", ["inputs of dataset 'mine'", "complex"]),
        (dict(inputs=[["a"], ["b"], ["c"]]), "type", ["inputs of dataset 'mine'"]),
        (dict(inputs=[[1.0], [2.0, 3.0], [4.0]]), "type", ["inputs of dataset 'mine'", "list"]),
        (dict(inputs=3.0), "shape", ["inputs of dataset 'mine'", "3.0", "(N, ...)"]),
        (dict(inputs=torch.eye(3).to_sparse()), "type", ["inputs of dataset 'mine'", "sparse", ".to_dense()"]),
        (dict(inputs=ROWS, targets=torch.eye(3)[0].to_sparse()), "type", ["targets in dataset 'mine'", "sparse"]),
        (dict(inputs=ROWS, targets=[0, 1]), "shape", ["targets in dataset 'mine'", "2", "3"]),
        (dict(inputs=ROWS, targets=[0.0, 1.0, 2.0]), "type", ["targets in dataset 'mine'", "astype('int64')"]),
        (dict(inputs=ROWS, targets=["x", "y", "x"]), "type", ["targets in dataset 'mine'", "np.unique"]),
        (dict(inputs=ROWS, targets=np.eye(3, dtype=int)), "shape", ["targets", "(3, 3)", "(3,)", "argmax(1)"]),
        (dict(inputs=ROWS, targets=[[0], [1], [2]]), "shape", ["targets", "(3, 1)", "(3,)", "ravel()"]),
        (dict(inputs=ROWS, targets=[0, 1, 3]), "value", ["targets in dataset 'mine'", "(0, 3)", "0 to 2"]),
        (dict(inputs=ROWS, classes=3), "type", ["classes is 3", "range(3)"]),
        (dict(inputs=ROWS, classes={"a", "b", "c"}), "type", ["classes is {"]),
        (dict(inputs=ROWS, classes={"a": 0, "b": 1, "c": 2}), "type", ["classes is {'a': 0"]),
        (dict(inputs=ROWS, classes="abc"), "type", ["classes is 'abc'"]),
        (dict(inputs=ROWS, classes=2.5), "type", ["classes is 2.5"]),
        (dict(inputs=ROWS, classes=("a", "b", "a")), "value", ["classes", "('a', 'b', 'a')", "'a' names"]),
        (dict(inputs=ROWS, column_names=5), "type", ["column_names is 5"]),
        (
            dict(inputs=ROWS, columns={"who": [0, 1, 2]}, column_names={"town": ("a",)}),
            "name",
            ["column_names", "'town'", "who"],
        ),
        (
            dict(inputs=ROWS, columns={"who": [0, 1, 2]}, column_names={"who": {"a", "b", "c"}}),
            "type",
            ["column_names['who']"],
        ),
        (
            dict(inputs=ROWS, columns={"who": [0, 1, 2]}, column_names={"who": ("a", "b")}),
            "value",
            ["columns['who']", "(0, 2)", "0 to 1", "2 names"],
        ),
        (
            dict(inputs=ROWS, columns={"who": [0, -1, 2]}, column_names={"who": "a b c".split()}),
            "value",
            ["columns['who']", "(-1, 2)"],
        ),
        (
            dict(inputs=ROWS, columns={"who": [0, 0.5, 1]}, column_names={"who": ("a", "b")}),
            "value",
            ["columns['who']", "(0.0, 1.0)", "0 to 1"],
        ),
        (dict(inputs=ROWS, test_from=1.5), ANY, ["test_from is 1.5"]),
        (dict(inputs=ROWS, test_from=4), "value", ["test_from is 4", "1 to 3"]),
        (
            dict(inputs=ROWS, columns={"who": ["x", "y", "x"]}),
            "type",
            ["columns['who'] in dataset 'mine'", "np.unique"],
        ),
        (dict(inputs=ROWS, columns={"who": [1, 2]}), "shape", ["columns['who'] in dataset 'mine'", "2", "3"]),
        (dict(inputs=ROWS * np.nan), "value", ["row 0 of dataset 'mine'", "input"]),
    ],
)
def test_what_is_no_dataset_is_refused_with_what_to_do(given, kind, mentions):
    with refused(kind, *mentions):
        made(**given)


def test_names_may_be_an_array_and_more_than_are_used():
    d = made(ROWS, classes=np.array(["x", "y", "z", "w"]), columns={"who": [1, 0, 1]}, column_names={"who": ["a", "b"]})
    assert d.classes == ("x", "y", "z", "w") and d.column_names == {"who": ("a", "b")}
    assert d.only("x", "z").column_names == {"who": ("a", "b")}


def test_a_data_frame_is_rows_of_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1, 2, 3], "height": [0.5, 1.0, 1.5], "sex": [0, 1, 0]})
    d = made(frame[["age", "height"]], frame["sex"], columns={"age": frame["age"]})
    assert d.inputs.tolist() == [[1, 0.5], [2, 1], [3, 1.5]]
    assert d.targets.tolist() == [0, 1, 0] and d.columns["age"].tolist() == [1, 2, 3]
