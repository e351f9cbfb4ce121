"""The 1,797 handwritten digits that ship with scikit-learn: real images, without a download."""

import torch

from fairfl.data.dataset import Dataset


def load() -> Dataset:
    """8×8 grey images of the digits 0 to 9, pixels scaled from 0..16 to 0..1, flattened to 64 inputs.

    Source: the test part of UCI's "Optical Recognition of Handwritten Digits", as included in scikit-learn.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Dataset(
        name="digits",
        inputs=torch.tensor(bunch.data / 16.0, dtype=torch.float32),
        targets=torch.tensor(bunch.target, dtype=torch.int64),
        classes=tuple("0123456789"),
    )
