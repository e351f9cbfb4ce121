import os

import pytest
import torch

os.environ["FAIRFL_PROGRESS"] = "0"


@pytest.fixture
def digits():
    from fairfl import data

    return data.load("digits")


@pytest.fixture
def small():
    """Sixty rows of five features in three classes, drawn with a fixed seed."""
    from fairfl import Dataset

    g = torch.Generator().manual_seed(0)
    targets = torch.arange(60) % 3
    inputs = torch.randn(60, 5, generator=g) + targets[:, None]
    return Dataset("small", inputs, targets, ("a", "b", "c"))
