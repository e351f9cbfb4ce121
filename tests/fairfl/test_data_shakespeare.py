"""Windows of speaking roles: what they hold, their order in time, and which roles are taken."""

import pytest
import torch
from refusals import refused

from fairfl import data
from fairfl.data.shakespeare import ALPHABET

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402


def text(n: int, first: int = 0) -> str:
    """No white space, so that nothing is joined away."""
    return "".join(chr(ord("a") + (first + i * i) % 26) for i in range(n))


@pytest.fixture(autouse=True)
def speeches(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRFL_DATA", str(tmp_path))

    def write(*rows):
        play, role, said = zip(*rows)
        pq.write_table(pa.table({"play": play, "role": role, "text": said}), tmp_path / "shakespeare-train.parquet")

    write(
        ("p", "B", text(50)),
        ("p", "A", text(90)),
        ("p", "B", text(60, 3)),
        ("q", "A", text(81, 5)),
        ("q", "C", "short"),
    )
    write.folder = tmp_path
    return write


def said(symbols) -> str:
    return "".join(ALPHABET[i] for i in symbols)


def test_the_alphabet_is_leafs():
    assert len(ALPHABET) == len(set(ALPHABET)) == 80


def test_windows_and_next_characters():
    d = data.load("shakespeare", stride=1)
    assert d.column_names["role"] == ("p/A", "p/B", "q/A") and d.columns["role"].bincount().tolist() == [10, 31, 1]
    assert d.inputs.shape == (42, 80) and d.inputs.dtype == d.targets.dtype == torch.int64
    assert d.classes == tuple(ALPHABET) and d.test_from == 42 and d.variant == ""
    whole = text(50) + " " + text(60, 3)  # B's two speeches, joined in the play's order
    for i in range(31):
        assert said(d.inputs[10 + i]) == whole[i : i + 80] and said([d.targets[10 + i]]) == whole[i + 80]
    assert said(d.inputs[41]) == text(81, 5)[:80]


def test_stride_and_position():
    d = data.load("shakespeare", stride=4, roles="p/B")
    assert len(d) == 8 and d.variant == "every 4th window"
    whole = text(50) + " " + text(60, 3)
    assert [said(row) for row in d.inputs] == [whole[4 * i : 4 * i + 80] for i in range(8)]
    assert torch.allclose(d.columns["position"], torch.arange(8) * 4 / 111)
    assert torch.allclose(d.columns["position_end"], (torch.arange(8) * 4 + 81) / 111)
    assert float(data.load("shakespeare", stride=1).columns["position_end"].max()) == 1


def test_a_split_in_time_by_position_shares_no_character(speeches):
    speeches(("p", "A", text(500)))
    d = data.load("shakespeare", stride=1)
    start = (d.columns["position"] * 500).round()
    train, test = d.columns["position_end"] <= 0.8, d.columns["position"] >= 0.8
    assert int(start[train].max()) + 81 <= 400 <= int(start[test].min()) and train.any() and test.any()


def test_white_space_quotes_and_strangers(speeches):
    speeches(("p", "A\n\nB", "‘Tis\t caf\u00e9 — \n\n" + text(90) + " sha$l \u4e2d?"))
    d = data.load("shakespeare", stride=1)
    assert d.column_names["role"] == ("p/A B",)
    assert said(d.inputs[0]).startswith("'Tis cafe - a") and said([*d.inputs[-1], d.targets[-1]]).endswith(" sha l  ?")
    assert d.variant == "characters outside the alphabet read as spaces: 2"


def test_roles_are_drawn_by_seed_among_those_with_enough_windows(speeches):
    speeches(*[("p", f"R{i:02d}", text(80 + i)) for i in range(40)])
    roles = [data.load("shakespeare", roles=5, min_windows=20, seed=s).column_names["role"] for s in (0, 0, 1)]
    assert roles[0] == roles[1] != roles[2] and len(set(roles[0])) == 5 and min(roles[0]) >= "p/R20"
    assert data.load("shakespeare", roles=5, seed=3).variant == "every 10th window; 5 of 39 roles, drawn by seed 3"
    named = data.load("shakespeare", roles=("p/R30", "p/R07"))
    assert named.column_names["role"] == ("p/R30", "p/R07")


@pytest.mark.parametrize(
    "options, kind, mentions",
    [
        ({"stride": 0}, "value", ["stride is 0", "1 or more"]),
        ({"min_windows": 0}, "value", ["min_windows is 0"]),
        ({"min_windows": 10**6}, "missing", ["role", "min_windows"]),
        ({"roles": 4}, "value", ["roles is 4", "1 to 3"]),
        ({"roles": "p/D"}, "name", ["role", "'p/D'", "Did you mean 'p/"]),
    ],
)
def test_options_are_refused(options, kind, mentions):
    with refused(kind, *mentions):
        data.load("shakespeare", **options)


def test_wrong_and_missing_files_are_named(speeches):
    file = speeches.folder / "shakespeare-train.parquet"
    speeches(("p", None, "x"))
    with refused("file", "shakespeare-train.parquet", "row 0", "role"):
        data.load("shakespeare")
    pq.write_table(pa.table({"play": ["p"], "line": ["x"]}), file)
    with refused("name", "shakespeare-train.parquet", "'role'", "play, line"):
        data.load("shakespeare")
    file.write_bytes(file.read_bytes()[:-20])
    with refused("file", "shakespeare-train.parquet"):
        data.load("shakespeare")
    file.unlink()
    with pytest.raises(FileNotFoundError, match="shakespeare-train.parquet .*FAIRFL_DATA"):
        data.load("shakespeare")
