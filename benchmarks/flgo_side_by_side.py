"""A round of FedAvg on MNIST here and in FLGo, in one run: ``python benchmarks/flgo_side_by_side.py``.

100 iid clients, 10 % a round, one local epoch, batch 64, everything evaluated each round (FLGo's own default logger: the test set and
every client's validation rows; ours scores the same rows and besides each client on the test rows). Same models: FLGo's MLP
784-200-200-10 and its CNN. Needs ``pip install flgo`` (tried: 0.4.4) and MNIST where fairfl finds it. One thread each, which is FLGo's default,
and processor seconds of this process, which other work on the machine disturbs least.
"""

import argparse
import struct
import sys
import tempfile
import time
from pathlib import Path

import torch

from fairfl import LocalSGD, data, partition, train
from fairfl.vision import torchvision

ROUNDS = 2


def idx_files(mnist, folder: Path) -> None:
    """MNIST in the layout that torchvision expects to find, so that nothing is fetched."""
    raw = folder / "MNIST" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    pixels = (mnist.inputs * 255).round().to(torch.uint8).numpy()
    for name, rows in (("train", slice(0, mnist.test_from)), ("t10k", slice(mnist.test_from, None))):
        images, labels = pixels[rows], mnist.targets[rows].to(torch.uint8).numpy()
        head = struct.pack(">IIII", 2051, len(images), 28, 28)
        (raw / f"{name}-images-idx3-ubyte").write_bytes(head + images.tobytes())
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, len(labels)) + labels.tobytes())


def flgo_seconds(model: str, folder: Path) -> float:
    """Seconds a round: the difference between a long and a short run, so that set-up cancels."""
    import flgo
    import flgo.algorithm.fedavg as fedavg
    import flgo.benchmark.mnist_classification as benchmark
    import flgo.benchmark.partition as fpart
    from flgo.benchmark.mnist_classification.model import cnn, mlp

    # Newer releases of PyTorch refuse a Subset that overrides one of two methods; this is the other, as it used to behave.
    from flgo.benchmark.toolkits.cv.classification import FromDatasetPipe

    FromDatasetPipe.TaskDataset.__getitems__ = lambda self, indices: [self[i] for i in indices]

    task = str(folder / "task")
    if not Path(task).exists():
        flgo.gen_task_by_(benchmark, fpart.IIDPartitioner(num_clients=100), task)
    option = {
        "proportion": 0.1,
        "num_epochs": 1,
        "batch_size": 64,
        "learning_rate": 0.1,
        "learning_rate_decay": 1.0,
        "eval_interval": 1,
        "train_holdout": 0.1,
        "no_tqdm": True,
        "no_log_console": True,
        "torch_num_threads": 1,
    }

    def run(rounds):
        runner = flgo.init(task, fedavg, option | {"num_rounds": rounds}, model={"mlp": mlp, "cnn": cnn}[model])
        begun = time.process_time()
        runner.run()
        return time.process_time() - begun

    short = run(1)
    return (run(1 + ROUNDS) - short) / ROUNDS


def our_seconds(model: str, mnist) -> float:
    federation = partition.iid(mnist, 100, scored_on="official", validation=0.1)

    def cnn(shape, classes):
        return torch.nn.Sequential(
            torch.nn.Conv2d(1, 32, 5, padding=2),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(32, 64, 5, padding=2),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Flatten(),
            torch.nn.Linear(3136, 512),
            torch.nn.ReLU(),
            torch.nn.Linear(512, 10),
        )

    name = {"mlp": "mlp", "cnn": cnn}[model]

    def run(rounds):
        begun = time.process_time()
        train(
            federation,
            "FedAvg",
            name,
            rounds=rounds,
            participation=0.1,
            local=LocalSGD(lr=0.1, batch_size=64),
            score=("test", "validation"),
            progress=False,
        )
        return time.process_time() - begun

    short = run(1)
    return (run(1 + ROUNDS) - short) / ROUNDS


def main() -> int:
    torch.set_num_threads(1)
    torchvision()
    try:
        import flgo
    except ImportError as error:
        print(f"FLGo is not importable here ({error}); pip install flgo, then run this again")
        return 1
    mnist = data.load("mnist")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        idx_files(mnist, folder)
        flgo.set_data_root(str(folder))
        for model in ("mlp", "cnn"):
            our_seconds(model, mnist)
            pairs = [(our_seconds(model, mnist), flgo_seconds(model, folder)) for _ in range(3)]
            ratio = sorted(ours / theirs for ours, theirs in pairs)
            print(
                f"{model}: a round here costs {ratio[1]:.3f} of a round in FLGo (three pairs: {', '.join(f'{r:.3f}' for r in ratio)})",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(main())
