"""Run chapters on one thread everywhere: when they are executed for the repository, in the tests, and in a reader's notebook.

The book's tensors are small, and several threads on them mostly wait for each other: on two busy cores a chapter of
12 s on one thread took 227 s on two. One thread also gives every reader the digits that the book prints.
"""

import os
import sys

ONE = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def in_notebooks() -> None:
    """Use one thread if this is a notebook, in any front end, and ``OMP_NUM_THREADS`` is not set.

    NumPy and PyTorch read the variables only when they are imported, which may have happened already.
    """
    if "ipykernel" not in sys.modules or "OMP_NUM_THREADS" in os.environ:
        return
    for name, count in ONE.items():
        os.environ.setdefault(name, count)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits  # scikit-learn brings it

        threadpool_limits(1)
