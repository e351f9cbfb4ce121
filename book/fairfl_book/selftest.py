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
        print(
            f"no GPU that PyTorch can use; the CPU is enough for every chapter (threads in use: {torch.get_num_threads()})"
        )
    folder = os.environ.get("FAIRFL_DATA")
    if not folder:
        print("FAIRFL_DATA is not set: larger datasets are downloaded when you first load them; no chapter needs them")
    else:
        found = sorted(p.name for p in Path(folder).glob("*.parquet")) if Path(folder).is_dir() else []
        print(f"FAIRFL_DATA holds {len(found)} parquet files" + (f", for example {found[0]}" if found else ""))
    federation = partition.iid(data.load("digits"), 10)
    begun = time.perf_counter()
    train(federation, rounds=20, local=LocalSGD(lr=0.5, epochs=5), progress=False)
    print(f"20 rounds with 10 clients on the digits: {time.perf_counter() - begun:.1f} s")
