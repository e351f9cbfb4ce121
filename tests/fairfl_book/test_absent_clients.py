"""The runs recorded in data/results/absent_clients.csv, which chapter 14 draws, come out again."""

import csv
import importlib.util
from collections import Counter

import pytest
from fairfl_book import book_paths

RESULTS = book_paths.find().root / "data" / "results"
with open(RESULTS / "absent_clients.csv", newline="", encoding="utf-8") as file:
    RECORD = list(csv.DictReader(file))


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("absent_clients", RESULTS / "absent_clients.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_case_is_recorded_with_its_seeds():
    seeds = Counter((row["experiment"], row["rule"], row["setting"]) for row in RECORD)
    drawn = {key: n for key, n in seeds.items() if key[0] == "drawn"}
    assert len(drawn) == 8 * 3 and set(drawn.values()) == {8, 24}
    assert {key[1] for key, n in drawn.items() if n == 24} == {"mean of the latest", "FedMGDA+ with memory"}
    assert {n for key, n in seeds.items() if key[0] == "pattern"} == {5}
    assert len([key for key in seeds if key[0] == "splits"]) == 9 * 3


def test_a_recorded_line_comes_out_again(script):
    ten = script.offices()
    rivals = {name: rule for name, rule in script.contestants(ten).items() if name in {"FedAvg", "TERM, t = 2"}}
    for name, seed, history in script.runs(ten, rivals, 20, (0,), participation=script.Pattern(2)):
        ours = dict(zip(script.COLUMNS, script.line("pattern", name, "1 in 2", seed, history, 20, 2), strict=True))
        [recorded] = [
            row
            for row in RECORD
            if [row[key] for key in ("experiment", "rule", "setting", "rounds")] == ["pattern", name, "1 in 2", "20"]
        ]
        assert float(ours["tenth"]) == pytest.approx(float(recorded["tenth"]), abs=2)
        assert float(ours["nine"]) == pytest.approx(float(recorded["nine"]), abs=1)
