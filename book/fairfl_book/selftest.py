"""Report what this computer can run: versions, device, data, and the time of a small training."""

import os
import platform
import time
from pathlib import Path

from fairfl_book.translation.sentences import tr


def run() -> None:
    """Print a few lines about this machine. Missing parts are named with their purpose; nothing raises."""
    import numpy
    import torch

    from fairfl import LocalSGD, data, partition, train

    print(f"Python {platform.python_version()}, PyTorch {torch.__version__}, NumPy {numpy.__version__}")
    if torch.cuda.is_available():
        print(tr("GPU: {name}, used unless you say device='cpu'", name=torch.cuda.get_device_name()))
    else:
        threads = torch.get_num_threads()
        several = "No GPU that PyTorch can use. The CPU is enough for every chapter ({threads} threads in use)"
        one = "No GPU that PyTorch can use. The CPU is enough for every chapter ({threads} thread in use)"
        print(tr(several if threads > 1 else one, threads=threads))
    folder = os.environ.get("FAIRFL_DATA")
    if not folder:
        print(
            tr(
                "No chapter needs a download. Larger datasets are fetched when you first load one, unless FAIRFL_DATA names a folder of them"
            )
        )
    else:
        found = sorted(p.name for p in Path(folder).glob("*.parquet")) if Path(folder).is_dir() else []
        holds = (
            "FAIRFL_DATA holds {n} parquet files, for example {first}"
            if found
            else "FAIRFL_DATA holds {n} parquet files"
        )
        print(tr(holds, n=len(found), first=found[0] if found else ""))
    federation = partition.iid(data.load("digits"), 10)
    begun = time.perf_counter()
    train(federation, rounds=20, local=LocalSGD(lr=0.5, epochs=5), progress=False)
    took = "A small training (10 clients, 20 rounds, handwritten digits) took {seconds} s: the chapters run here"
    print(tr(took, seconds=f"{time.perf_counter() - begun:.1f}"))
