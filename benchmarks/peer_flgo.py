"""The task of ``peers.py`` in FLGo, with its own models and its default logger.

FLGo evaluates the validation rows of every client and the test set each round. For this comparison fairfl does the
same, with a tenth of a client's rows.
"""

import struct
import sys
import tempfile
from functools import cache
from pathlib import Path

import peers

from fairfl._torchvision import torchvision

torchvision()  # imported before FLGo does, because some builds of torch lack its operators
VALIDATION = 0.1


@cache
def task() -> str:
    """Write FLGo's task on synthetic images into a folder, in torchvision's layout of MNIST, so nothing is
    downloaded."""
    import flgo
    import flgo.benchmark.mnist_classification as benchmark
    import flgo.benchmark.partition as partition

    folder = Path(tempfile.mkdtemp())
    raw = folder / "MNIST" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    pixels, labels = peers.images()
    border = peers.CLIENTS * peers.EACH
    for name, rows in (("train", slice(0, border)), ("t10k", slice(border, None))):
        head = struct.pack(">IIII", 2051, len(labels[rows]), 28, 28)
        (raw / f"{name}-images-idx3-ubyte").write_bytes(head + pixels[rows].numpy().tobytes())
        head = struct.pack(">II", 2049, len(labels[rows]))
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(head + labels[rows].byte().numpy().tobytes())
    flgo.set_data_root(str(folder))
    made = str(folder / "task")
    flgo.gen_task_by_(benchmark, partition.IIDPartitioner(num_clients=peers.CLIENTS), made)
    return made


def ours(model: str, rounds: int) -> peers.Clock:
    return peers.ours(model, rounds, VALIDATION)


def theirs(model: str, rounds: int) -> peers.Clock:
    sys.argv = sys.argv[:1]  # FLGo parses sys.argv
    import flgo
    import flgo.algorithm.fedavg as fedavg
    from flgo.benchmark.mnist_classification.model import cnn, mlp

    # Newer PyTorch rejects a Subset that overrides only one of two methods. This adds the other, with its old
    # behaviour.
    from flgo.benchmark.toolkits.cv.classification import FromDatasetPipe

    FromDatasetPipe.TaskDataset.__getitems__ = lambda self, indices: [self[i] for i in indices]
    clock = peers.Clock()

    class Server(fedavg.Server):
        def iterate(self):
            done = super().iterate()
            clock.mark()
            return done

    class FedAvg:
        pass

    FedAvg.Server, FedAvg.Client = Server, fedavg.Client
    option = {
        "num_rounds": rounds,
        "proportion": peers.TAKING_PART / peers.CLIENTS,
        "num_epochs": 1,
        "batch_size": peers.BATCH,
        "learning_rate": peers.LR,
        "learning_rate_decay": 1.0,
        "eval_interval": 1,
        "train_holdout": VALIDATION,
        "no_tqdm": True,
        "no_log_console": True,
        "torch_num_threads": 1,
    }
    flgo.init(task(), FedAvg, option, model={"MLP": mlp, "CNN": cnn}[model]).run()
    return clock
