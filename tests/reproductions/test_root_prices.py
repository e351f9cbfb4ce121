"""The accuracies recorded in data/results/root_prices.csv give what the papers print, at the recorded price."""

import csv
from statistics import fmean, pstdev

import pytest

from reproductions import result_folders

KEY = ("paper", "table", "algorithm", "hyperparameters")
RECORDS = result_folders.find()
with open(RECORDS.results / "root_prices.csv", newline="", encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
WITH_WITNESS = [row for row in ROWS if row["price"]]
SHORT_OF = 0.0049  # of the half unit 0.005, which the script leaves to its four digits
WRITTEN = 6e-5  # half of the last digit that is written, and a little


def published():
    """The printed cells of every row, by its key; two set-ups of one table are kept apart by the first."""
    cells = {}
    with open(RECORDS.papers / "published_results.csv", newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["dataset"] in {"Fashion-MNIST", "Shakespeare"} and not line["setup"].startswith("setup 2"):
                cells.setdefault(tuple(line[k] for k in KEY), {})[line["metric"]] = line["value"]
    return cells


def accuracies(row):
    return [[float(v) for v in seed.split()] for seed in row["accuracies"].split(";")]


def holds(row, a):
    """Whether ``a`` gives the row's printed numbers at its price, and exactly in the way the script builds it."""
    *printed, sigma = map(float, row["printed"].split())
    clients = [fmean(of) for of in zip(*a, strict=True)]
    price = fmean(pstdev(of) ** 2 for of in zip(*a, strict=True)) ** 0.5
    if row["reading"] == "root":
        told, spreads = clients, [pstdev(seed) ** 0.5 for seed in a]
        built = all(abs(abs(x - y) - SHORT_OF) < WRITTEN for x, y in zip(told, printed, strict=True))
    else:
        ordered = sorted(clients)
        told, spreads = [fmean(clients), fmean(ordered[:3]), fmean(ordered[-3:])], [pstdev(seed) for seed in a]
        built = all(abs(x - y) < WRITTEN for x, y in zip(told, printed, strict=True))
        built &= all(abs(fmean(seed) - printed[0]) < WRITTEN for seed in a)
    return (
        len(a) == 5
        and {len(seed) for seed in a} == {3 if row["reading"] == "root" else 31}
        and all(0 <= v <= 100 for seed in a for v in seed)
        and [f"{v:.2f}" for v in (*told, fmean(spreads))] == row["printed"].split()
        and abs(abs(fmean(spreads) - sigma) - SHORT_OF) < WRITTEN
        and built
        and f"{price:.2f}" == row["price"]
    )


def test_the_rows_are_those_of_the_chapter_and_carry_the_papers_numbers():
    cells = published()
    three = ("accuracy_shirt", "accuracy_pullover", "accuracy_tshirt")
    want = {}
    for key, of in cells.items():
        if key[0] not in {"adafed", "dqn_fed"}:
            continue
        if three[0] in of:
            sigma = float(of["std_accuracy_as_printed"])
            if sigma + 0.01 < (pstdev(float(of[m]) for m in three) - 0.005) ** 0.5:
                want["root", *key] = [of[m] for m in (*three, "std_accuracy_as_printed")]
        elif "worst_10pct" in of:
            metrics = ("mean_accuracy", "worst_10pct", "best_10pct", "std_accuracy_as_printed")
            want["tails", *key] = [of[m] for m in metrics]
    told = {(row["reading"], *(row[k] for k in KEY)): row["printed"].split() for row in ROWS}
    assert len(told) == len(ROWS) == 30 and set(told) == set(want)
    assert all([float(v) for v in told[key]] == [float(v) for v in want[key]] for key in want)


def test_how_many_are_found():
    found = [(row["reading"], bool(row["price"])) for row in ROWS]
    assert [found.count(of) for of in (("root", True), ("tails", True), ("tails", False))] == [8, 18, 4]


@pytest.mark.parametrize("row", WITH_WITNESS, ids=lambda row: " ".join((row["reading"], *(row[k] for k in KEY))))
def test_the_accuracies_give_the_printed_numbers_and_an_edited_one_does_not(row):
    a = accuracies(row)
    assert holds(row, a)
    for seed in range(len(a)):
        for client in range(len(a[seed])):
            edited = [list(of) for of in a]
            edited[seed][client] += 0.01
            assert not holds(row, edited), (seed, client)


@pytest.mark.parametrize("row", [row for row in ROWS if not row["price"]], ids=lambda row: row["printed"])
def test_a_row_without_a_price_has_no_averages_at_all(row):
    mean, worst, best, _ = map(float, row["printed"].split())
    assert row["reading"] == "tails" and not row["accuracies"]
    low, high = ((31 * (mean + e) - 3 * (worst - e) - 3 * (best - e)) / 25 for e in (-0.005, 0.005))
    assert low > best + 0.005 or high < worst - 0.005
