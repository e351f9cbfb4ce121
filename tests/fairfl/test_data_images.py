"""Image datasets from parquet files that each test writes itself, and from a stand-in for torchvision."""

import io
import os
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import _torchvision, data
from fairfl.data import image_decoding

pa = pytest.importorskip("pyarrow")
pytest.importorskip("PIL")
import pyarrow.parquet as pq  # noqa: E402
from PIL import Image  # noqa: E402


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    """Every test has its own data and cache folders, and no network."""
    monkeypatch.setenv("FAIRFL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("FAIRFL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()

    class Unreachable:
        def __getattr__(self, name):
            def refuse(*args, **more):
                raise OSError("Name or service not known")

            return refuse

    monkeypatch.setattr(_torchvision, "torchvision", lambda: SimpleNamespace(datasets=Unreachable()))
    return tmp_path / "data"


def encoded(array: np.ndarray, kind: str = "PNG") -> bytes:
    held = io.BytesIO()
    Image.fromarray(array).save(held, kind)
    return held.getvalue()


def pictures(n: int, shape=(28, 28), seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (n, *shape), np.uint8)


def write(file, arrays, labels, *, image="image", label="label", kind="PNG", metadata=None, **columns):
    cells = [{"bytes": encoded(a, kind), "path": None} for a in arrays]
    table = pa.table({image: cells, label: labels, **columns})
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table.replace_schema_metadata(metadata), file)
    return file


def mnist(places, train=6, test=4):
    for part, n, seed in (("train", train, 1), ("test", test, 2)):
        write(places / f"mnist-{part}.parquet", pictures(n, seed=seed), [i % 10 for i in range(n)])


def test_png_pixels_arrive_exactly_and_training_rows_come_first(places):
    mnist(places)
    d = data.load("mnist")
    assert d.inputs.shape == (10, 1, 28, 28) and d.inputs.dtype == torch.float32 and d.test_from == 6
    assert torch.equal(d.inputs[:6, 0], torch.tensor(pictures(6, seed=1)) / 255)
    assert torch.equal(d.inputs[6:, 0], torch.tensor(pictures(4, seed=2)) / 255)
    assert d.targets.tolist() == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3] and d.targets.dtype == torch.int64
    assert d.variant == "6 of 60,000 training rows; 4 of 10,000 test rows"


def test_colour_images_have_their_channels_first_and_jpeg_is_told(places):
    for part in ("train", "test"):
        write(
            places / f"cifar10-{part}.parquet",
            pictures(3, (32, 32, 3)),
            [0, 9, 4],
            image="img",
            kind="JPEG" if part == "test" else "PNG",
        )
    d = data.load("cifar10")
    assert d.inputs.shape == (6, 3, 32, 32) and d.variant.startswith("JPEG re-encoded; ")
    assert torch.equal(d.inputs[0], torch.tensor(pictures(3, (32, 32, 3))[0]).permute(2, 0, 1) / 255)
    write(places / "cifar10-test.parquet", pictures(3, (32, 32, 3)), [0, 9, 4], image="img")
    assert "JPEG" not in data.load("cifar10").variant


def test_cifar100_takes_the_hubs_fine_labels_and_a_folder_of_shards(places):
    for i in range(2):
        write(
            places / f"cifar100/train-0000{i}-of-00002.parquet",
            pictures(2, (32, 32, 3), i),
            [98 + i, i],
            image="img",
            label="fine_label",
            coarse_label=[0, 1],
        )
    write(
        places / "cifar100/data/test-00000-of-00001.parquet",
        pictures(1, (32, 32, 3)),
        [99],
        image="img",
        label="fine_label",
    )
    d = data.load("cifar100")
    assert d.targets.tolist() == [98, 0, 99, 1, 99] and len(d.classes) == 100 and d.classes[99] == "worm"
    assert torch.equal(d.inputs[2], torch.tensor(pictures(2, (32, 32, 3), 1)[0]).permute(2, 0, 1) / 255)
    (places / "cifar100/train-00001-of-00002.parquet").unlink()
    with pytest.raises(FileNotFoundError) as caught:
        data.load("cifar100")
    assert all(word in str(caught.value) for word in ("train-00001-of-00002.parquet", "1 of 2"))


def test_emnist_splits_and_letters_counted_from_one(places):
    for part in ("train", "test"):
        write(places / f"emnist_letters-{part}.parquet", pictures(26), list(range(1, 27)))
    d = data.load("emnist", classes="abcdefghij")
    assert d.classes == tuple("abcdefghij") and len(d) == 20 and d.targets.tolist() == 2 * list(range(10))
    assert [len(c) for c in data.images.EMNIST_SPLITS.values()] == [26, 47, 47, 62, 10, 10]
    with refused("name", "EMNIST", "'leters'"):
        data.load("emnist", split="leters")


def test_normalise(places):
    mnist(places)
    raw = data.load("mnist").inputs
    by_channel = data.load("mnist", normalise="channel")
    assert torch.allclose(by_channel.inputs[:6].mean(), torch.tensor(0.0), atol=1e-6)
    assert torch.allclose(by_channel.inputs[:6].std(correction=0), torch.tensor(1.0), atol=1e-5)
    assert "normalised per channel (mean/deviation 0." in by_channel.variant
    by_pixel = data.load("mnist", normalise="pixel").inputs
    wanted = (raw - raw[:6].mean(0)) / (raw[:6].std(0, correction=0) + 0.001 / 255)
    assert torch.allclose(by_pixel, wanted, atol=1e-5)
    given = data.load("mnist", normalise=(0.5, [0.25]))
    assert torch.allclose(given.inputs, (raw - 0.5) / 0.25) and "0.5000/0.2500" in given.variant


@pytest.mark.parametrize(
    "normalise, kind, mentions",
    [
        ("chanel", "name", ["'chanel'", "Did you mean 'channel'?"]),
        ((0.5, 0), "value", ["(0.5, 0)"]),
        (0.5, "type", ["0.5", "(mean, deviation)"]),
        (((1, 2), (1, 2)), "shape", ["((1, 2), (1, 2))", "1 channels"]),
    ],
)
def test_normalise_refuses(places, normalise, kind, mentions):
    mnist(places)
    with refused(kind, "normalise", *mentions):
        data.load("mnist", normalise=normalise)


def test_neither_file_nor_network_is_one_error_with_both_ways_out(places, monkeypatch, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        data.load("cifar10")
    message = str(caught.value)
    for word in (
        "cifar10-train.parquet",
        "FAIRFL_DATA",
        str(places),
        "Name or service not known",
        str(tmp_path / "cache"),
    ):
        assert word in message
    assert caught.value.__cause__ is None and list((tmp_path / "cache/torchvision").iterdir()) == []
    monkeypatch.delenv("FAIRFL_DATA")
    with pytest.raises(FileNotFoundError, match="FAIRFL_DATA") as caught:
        data.load("emnist", split="balanced")
    assert "emnist_balanced" in str(caught.value) and str(places) not in str(caught.value)


def test_one_part_alone_is_refused(places):
    mnist(places)
    (places / "mnist-test.parquet").unlink()
    with pytest.raises(FileNotFoundError, match="mnist-test.parquet"):
        data.load("mnist")


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_file_is_named(places, keep):
    mnist(places, train=200)
    file = places / "mnist-train.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[: int(keep * len(whole))])
    with refused("file", "mnist-train.parquet"):
        data.load("mnist")


def test_a_file_damaged_in_the_middle_is_named(places):
    mnist(places, train=200)
    file = places / "mnist-train.parquet"
    whole = bytearray(file.read_bytes())
    whole[500:60000] = bytes(59500)
    file.write_bytes(whole)
    with refused("file", "mnist-train.parquet"):
        data.load("mnist")


def test_wrong_files_are_named_with_what_is_wrong(places):
    mnist(places)
    train = places / "mnist-train.parquet"

    def refuses(*mentions, kind="file"):
        with refused(kind, "mnist-train.parquet", *mentions):
            data.load("mnist")

    write(train, pictures(3), [0, 1, 10])
    refuses("labels", "from 0 to 10", "mnist from 0 to 9")
    write(train, pictures(3), [0, -1, 1])
    refuses("labels", "from -1 to 1")
    write(train, pictures(3), ["a", "b", "c"])
    refuses("labels", "text")
    write(train, pictures(3), [0, None, 1])
    refuses("'label'", "row 1")
    write(train, pictures(3), [0.5, 1.5, 1.0])
    refuses("'label'", "float64")
    write(train, pictures(3, (32, 32, 3)), [0, 1, 2])
    refuses("(3, 32, 32)", "(1, 28, 28)")
    write(train, [*pictures(2), *pictures(1, (27, 28))], [0, 1, 2])
    refuses("image 2", "(1, 27, 28)")
    write(train, pictures(2), [0, 1], image="picture")
    refuses("'image' or 'img'", "picture, label", kind="name")
    write(train, pictures(2), [0, 1], label="digit")
    refuses("'label' or", kind="name")
    write(train, pictures(0), pa.array([], pa.int64()))
    refuses()
    cells = [{"bytes": encoded(pictures(1)[0]), "path": None}, {"bytes": encoded(pictures(1)[0])[:100], "path": None}]
    pq.write_table(pa.table({"image": cells, "label": [0, 1]}), train)
    refuses("image 1")
    pq.write_table(pa.table({"image": [{"bytes": None, "path": "x.png"}], "label": [0]}), train)
    refuses()


def test_decoding_is_cached_by_content_and_a_broken_cache_does_no_harm(places, monkeypatch, tmp_path):
    mnist(places)
    first = data.load("mnist")
    kept = sorted((tmp_path / "cache/pixels").iterdir())
    assert len(kept) == 2 and all(f.suffix == ".npz" for f in kept)
    decode = image_decoding._decode
    monkeypatch.setattr(image_decoding, "_decode", lambda *a: pytest.fail("decoded although it was cached"))
    assert torch.equal(data.load("mnist").inputs, first.inputs)
    monkeypatch.setattr(image_decoding, "_decode", decode)
    for f in kept:
        f.write_bytes(f.read_bytes()[:1000])
    assert torch.equal(data.load("mnist").inputs, first.inputs)
    write(places / "mnist-train.parquet", pictures(6, seed=5), [0] * 6)
    assert torch.equal(data.load("mnist").inputs[0, 0], torch.tensor(pictures(6, seed=5)[0]) / 255)


def test_a_cache_that_cannot_be_written_costs_only_time(places, monkeypatch, tmp_path):
    mnist(places)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRFL_CACHE", str(tmp_path / "file"))
    assert len(data.load("mnist")) == 10


class Theirs:
    """torchvision's MNIST and EMNIST, as far as the loader asks: writes one file when told to download."""

    fetched: list = []
    fails: bool = False

    def __init__(self, root, train, download, split=None):
        file = os.path.join(root, f"{train}")
        if download:
            if not train and Theirs.fails:
                raise OSError("connection reset")
            Theirs.fetched.append(train)
            open(file, "w").close()
        if not os.path.exists(file):
            raise RuntimeError("Dataset not found")
        self.data = torch.tensor(pictures(3, seed=train))
        self.targets = torch.tensor([1, 26, 3] if split == "letters" else [0, 9, 1])


@pytest.fixture
def theirs(monkeypatch):
    Theirs.fetched, Theirs.fails = [], False
    monkeypatch.setattr(
        _torchvision, "torchvision", lambda: SimpleNamespace(datasets=SimpleNamespace(MNIST=Theirs, EMNIST=Theirs))
    )
    return Theirs


def test_torchvision_downloads_once(theirs, tmp_path):
    d = data.load("mnist")
    assert theirs.fetched == [True, False] and d.test_from == 3 and d.targets.tolist() == [0, 9, 1] * 2
    assert torch.equal(d.inputs[0, 0], torch.tensor(pictures(3, seed=1)[0]) / 255)
    data.load("mnist")
    assert theirs.fetched == [True, False]
    (tmp_path / "cache/torchvision/mnist/True").unlink()
    with refused("file", "torchvision/mnist", "Dataset not found"):
        data.load("mnist")


def test_a_broken_off_download_leaves_nothing(theirs, tmp_path):
    theirs.fails = True
    with pytest.raises(FileNotFoundError, match="connection reset"):
        data.load("mnist")
    assert list((tmp_path / "cache/torchvision").iterdir()) == []
    theirs.fails = False
    assert len(data.load("mnist")) == 6


def test_emnist_from_torchvision_is_turned_upright_and_counts_from_zero(theirs):
    d = data.load("emnist")
    assert d.targets.tolist() == [0, 25, 2] * 2 and d.name == "emnist_letters"
    assert torch.equal(d.inputs[0, 0], torch.tensor(pictures(3, seed=1)[0]).T / 255)


def test_own_files_win_over_the_download(theirs, places):
    mnist(places)
    assert len(data.load("mnist")) == 10 and theirs.fetched == []
