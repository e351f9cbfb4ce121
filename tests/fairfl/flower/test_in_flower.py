"""The same losses in Flower as in ``train``: simulated, and over a real SuperLink and two SuperNodes (``make test-flower``)."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from fairfl import train

RESULTS = Path(__file__).resolve().parents[3] / "data" / "results"
REASON = "Flower is not installed: make test-flower installs it and runs this"


def losses_of(told):
    return np.array([loss for _, _, loss in told["scores"]])


def losses_of_train(demo, s):
    return train(
        demo.federation(s), demo.rule(s), demo.model(s), rounds=s["rounds"], local=demo.local(s), seed=s["seed"]
    ).loss[1:]


@pytest.mark.flower
@pytest.mark.parametrize("rule, settings", [("FedAvg", {}), ("FedFV", {"tau": 2})])
def test_in_flowers_simulation(rule, settings):
    pytest.importorskip("flwr", reason=REASON)
    pytest.importorskip("ray", reason=REASON)
    from post_offices import demo, simulated

    s = demo.complete({"rule": rule, "rule-settings": json.dumps(settings), "clients": 3, "rounds": 3})
    assert np.abs(losses_of(simulated.run(s)) - losses_of_train(demo, s)).max() < 1e-4


@pytest.mark.flower
def test_over_a_superlink_and_two_supernodes():
    pytest.importorskip("flwr", reason=REASON)
    from post_offices import demo, loopback

    s = demo.complete({"rule": "FedMGDAPlus", "rounds": 3})
    assert np.abs(losses_of(loopback.run(s, limit=300)) - losses_of_train(demo, s)).max() < 1e-4


@pytest.mark.flower
def test_failures_in_flower_are_refused_and_the_rounds_go_on():
    pytest.importorskip("flwr", reason=REASON)
    pytest.importorskip("ray", reason=REASON)
    from post_offices import simulated

    told = simulated.run(
        {"rule": "FedMGDAPlus", "clients": 3, "rounds": 3, "faults": "0 2 not a number; 1 1 crash; 2 2 wrong shape"}
    )
    first, second, third = told["log"]
    assert [record["clients"] for record in told["log"]] == [[0, 1], [0, 2], [0, 1]]
    assert "non-finite" in first["refused"][0]["reason"] and "expected (10, 64)" in third["refused"][0]["reason"]
    assert "sent no answer" in second["refused"][0]["reason"] and second["missing"] == [1]


def test_the_recorded_runs_agree_with_train():
    with open(RESULTS / "flower_loopback.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    worst = defaultdict(float)
    for row in rows:
        where = row["where"], row["rule"]
        worst[where] = max(worst[where], abs(float(row["loss"]) - float(row["loss_train"])))
    assert {where for where, _ in worst} == {"simulation", "network"} and len(worst) == 8
    assert max(worst.values()) < 1e-4


def test_the_recorded_runs_are_what_train_gives_today():
    """The recorded column of ``train`` is computed anew for one rule, so that a change of the package cannot leave it behind."""
    from fairfl import LocalSGD, data, models, partition

    with open(RESULTS / "flower_loopback.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["where"], row["rule"]) == ("network", "FedMGDAPlus")]
    digits = data.load("digits")
    fed = partition.by_class(digits, [range(8), [8, 9]], scored_on="pool", test=0.4)
    history = train(
        fed,
        "FedMGDAPlus",
        models.build("logistic", digits, seed=0),
        rounds=5,
        local=LocalSGD(lr=0.5, epochs=2, batch_size=16),
    )
    assert {row["split"] for row in rows} == {fed.digest}
    for row in rows:
        assert float(row["loss"]) == pytest.approx(history.loss[int(row["round"]), int(row["client"])], abs=1e-4)
