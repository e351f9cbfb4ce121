"""Run by test_kill.py in a process of its own: forks trainings, kills them, lets them finish, counts differing bits.

The parent never trains, so that a fork inherits no thread of the autograd engine.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch

from fairfl import History, LocalSGD, Server, data, partition, rules, train


def settings():
    federation = partition.shards(data.load("digits"), 30, test=0.3)
    return dict(federation=federation, rule=rules.FedAvg(), model="mlp", rounds=20, participation=0.1, seed=[0, 1],
                local=LocalSGD(lr=0.05, epochs=1, batch_size=10, momentum=0.5), server=Server(0.8, momentum=0.3),
                engine="sequential", evaluate_every=5)


def training(folder: Path) -> int:
    """Fork a child that trains to the end with a checkpoint in ``folder``; returns its process number."""
    child = os.fork()
    if child:
        return child
    try:
        for seed, history in zip((0, 1), train(checkpoint=folder / "c.pt", checkpoint_every=1, **settings())):
            history.save(folder / f"{seed}.npz")
        os._exit(0)
    except BaseException as error:
        print(f"child failed: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)


def differing_bits(a: Path, b: Path) -> int:
    total = 0
    for seed in (0, 1):
        one, two = History.load(a / f"{seed}.npz"), History.load(b / f"{seed}.npz")
        for name in ("weights", "accuracy", "loss", "participants", "direction_norm", "smallest_rate"):
            x, y = getattr(one, name).tobytes(), getattr(two, name).tobytes()
            assert len(x) == len(y), name
            total += int(np.unpackbits(np.frombuffer(x, np.uint8) ^ np.frombuffer(y, np.uint8)).sum())
    return total


def main(folder: Path, kills: int) -> None:
    torch.set_num_threads(1)
    settings()  # so that no child waits for the dataset's library
    lasted = []
    for name in ("warm-up", "whole"):
        whole = folder / name
        whole.mkdir()
        begun = time.perf_counter()
        assert os.waitpid(training(whole), 0)[1] == 0
        lasted.append(time.perf_counter() - begun)
    moments, bits, struck = random.Random(0), 0, 0
    for i in range(kills):
        place = folder / str(i)
        place.mkdir()
        child = training(place)
        time.sleep(moments.uniform(0, 0.9 * min(lasted)))
        os.kill(child, signal.SIGKILL)
        struck += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        assert os.waitpid(training(place), 0)[1] == 0
        bits += differing_bits(whole, place)
    print(f"kills={struck} bits={bits}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
