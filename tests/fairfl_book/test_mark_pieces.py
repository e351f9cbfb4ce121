"""The pieces of marking that need no class: whose a file is, a table's fields, what passes between the processes."""

import json
from fractions import Fraction
from pathlib import PurePath

import numpy as np
import pytest
import torch
from fairfl_book.exercises.compare import equal
from fairfl_book.marking import handed_in, table, values


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("Ann Lee_77_file/01_ferries.ipynb", "Ann Lee_77_file"),
        ("ann/deep/x.ipynb", "ann"),
        ("01_ferries_ann.ipynb", "ann"),
        ("ann - 01_ferries.ipynb", "ann"),
        ("ann.ipynb", "ann"),
        ("01_ferries.ipynb", "class"),
        ("01_ferries-Copy1.ipynb", "class"),
        ("01_ferries (2).ipynb", "class"),
    ],
)
def test_whose_a_file_is(path, student):
    assert handed_in.student(PurePath(path), "class", ["01_ferries"]) == student


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(1)", " =1", "\t=1", "\r\n@x", "＝1"])
def test_no_field_is_a_formula(text):
    assert table.field(text).startswith("'") and table.field(table.field(text)) == table.field(text)


def test_a_field_is_one_line_that_can_be_written():
    assert table.field("a\nb\x00c\u202ed\udcff") == "a b c d" and len(table.field("x" * 5000)) == table.LONGEST


@pytest.mark.parametrize(
    "value",
    [
        None,
        ...,
        True,
        3,
        0.5,
        float("nan"),
        "ten",
        [1, (2.0, "x")],
        {"a": [1]},
        {1, 2},
        np.arange(6.0).reshape(2, 3),
        np.array([True]),
    ],
)
def test_what_passes_between_the_processes_stays_what_it_is(value):
    there = values.decode(json.loads(json.dumps(values.encode(value))))
    assert type(there) is type(value) or isinstance(value, set)
    assert str(there) == str(value) or there == value


@pytest.mark.parametrize(
    "value", [np.float32(1.5), np.longdouble(1.5), Fraction(3, 2), torch.tensor(1.5, dtype=torch.float64)]
)
def test_numbers_of_any_kind_are_numbers(value):
    assert equal(values.decode(json.loads(json.dumps(values.encode(value)))), 1.5, 1e-9)


@pytest.mark.parametrize(
    "sent",
    [
        {"array": [1, 2], "shape": [3], "kind": "f"},
        {"array": ["x"], "shape": [1], "kind": "f"},
        {"array": [1], "shape": [-1], "kind": "f"},
        {"array": [1], "shape": [1], "kind": "O"},
        {"set": [{"list": [1]}]},
        {"dict": [[1]]},
        {"code": "1"},
        [1],
    ],
)
def test_what_was_not_sent_by_this_program_is_refused(sent):
    with pytest.raises(ValueError):
        values.decode(sent)
