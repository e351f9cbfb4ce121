"""A stacked convolution as matrix products gives PyTorch's own values and gradients, and other convolutions stay PyTorch's."""

import pytest
import torch
from torch.func import vmap

from fairfl.clients import stacked_convolutions
from fairfl.clients.stacked_convolutions import AsProducts

SLOTS, IMAGES = 3, 2
CASES = {
    "plain": {},
    "a stride": {"stride": 2},
    "a stride per side": {"stride": (2, 1)},
    "padding": {"padding": 1},
    "padding per side": {"padding": (2, 0)},
    "a stride and padding": {"stride": (3, 2), "padding": (1, 2)},
}
LEFT = {"a string": {"padding": "same"}, "groups": {"groups": 2}, "holes": {"dilation": 2}}


def stack(groups=1, bias=True):
    """Images, weights and biases of each slot, in float64."""
    draw = torch.Generator().manual_seed(7)
    new = lambda *shape: torch.randn(SLOTS, *shape, generator=draw, dtype=torch.float64).requires_grad_()
    return new(IMAGES, 4, 9, 8), new(6, 4 // groups, 3, 2), new(6) if bias else None


def convolved(images, weight, bias, **settings):
    """The stacked convolution, and a nonlinear sum of it."""
    biased = None if bias is None else 0
    out = vmap(lambda x, w, b: torch.conv2d(x, w, b, **settings), in_dims=(0, 0, biased))(images, weight, bias)
    return out, out.sin().sum()


@pytest.fixture
def products(monkeypatch):
    """The calls that are computed as products."""
    calls, real = [], stacked_convolutions._product
    monkeypatch.setattr(stacked_convolutions, "_product", lambda **given: calls.append(given) or real(**given))
    return calls


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_values_and_gradients_are_pytorchs(settings, bias, products):
    given = stack(bias=bias)
    inputs = [one for one in given if one is not None]
    expected, loss = convolved(*given, **settings)
    slopes = torch.autograd.grad(loss, inputs)
    with AsProducts():
        found, loss = convolved(*given, **settings)
        found_slopes = torch.autograd.grad(loss, inputs)
    assert len(products) == 1
    torch.testing.assert_close(found, expected)
    for one, other in zip(found_slopes, slopes):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("settings", LEFT.values(), ids=LEFT)
def test_other_convolutions_are_left_alone(settings, products):
    given = stack(groups=settings.get("groups", 1))
    expected, _ = convolved(*given, **settings)
    with AsProducts():
        found, _ = convolved(*given, **settings)
    assert not products and torch.equal(found, expected)


def test_a_layer_is_computed_as_products(products):
    layer = torch.nn.Conv2d(4, 6, 3, padding=1, dtype=torch.float64)
    images = stack()[0].detach()[0]
    expected = layer(images)
    with AsProducts():
        torch.testing.assert_close(layer(images), expected)
    assert len(products) == 1
    with AsProducts():  # an image without a batch
        torch.testing.assert_close(layer(images[0]), expected[0])
    assert len(products) == 1
