"""One thread for chapters, wherever they run: executed for the repository, in the tests, in a reader's JupyterLab.

The book's tensors are small, and several threads on them mostly wait for each other: on two busy cores a chapter of
12 s on one thread took 227 s on two. One thread also gives every reader the digits that the book prints.
"""

ONE = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
