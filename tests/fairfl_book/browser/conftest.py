"""One JupyterLab for all tests of a file that leave no trace in each other's notebooks."""

import pytest

from .lab import Lab


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with Lab(tmp_path_factory.mktemp("lab")) as running:
        yield running
