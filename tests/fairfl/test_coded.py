"""Bytes on a card say the same floats, bit for bit, and take a quarter of their memory."""

import numpy as np
import pytest
import torch

from fairfl import data
from fairfl.clients import uint8_images
from fairfl.data import images, normalisation
from fairfl.data.image_decoding import Pixels

# FedFV's numbers for CIFAR-10 besides what the package names.
GIVEN = ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))
CPU = torch.device("cpu")


def made_up(shape, normalise, rows=600):
    """A dataset as every image dataset is put together, from bytes of which all 256 occur."""
    pixels = np.random.default_rng(0).integers(0, 256, (rows, *shape), np.uint8)
    whole = Pixels(pixels, np.arange(rows) % 10)
    return normalisation.assemble("made up", whole, rows - 100, tuple("0123456789"), normalise, [])


def bits(floats):
    return floats.contiguous().view(torch.int32)


@pytest.mark.parametrize("normalise", [None, "channel", "given"])
@pytest.mark.parametrize("shape", {source.shape for source in images.SOURCES.values()})
def test_every_normalisation_by_channels_keeps_its_bits(shape, normalise, monkeypatch):
    monkeypatch.setattr(uint8_images, "PIECE", 256)  # the last piece is a short one
    wanted = tuple(part[: shape[0]] for part in GIVEN) if normalise == "given" else normalise
    floats = made_up(shape, wanted).inputs
    held = uint8_images.coded(floats, CPU)
    rows = torch.tensor([[3, 599, 0], [7, 7, 300]])
    assert held[rows].shape == (2, 3, *shape) and torch.equal(bits(held[rows]), bits(floats[rows]))
    assert torch.equal(bits(held[torch.arange(600)]), bits(floats))
    assert held.nbytes == floats.nbytes / 4 + shape[0] * 256 * 4


def test_what_bytes_cannot_say_stays_as_it_is():
    assert uint8_images.coded(made_up((1, 28, 28), "pixel").inputs, CPU) is None
    zeros = torch.zeros(4, 1, 2, 2)
    assert uint8_images.coded(zeros, CPU) is not None
    zeros[2, 0, 1, 1] = -0.0
    assert uint8_images.coded(zeros, CPU) is None
    assert uint8_images.coded(data.load("digits").inputs, CPU) is None
