"""UCI Adult: the features, the two domains, and every way a file can be wrong."""

import hashlib
import io
import urllib.error
import urllib.request

import pytest
import torch
from refusals import refused

from fairfl import data
from fairfl.data import adult

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

COLUMNS = adult._UCI_COLUMNS
CLERK = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, "
    "United-States, <=50K"
)
DOCTOR = "50, ?, 83311, Doctorate, 16, Married-civ-spouse, ?, Husband, Black, Female, 0, 0, 13, ?, >50K"


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRFL_DATA", str(tmp_path))
    monkeypatch.setenv("FAIRFL_CACHE", str(tmp_path / "cache"))

    def unreachable(*args, **more):
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(urllib.request, "urlopen", unreachable)
    return tmp_path


def write(file, lines, rename=lambda name: name, **changed):
    rows = [line.split(", ") for line in lines]
    columns = {rename(name): [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
    pq.write_table(pa.table({name: values for name, values in (columns | changed).items() if values}), file)


def test_the_ninety_nine_features():
    assert [len(v) for v in adult.ATTRIBUTES.values()] == [8, 16, 7, 14, 6, 5, 2, 41]
    assert len(adult.FEATURES) == len(set(adult.FEATURES)) == 99
    # Li et al.'s code finds the doctorates at this place.
    assert adult.FEATURES[21] == "education=Doctorate"


def test_one_hot_with_zeros_for_the_missing(places):
    write(places / "adult-train.parquet", [CLERK, DOCTOR])
    write(places / "adult-test.parquet", [DOCTOR])
    d = data.load("adult")
    assert d.inputs.shape == (3, 99) and d.inputs.dtype == torch.float32 and d.test_from == 2
    ones = [[adult.FEATURES[i] for i in row.nonzero().flatten()] for row in d.inputs]
    assert ones[0] == [
        "workclass=State-gov",
        "education=Bachelors",
        "marital-status=Never-married",
        "occupation=Adm-clerical",
        "relationship=Not-in-family",
        "race=White",
        "sex=Male",
        "native-country=United-States",
    ]
    assert (
        ones[1]
        == ones[2]
        == [
            "education=Doctorate",
            "marital-status=Married-civ-spouse",
            "relationship=Husband",
            "race=Black",
            "sex=Female",
        ]
    )
    assert d.targets.tolist() == [0, 1, 1] and d.classes == ("<=50K", ">50K")
    assert d.columns["phd"].tolist() == [0, 1, 1] and d.column_names["phd"] == ("non-PhD", "PhD")
    assert d.columns["sex"].tolist() == [1, 0, 0] and d.column_names["sex"] == ("Female", "Male")
    assert d.variant == "2 of 32,561 training rows; 1 of 16,281 test rows"


def test_a_missing_sex_has_a_number_of_its_own(places):
    write(places / "adult-train.parquet", [CLERK, DOCTOR], sex=["?", "Male"])
    write(places / "adult-test.parquet", [DOCTOR])
    d = data.load("adult")
    assert d.columns["sex"].tolist() == [2, 1, 0] and d.column_names["sex"] == ("Female", "Male", "unknown")


@pytest.mark.parametrize("letter", "._")
def test_the_hubs_spelling_of_columns_and_its_nulls(places, letter):
    for part in ("train", "test"):
        write(places / f"adult-{part}.parquet", [CLERK], lambda name: name.replace("-", letter), workclass=[None])
    d = data.load("adult")
    assert d.inputs.sum(1).tolist() == [7, 7]


def test_ucis_own_files(places):
    (places / "adult.data").write_text(f"{CLERK}\n{DOCTOR}\n\n")
    (places / "adult.test").write_text(f"|1x3 Cross validator\n{CLERK}.\n\n")
    d = data.load("adult")
    assert d.targets.tolist() == [0, 1, 0] and d.columns["phd"].tolist() == [0, 1, 0] and d.test_from == 2
    (places / "adult.test").write_text(f"|1x3 Cross validator\n{CLERK}.\n{CLERK[:40]}")
    with refused("file", "adult.test", "row 1", "15"):
        data.load("adult")


def test_neither_file_nor_network(places):
    with pytest.raises(FileNotFoundError) as caught:
        data.load("adult")
    for word in ("adult-train.parquet", "FAIRFL_DATA", "Name or service not known", "cache/adult"):
        assert word in str(caught.value)


def test_a_download_is_compared_kept_and_not_repeated(places, monkeypatch):
    asked, text = [], f"{CLERK}\n{DOCTOR}\n".encode()

    def answer(address, timeout):
        asked.append(address)
        return io.BytesIO(text)

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    with pytest.raises(FileNotFoundError) as caught:
        data.load("adult")
    assert all(word in str(caught.value) for word in ("adult.data", "2 rows", "5b00264637"))
    assert not list((places / "cache/adult").iterdir())
    monkeypatch.setattr(adult, "ROWS", (2, 2))
    monkeypatch.setattr(adult, "DIGESTS", dict.fromkeys(adult.DIGESTS, hashlib.sha256(text).hexdigest()))
    assert len(data.load("adult")) == 4 and len(asked) == 3
    assert data.load("adult").variant == "" and len(asked) == 3
    (places / "cache/adult/adult.test").unlink()
    text = text.replace(b"Black", b"White")  # as many rows as before
    with pytest.raises(FileNotFoundError) as caught:
        data.load("adult")
    assert all(word in str(caught.value) for word in ("adult.test", "2 rows"))


def test_wrong_files_are_named(places):
    write(places / "adult-test.parquet", [CLERK])
    train = places / "adult-train.parquet"

    def refuses(kind, *mentions, **changed):
        write(train, [CLERK, DOCTOR], **changed)
        with refused(kind, "adult-train.parquet", *mentions):
            data.load("adult")

    refuses("name", "'race'", "age, workclass", race=None)
    refuses("file", "race", "'Green'", race=["Green", "White"])
    refuses("file", "income", "'a lot'", income=["a lot", ">50K"])
    refuses("file", "row 1", "income", income=[">50K", None])
    whole = train.read_bytes()
    train.write_bytes(whole[:-100])
    with refused("file", "adult-train.parquet"):
        data.load("adult")
