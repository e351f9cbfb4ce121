"""Run by test_kill.py in a process of its own: trains with kills at many moments, and compares bits with a training that had none."""

import random
import sys
from pathlib import Path

import numpy as np
import strike
import torch

from fairfl import History, LocalSGD, Server, data, partition, rules, train

ROUNDS = 12


def settings():
    federation = partition.shards(data.load("digits"), 30, test=0.3)
    return dict(
        federation=federation,
        rule=rules.FedAvg(),
        model="mlp",
        rounds=ROUNDS,
        participation=0.1,
        seed=[0, 1],
        local=LocalSGD(lr=0.05, epochs=1, batch_size=10, momentum=0.5),
        server=Server(0.8, momentum=0.3),
        engine="sequential",
        evaluate_every=5,
    )


def training(folder: Path):
    """What trains to the end with a checkpoint in ``folder``, or continues from it."""
    folder.mkdir(exist_ok=True)

    def work():
        for seed, history in zip((0, 1), train(checkpoint=folder / "c.pt", checkpoint_every=1, **settings())):
            history.save(folder / f"{seed}.npz")

    return work


def differing_bits(a: Path, b: Path) -> int:
    total = 0
    for seed in (0, 1):
        one, two = History.load(a / f"{seed}.npz"), History.load(b / f"{seed}.npz")
        for name in ("parameters", "accuracy", "loss", "participants", "direction_norm", "smallest_rate"):
            x, y = getattr(one, name).tobytes(), getattr(two, name).tobytes()
            assert len(x) == len(y), name
            total += int(np.unpackbits(np.frombuffer(x, np.uint8) ^ np.frombuffer(y, np.uint8)).sum())
    return total


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    settings()  # so that no child waits for the dataset's library
    whole, moments, kills, bits = folder / "whole", random.Random(0), 0, 0
    events = strike.finish(training(whole))
    assert events["before"] == ROUNDS + 2 and events["round"] == 2 * ROUNDS, events
    for event in ("round", "open", "half", "before", "after"):
        place = folder / event
        for n in [moments.randint(1, events[event] // 4) for _ in range(3)]:
            strike.kill(training(place), event, n)
            kills += 1
        left = strike.finish(training(place))
        assert left["round"] < events["round"], "it did not continue, it started afresh"
        bits += differing_bits(whole, place)
    print(f"kills={kills} bits={bits}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
