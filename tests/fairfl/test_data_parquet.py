"""Image datasets of the reader's own: clients, class names, paths, colours."""

import json

import numpy as np
import pytest
import torch
from refusals import refused
from test_data_images import pictures, places, write  # noqa: F401  (the fixture is used by name)

from fairfl import data


def test_clients_and_class_names(places):  # noqa: F811
    hub = {"huggingface": json.dumps({"info": {"features": {"character": {"names": ["zero", "one", "two"]}}}})}
    write(
        places / "femnist/train-00000-of-00001.parquet",
        pictures(5),
        [0, 1, 1, 0, 0],
        label="character",
        writer_id=["f9", "f10", "f9", "a", "a"],
        metadata=hub,
    )
    d = data.load("parquet", path="femnist", label="character", client="writer_id")
    assert d.name == "femnist" and d.classes == ("zero", "one", "two") and d.test_from == 5 and d.variant == ""
    assert d.columns["client"].tolist() == [2, 1, 2, 0, 0] and d.column_names["client"] == ("a", "f10", "f9")
    again = data.load("parquet", path="femnist", label="character", client="writer_id")  # from the cache
    assert torch.equal(again.inputs, d.inputs) and again.column_names == d.column_names and again.classes == d.classes


def test_test_rows_by_another_name_and_clients_of_both_parts(places):  # noqa: F811
    write(places / "tiny-train.parquet", pictures(3, (8, 8, 3)), [0, 1, 2], who=[7, 7, 5])
    write(places / "tiny-valid.parquet", pictures(2, (8, 8, 3), 1), [2, 3], who=[6, 7])
    d = data.load("parquet", path=places / "tiny", test="valid", client="who")
    assert d.test_from == 3 and len(d) == 5 and d.classes == tuple("0123")
    assert d.columns["client"].tolist() == [2, 2, 0, 1, 2] and d.column_names["client"] == ("5", "6", "7")
    assert data.load("parquet", path=places / "tiny").test_from == len(data.load("parquet", path=places / "tiny")) == 3
    with pytest.raises(FileNotFoundError, match="'validation'"):
        data.load("parquet", path=places / "tiny", test="validation")


def test_one_file_alone_and_labels_as_text(places):  # noqa: F811
    file = write(places / "cats.parquet", pictures(3), ["tom", "felix", "tom"], kind="JPEG")
    d = data.load("parquet", path=str(file), normalise=(0.5, 0.5))
    assert d.classes == ("felix", "tom") and d.targets.tolist() == [1, 0, 1] and d.name == "cats"
    assert d.variant == "read from JPEG; normalised per channel (mean/deviation 0.5000/0.5000)"


def test_mixed_colours_need_a_decision(places):  # noqa: F811
    file = write(places / "mixed.parquet", [*pictures(1, (8, 8, 3)), *pictures(1, (8, 8))], [0, 1])
    with refused("file", "mixed.parquet", "image 1", "(1, 8, 8)", "channels=3"):
        data.load("parquet", path=file)
    assert data.load("parquet", path=file, channels=3).inputs.shape == (2, 3, 8, 8)
    assert data.load("parquet", path=file, channels=1).inputs.shape == (2, 1, 8, 8)
    with refused("value", "channels is 2", "None, 1 or 3"):
        data.load("parquet", path=file, channels=2)


def test_shards_and_parts_must_have_one_shape(places):  # noqa: F811
    for i in range(2):
        write(places / f"odd/train-0000{i}-of-00002.parquet", pictures(2, (8 + i, 8)), [0, 1])
    with refused("file", "train-00001-of-00002.parquet", "(1, 9, 8)"):
        data.load("parquet", path="odd")
    write(places / "two-train.parquet", pictures(2, (8, 8)), [0, 1])
    write(places / "two-test.parquet", pictures(2, (9, 9)), [0, 1])
    with refused("file", "two-test.parquet"):
        data.load("parquet", path="two")


def test_wrong_labels_columns_and_paths_are_named(places):  # noqa: F811
    hub = {"huggingface": json.dumps({"info": {"features": {"label": {"names": ["only"]}}}})}
    file = write(places / "x.parquet", pictures(2), [0, 1], metadata=hub)
    with refused("file", "x.parquet", "label", "1 classes"):
        data.load("parquet", path=file)
    write(file, pictures(2), [0, -1])
    with refused("file", "x.parquet", "label", "-1"):
        data.load("parquet", path=file)
    with refused("name", "'writer'", "image, label"):
        data.load("parquet", path=file, client="writer")
    with pytest.raises(FileNotFoundError, match=r"nowhere or .*nowhere"):
        data.load("parquet", path="nowhere")


def test_palettes_and_bits_become_grey_or_colour(places):  # noqa: F811
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq
    from PIL import Image

    def cell(mode):
        held = io.BytesIO()
        Image.fromarray(pictures(1, (8, 8))[0]).convert(mode).save(held, "PNG")
        return {"bytes": held.getvalue(), "path": None}

    for mode, channels in (("1", 1), ("P", 3), ("RGBA", 3)):
        pq.write_table(pa.table({"image": [cell(mode)], "label": [0]}), places / "modes.parquet")
        assert data.load("parquet", path="modes.parquet").inputs.shape == (1, channels, 8, 8)
    held = io.BytesIO()
    Image.fromarray(np.zeros((8, 8), np.uint16)).save(held, "PNG")
    pq.write_table(pa.table({"image": [held.getvalue()], "label": [0]}), places / "deep.parquet")
    with refused("file", "deep.parquet", "8 bits"):
        data.load("parquet", path="deep.parquet")


def test_text_and_numbers_are_not_mixed_into_text(places):  # noqa: F811
    write(places / "two-train.parquet", pictures(2), [0, 1])
    write(places / "two-test.parquet", pictures(2), ["0", "1"])
    with refused("file", "two-test.parquet", "labels", "two-train"):
        data.load("parquet", path="two")
