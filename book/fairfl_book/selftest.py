"""What this computer can do: versions, device, data, and how long a small training takes."""

import os
import platform
import time
from pathlib import Path


def run() -> None:
    """Print a few lines on this machine. Nothing here fails: what is missing is named with what it is for."""
    import numpy
    import torch

    from fairfl import LocalSGD, data, partition, train

    print(f"Python {platform.python_version()}, PyTorch {torch.__version__}, NumPy {numpy.__version__}")
    if torch.cuda.is_available():
        print(f"GPU: {torch.cuda.get_device_name()}, used unless you say device='cpu'")
    else:
        threads = torch.get_num_threads()
        print(
            f"No GPU that PyTorch can use. The CPU is enough for every chapter ({threads} thread{'s' * (threads > 1)} in use)"
        )
    folder = os.environ.get("FAIRFL_DATA")
    if not folder:
        print(
            "No chapter needs a download. Larger datasets are fetched when you first load one, unless FAIRFL_DATA names a folder of them"
        )
    else:
        found = sorted(p.name for p in Path(folder).glob("*.parquet")) if Path(folder).is_dir() else []
        print(f"FAIRFL_DATA holds {len(found)} parquet files" + (f", for example {found[0]}" if found else ""))
    federation = partition.iid(data.load("digits"), 10)
    begun = time.perf_counter()
    train(federation, rounds=20, local=LocalSGD(lr=0.5, epochs=5), progress=False)
    print(
        f"A small training (10 clients, 20 rounds, handwritten digits) took {time.perf_counter() - begun:.1f} s: the chapters run here"
    )
