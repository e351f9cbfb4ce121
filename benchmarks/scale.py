"""Does a round cost more where more clients wait outside it? ``python benchmarks/scale.py``.

Federations of 100, 1,000 and 10,000 clients with 20 examples each, of whom 100 take part in a round; each in a process of its own, so
that its memory is its own. Printed: seconds a round, what the rounds add to the process's memory, and how either grows: a slope of 0 is a
time that does not grow with the population, 1 one that grows in step.

``--wide`` prints instead the peak memory of three rounds of ten clients with a model of 25 million parameters. The clients' updates alone
are 1.0 GB, so a round that kept those of the round before would need 1 GB more.
"""

import argparse
import functools
import json
import math
import resource
import subprocess
import sys
import time

import torch

from fairfl import Dataset, LocalSGD, models, partition, rules, train

SIZES = (100, 1_000, 10_000)
EACH, FEATURES, PARTICIPANTS = 20, 64, 100


def peak() -> float:
    """The largest memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def one(clients: int, rule: str, rounds: int) -> dict[str, float]:
    """Seconds a round and MB that they add, for a federation of ``clients``."""
    g = torch.Generator().manual_seed(0)
    rows = clients * EACH
    dataset = Dataset(torch.randn(rows, FEATURES, generator=g), torch.arange(rows) % 10, tuple("0123456789"))
    federation = partition.iid(dataset, clients, test=0.2)
    settings = {"alpha": 0.1, "tau": 5} if rule == "FedFV" else {}
    begun, held = [], []

    def tick(updates):
        begun.append(time.process_time())
        held.append(peak())
        return updates

    train(
        federation,
        rules.make(rule, **settings),
        "mlp",
        rounds=rounds,
        participation=PARTICIPANTS / clients,
        local=LocalSGD(lr=0.1, batch_size=10),
        evaluate_every=rounds + 1,
        tamper=tick,
        progress=False,
    )
    warm = 8  # a rule's memory fills first
    return {"seconds": (begun[-1] - begun[warm]) / (rounds - 1 - warm), "MB": held[-1] - held[warm]}


def wide(rule: str, rounds: int = 3) -> dict[str, float]:
    """The number of parameters in millions, and the peak memory of this process in GB."""
    g = torch.Generator().manual_seed(0)
    dataset = Dataset(torch.randn(200, FEATURES, generator=g), torch.arange(200) % 10, tuple("0123456789"))
    history = train(
        partition.iid(dataset, 10, test=0.2),
        rule,
        functools.partial(models.mlp, hidden=(4_960, 4_960)),
        rounds=rounds,
        local=LocalSGD(lr=0.1, batch_size=10),
        evaluate_every=rounds,
        progress=False,
    )
    return {"millions": len(history.parameters) / 1e6, "GB": peak() / 1e3}


def main_wide() -> None:
    print(f"torch {torch.__version__}, one thread; 10 clients, three rounds, peak memory of a process")
    for rule in ("FedAvg", "FedMGDA"):
        asked = [sys.executable, __file__, "--one-wide", rule]
        told = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
        print(f"{rule:8} {told['millions']:.1f} million parameters   {told['GB']:.2f} GB")


def main(rounds: int) -> None:
    print(
        f"torch {torch.__version__}, one thread; {PARTICIPANTS} clients a round, {EACH} examples each, processor seconds"
    )
    for rule in ("FedAvg", "FedMGDA", "FedFV"):
        told = []
        for clients in SIZES:
            asked = [sys.executable, __file__, "--one", str(clients), rule, "--rounds", str(rounds)]
            told.append(json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout))
            print(
                f"{rule:8} {clients:7,} clients   {1e3 * told[-1]['seconds']:7.1f} ms a round   {told[-1]['MB']:+6.1f} MB in {rounds - 9} rounds"
            )
        for low in range(len(SIZES) - 1):
            span = math.log2(SIZES[-1] / SIZES[low])
            slope = math.log2(told[-1]["seconds"] / told[low]["seconds"]) / span
            more = (told[-1]["MB"] - told[low]["MB"]) / span
            print(
                f"{rule:8} from {SIZES[low]:,} on: slope of the time {slope:+.3f}, of the memory {more:+.2f} MB a doubling"
            )
    print("FedFV with 100 of 100 clients has nobody absent to remember, and so less to do.")


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--rounds", type=int, default=40)
    asked.add_argument("--one", nargs=2, metavar=("CLIENTS", "RULE"), help=argparse.SUPPRESS)
    asked.add_argument("--wide", action="store_true", help="the peak memory of a model with 25 million parameters")
    asked.add_argument("--one-wide", metavar="RULE", help=argparse.SUPPRESS)
    given = asked.parse_args()
    torch.set_num_threads(1)
    if given.one_wide:
        print(json.dumps(wide(given.one_wide)))
    elif given.wide:
        main_wide()
    elif given.one:
        print(json.dumps(one(int(given.one[0]), given.one[1], given.rounds)))
    else:
        main(given.rounds)
