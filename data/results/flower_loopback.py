"""Compare losses in Flower with those of ``fairfl.train``, and record what a server sees of failing clients.

Writes flower_loopback.csv and flower_failures.csv next to this file.

Post offices on the digits, logistic regression, seed 0, two local epochs of batches of 16 at step size 0.5, full participation, five
rounds. ``where``: "simulation" is Flower's simulation with ten offices; "network" is one SuperLink and two SuperNodes, each in its own
process, over 127.0.0.1 (two offices: digits 0 to 7, digits 8 and 9). ``loss_train``: the same run by ``fairfl.train`` with
engine="sequential". Failures: ten simulated offices with faults in their replies; and two offices on the network, one of whose SuperNodes
is terminated after round 1. Node numbers are Flower's, and drawn anew in each run.
Needs ``pip install "fairfl[flower]"``.
"""

import csv
import json
from pathlib import Path

import flwr
import torch
from post_offices import demo, loopback, simulated

from fairfl import train

HERE = Path(__file__).parent
RULES = {"FedAvg": {}, "FedMGDAPlus": {}, "FedFV": {"tau": 2}, "AFL": {}}
FAULTS = "1 2 not a number; 1 5 wrong shape; 2 3 crash; 2 9 other names; 3 4 poses as client 0; 3 6 no size"
VERSIONS = {"flwr": flwr.__version__, "torch": torch.__version__.split("+")[0]}


def agreement(where, run, clients):
    """One row for every rule, round and client of the runs in one place."""
    for name, settings in RULES.items():
        s = demo.complete({"rule": name, "rule-settings": json.dumps(settings), "clients": clients})
        found = run(s)
        fed = demo.federation(s)
        history = train(
            fed,
            demo.rule(s),
            demo.model(s),
            rounds=s["rounds"],
            local=demo.local(s),
            seed=s["seed"],
            engine="sequential",
            progress=False,
        )
        for (done, accuracy, loss), ours in zip(found["scores"], history.loss[1:]):
            for k in range(clients):
                yield {
                    "where": where,
                    "rule": name,
                    "settings": json.dumps(settings),
                    "round": done,
                    "client": k,
                    "loss": f"{loss[k]:.9f}",
                    "loss_train": f"{ours[k]:.9f}",
                    "accuracy": f"{accuracy[k]:.6f}",
                    **VERSIONS,
                    "seed": s["seed"],
                    "split": fed.digest,
                }


def killed():
    """The network run in which office 1's SuperNode is terminated after round 1."""
    done = []

    def kill(nodes, line):
        if "round 1:" in line and not done:
            loopback.stop(nodes[1])
            done.append(True)

    return loopback.run({"rule": "FedAvg"}, timeout=15, meanwhile=kill, limit=400)


def failures():
    """One row for each log line of the two runs with failures."""
    faulty = simulated.run({"rule": "FedMGDAPlus", "clients": 10, "faults": FAULTS}, limit=400)
    for where, found in (("simulation, faulty replies", faulty), ("network, SuperNode ended", killed())):
        for record, words in zip(found["log"], found["words"]):
            yield {
                "where": where,
                "round": record["round"],
                "clients": len(record["clients"]),
                "refused": len(record["refused"]),
                "missing": len(record["missing"]),
                "words": words,
                **VERSIONS,
            }


def write(name, rows):
    rows = iter(rows)
    first = next(rows)
    with open(HERE / name, "w", newline="") as file:
        table = csv.DictWriter(file, list(first))
        table.writeheader()
        table.writerow(first)
        for row in rows:
            table.writerow(row)
            file.flush()


def everything():
    yield from agreement("simulation", lambda s: simulated.run(s, limit=400), 10)
    yield from agreement("network", lambda s: loopback.run(s, limit=400), 2)


if __name__ == "__main__":
    write("flower_failures.csv", failures())
    write("flower_loopback.csv", everything())
