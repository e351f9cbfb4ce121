"""The pieces of marking that need no class: whose a file is, a table's fields, what passes between the processes."""

import json
from fractions import Fraction
from pathlib import PurePath

import numpy as np
import pytest
import torch
from fairfl_book import command
from fairfl_book.exercises import grading
from fairfl_book.exercises.compare import equal
from fairfl_book.marking import class_marks, json_values, marks_table, submissions


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
    assert submissions.student(PurePath(path), "class", ["01_ferries"]) == student


def test_the_folder_may_stand_first_or_last(tmp_path, monkeypatch, capsys):
    marked = []
    monkeypatch.setattr(class_marks, "mark", lambda book, folder, names, *rest: marked.append((folder, names)) or [])
    for line in (f"{tmp_path} --chapters 00 03", f"--chapters 00 03 {tmp_path}", f"--chapters 00 03 -- {tmp_path}"):
        assert command.main(["mark", *line.split()]) == 0
    assert marked == [(tmp_path, ["00_start_here", "03_pareto_stationarity"])] * 3
    capsys.readouterr()
    for line in ("", "--chapters 03", "--chapters 00 03", f"--chapters {tmp_path}"):
        assert command.main(["mark", *line.split()]) == 2
        said = capsys.readouterr().err
        assert f"mark FOLDER {line}".strip() in said


@pytest.mark.parametrize("line", ["mark . --out none/marks.csv", "release --out none/book.zip"])
def test_no_folder_is_made_for_a_file(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(line.split()) == 2 and not (tmp_path / "none").exists()
    assert f"--out is {line.split()[-1]}" in capsys.readouterr().err


def test_whatever_is_handed_in_is_told_of_but_what_is_the_teacher_s_or_hidden(tmp_path):
    for name in (
        "carla.docx",
        "dora - 01_ferries.zip",
        "eve.IPYNB",
        "marks.csv",
        "marks.before.csv",
        "marks.xlsx",
        "term.csv",
        ".~lock.marks.csv#",
        "ann/01_ferries.ipynb",
        "ann/pictures/one.png",
        "ann/.ipynb_checkpoints/01_ferries-checkpoint.ipynb",
        "bob/deep/all.zip",
        "cid/COVER.ipynb",
        "fay/01_ferries.ipynb",
        "..gus/01_ferries.ipynb",
        "hal/.all/01_ferries.ipynb",
        "hal/._01_ferries.ipynb",
        ".DS_Store",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('{"cells": []}')
    papers = submissions.read(tmp_path, ["01_ferries"], {"marks", "term"})
    assert {(paper.student, paper.file): paper.problem for paper in papers} == {
        ("carla", "carla.docx"): "this is not a notebook (.ipynb)",
        ("dora", "dora - 01_ferries.zip"): "this is not a notebook (.ipynb); unpack it and mark again",
        ("eve", "eve.IPYNB"): "",
        ("ann", "ann/01_ferries.ipynb"): "",
        ("ann", "ann/"): "other files, not marked: pictures/one.png",
        ("bob", "bob/"): "there is no notebook in this folder, only deep/all.zip; unpack it and mark again",
        ("cid", "cid/"): "there is no notebook in this folder",
        ("fay", "fay/01_ferries.ipynb"): "",
        ("..gus", "..gus/01_ferries.ipynb"): submissions._HIDDEN,
        ("hal", "hal/.all/01_ferries.ipynb"): submissions._HIDDEN,
    }


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(1)", " =1", "\t=1", "\r\n@x", "＝1"])
def test_no_field_is_a_formula(text):
    assert marks_table.field(text).startswith("'") and marks_table.field(marks_table.field(text)) == marks_table.field(
        text
    )


def test_a_field_is_one_line_that_can_be_written():
    assert (
        marks_table.field("a\nb\x00c\u202ed\udcff") == "a b c d"
        and len(marks_table.field("x" * 5000)) == marks_table.LONGEST
    )


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
    there = json_values.decode(json.loads(json.dumps(json_values.encode(value))))
    assert type(there) is type(value) or isinstance(value, set)
    assert str(there) == str(value) or there == value


@pytest.mark.parametrize(
    "value", [np.float32(1.5), np.longdouble(1.5), Fraction(3, 2), torch.tensor(1.5, dtype=torch.float64)]
)
def test_numbers_of_any_kind_are_numbers(value):
    assert equal(json_values.decode(json.loads(json.dumps(json_values.encode(value)))), 1.5, 1e-9)


@pytest.mark.parametrize(
    "sent",
    [
        {"array": [1, 2], "shape": [3], "kind": "f"},
        {"array": ["x"], "shape": [1], "kind": "f"},
        {"array": [1], "shape": [-1], "kind": "f"},
        {"array": [1], "shape": [1], "kind": "O"},
        {"array": [], "shape": [30_000_000, 0], "kind": "f"},
        {"array": [], "shape": [6, 3_000_000, 0], "kind": "f"},
        {"set": [{"list": [1]}]},
        {"dict": [[1]]},
        {"code": "1"},
        [1],
    ],
)
def test_what_was_not_sent_by_this_program_is_refused(sent):
    with pytest.raises(ValueError):
        json_values.decode(sent)


NAMES = (
    "M\udcf6ller",  # a name in Latin-1, as Python has it on a machine of UTF-8
    "M\udcfcller",
    "M\\xf6ller",
    "M ller",
    "Anna",
    "\x01Anna",
    "\u200bAnna",
    " Anna",
    "Anna ",
    "=Anna",
    "'=Anna",
    "''=Anna",
    "Anna" * 1000,
    "Anna" * 1001,
)


def test_different_paths_are_different_fields_and_no_formulas():
    made = [marks_table.name(one) for one in NAMES]
    assert len({one.casefold().strip() for one in made}) == len(NAMES)
    for one in made:
        assert one.encode() and len(one) <= marks_table.LONGEST and not marks_table._FORMULA.match(one)
        assert not marks_table._UNSEEN.search(one), "a teacher sees where two names differ"
    assert marks_table.name("Zoë Müller/01_ferries.ipynb") == "Zoë Müller/01_ferries.ipynb"


@pytest.mark.parametrize(
    ("text", "read"),
    [("0.25", 0.25), ("1 / 4", 0.25), ("−2.5e-3", -0.0025), ("1e99999999999", None), ("1e-99999999999", 0.0)]
    + [("1e400", None), ("nan", None), ("7" * 500, None), ("1/" + "3" * 5000, None), ("four", None), ("1/0", None)],
)
def test_a_number_in_quotes_is_read_at_once_or_not_at_all(text, read):
    assert grading._read(text) == read
