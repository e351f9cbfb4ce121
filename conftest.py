"""Notebooks are compared as they were stored: on one thread, without progress bars. Kernels inherit these."""

import os

os.environ.setdefault("FAIRFL_PROGRESS", "0")
os.environ.setdefault("OMP_NUM_THREADS", "1")
