"""UCI Adult as the fairness papers prepare it: 99 binary features, and the domains PhD and non-PhD."""

import csv
import hashlib
import urllib.request
from pathlib import Path

import numpy as np
import torch

from fairfl import _atomic_files
from fairfl.data import data_folder
from fairfl.data.dataset import Dataset
from fairfl.data.parquet_reader import Table, broken

# The categorical attributes and their values, in UCI's own order. 8 + 16 + 7 + 14 + 6 + 5 + 2 + 41 = 99.
ATTRIBUTES = {
    name: tuple(values.split())
    for name, values in {
        "workclass": "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked",
        "education": "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters "
        "1st-4th 10th Doctorate 5th-6th Preschool",
        "marital-status": "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent "
        "Married-AF-spouse",
        "occupation": "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv "
        "Armed-Forces",
        "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
        "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
        "sex": "Female Male",
        "native-country": "United-States Cambodia England Puerto-Rico Canada Germany Outlying-US(Guam-USVI-etc) India "
        "Japan Greece South China Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico "
        "Portugal Ireland France Dominican-Republic Laos Ecuador Taiwan Haiti Columbia Hungary Guatemala "
        "Nicaragua Scotland Thailand Yugoslavia El-Salvador Trinadad&Tobago Peru Hong Holand-Netherlands",
    }.items()
}
FEATURES = tuple(f"{name}={value}" for name, values in ATTRIBUTES.items() for value in values)
CLASSES = ("<=50K", ">50K")
ROWS = (32561, 16281)
# UCI's plain files have no header: these are their columns.
_UCI_COLUMNS = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
).split()
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
# SHA-256 of UCI's files. UCI publishes none; these are the digests that others have published, and they agree with the
# parquet files' rows written in UCI's format (tests/fairfl/test_data_real.py).
DIGESTS = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}


def load() -> Dataset:
    """48,842 people: 32,561 training rows, then the official 16,281 test rows; (99,) inputs of 0 and 1; two classes.

    There is one feature for each value of the eight categorical attributes: workclass 8, education 16,
    marital-status 7, occupation 14, relationship 6, race 5, sex 2, native-country 41. The six numbers (age, fnlwgt,
    education-num, capital-gain, capital-loss, hours-per-week) are left out, and a missing value ("?") is encoded as
    zeros in its attribute. The papers give only the total (FedMGDA+ section 6.1.4: "pre-processed as in Li et al. to
    have 99 binary features"). Which features these are was read in Li et al.'s released code (fair_flearn,
    ``data/adult/create_dataset.py``: 105 columns, six of them continuous and skipped "in order to be consistent" with
    AFL), and it agrees with the number of values that UCI lists. One attribute is education, so the domain is itself a
    feature.

    ``columns["phd"]``: 1 where education is Doctorate (413 training and 181 test rows), 0 for the other 32,148 and
    16,100. ``columns["sex"]``: 0 where sex is Female (10,771 training and 5,421 test rows), 1 where it is Male; 2,
    "unknown", only if your own file has missing values. Both are features as well; ``FEATURES`` names the inputs.

    Source: ``adult-train.parquet`` and ``adult-test.parquet`` (UCI's column names) under ``$FAIRFL_DATA``, or UCI's
    ``adult.data`` and ``adult.test`` there. Otherwise the latter are downloaded once from UCI into the cache, and kept
    only if their SHA-256 is the known one. Your own files are not compared with it; ``variant`` says if rows are
    missing. Raises ``FileNotFoundError`` with both remedies, and ``Refused`` naming the file if it is incomplete or
    holds unknown values.
    """
    parts = [_read(file) for file in _files()]
    inputs = np.concatenate([inputs for inputs, _ in parts])
    targets = np.concatenate([targets for _, targets in parts])
    border = len(parts[0][0])
    counts = zip((border, len(inputs) - border), ROWS, ("training", "test"))
    done = [f"{n:,} of {rows:,} {what} rows" for n, rows, what in counts if n != rows]
    phd = inputs[:, FEATURES.index("education=Doctorate")].astype(np.int64)
    sexes = inputs[:, [FEATURES.index(f"sex={value}") for value in ATTRIBUTES["sex"]]]
    sex = np.where(sexes.any(1), sexes.argmax(1), len(ATTRIBUTES["sex"]))
    named = (*ATTRIBUTES["sex"], *(["unknown"] if (sex == len(ATTRIBUTES["sex"])).any() else []))
    return Dataset(
        torch.from_numpy(inputs),
        torch.from_numpy(targets),
        CLASSES,
        border,
        {"phd": torch.from_numpy(phd), "sex": torch.from_numpy(sex)},
        {"phd": ("non-PhD", "PhD"), "sex": named},
        "; ".join(done),
        "adult",
    )


def _files() -> list[Path]:
    if own := data_folder.own():
        if files := data_folder.both(own / "adult"):
            return [files[0][0], files[1][0]]
        plain = [own / name for name in ("adult.data", "adult.test")]
        if all(file.is_file() for file in plain):
            return plain
    kept = [data_folder.cache() / "adult" / name for name in ("adult.data", "adult.test")]
    for file in kept:
        if not file.is_file():
            try:
                _fetch(_UCI + file.name, file)
            except OSError as failure:  # URLError is one
                raise data_folder.missing(
                    "adult",
                    "adult-train.parquet and adult-test.parquet, or UCI's adult.data and adult.test,",
                    f"it could not be downloaded from {_UCI} ({failure})",
                    f"connect to the network and load it again: it is then downloaded once, into {file.parent}",
                ) from None
    return kept


def _fetch(address: str, file: Path) -> None:
    """Download a file, and write it only if its digest is the known one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with urllib.request.urlopen(address, timeout=30) as answer:
        text = answer.read()
    if (digest := hashlib.sha256(text).hexdigest()) != DIGESTS[file.name]:
        rows = len(_plain_rows(text.decode("ascii", "replace")))
        raise OSError(
            f"the download of {address} has {rows:,} rows and is not UCI's file: its SHA-256 is {digest} "
            f"instead of {DIGESTS[file.name]}"
        )
    _atomic_files.write(file, text)


def _plain_rows(text: str) -> list[list[str]]:
    """The rows of UCI's text, without the comment at the top of the test file and the empty last line of both."""
    return [row for row in csv.reader(text.splitlines(), skipinitialspace=True) if len(row) > 1]


def _read(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """(N, 99) float32 features and (N,) int64 classes of one file."""
    wanted = [*ATTRIBUTES, "income"]
    if file.suffix == ".parquet":
        table = Table(file)
        # The hub's copies write marital.status or marital_status for UCI's marital-status.
        spelled = {name.replace(".", "-").replace("_", "-"): name for name in table.columns}
        columns = [table.values(table.column(spelled.get(name, name), (), "categorical")) for name in wanted]
    else:
        rows = _plain_rows(file.read_text(encoding="ascii", errors="replace"))
        for number, row in enumerate(rows):
            if len(row) != len(_UCI_COLUMNS):
                raise broken(file, f"row {number} has {len(row)} values instead of {len(_UCI_COLUMNS)}")
        columns = [[row[_UCI_COLUMNS.index(name)] for row in rows] for name in wanted]
        if not rows:
            raise broken(file, "it has no rows")
    *features, income = (
        _one_hot(file, name, values, column)
        for (name, values), column in zip([*ATTRIBUTES.items(), ("income", CLASSES)], columns)
    )
    if not income.any(1).all():
        raise broken(file, f"row {int(income.any(1).argmin())} has no income")
    return np.concatenate(features, 1).astype(np.float32), income.argmax(1)


def _one_hot(file: Path, name: str, values: tuple[str, ...], column: list) -> np.ndarray:
    """(N, values) booleans, all false for a missing value ("?"). UCI's test incomes end in a full stop."""
    cells = np.array([None if v is None else str(v).strip(" .") for v in column], object)
    hot = cells[:, None] == np.array(values, object)
    for strange in cells[~hot.any(1)]:
        if strange not in ("?", None):
            raise broken(
                file,
                f"{name} has the value {strange!r}, which UCI's Adult does not have; its values are "
                f"{', '.join(values[:5])}{', ...' if len(values) > 5 else ''}",
            )
    return hot
