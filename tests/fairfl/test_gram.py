"""A = G Gᵀ, Gᵀ λ and G v: how accurate, in which ranges, at what memory."""

import pytest
import torch
from refusals import refused

from fairfl.errors import Diverged
from fairfl.rules import gram

LONG = gram.SHORT + 7 * gram.BLOCK + 3


def rows(kind, K, d, dtype):
    g = torch.Generator().manual_seed(0)
    G = torch.randn(K, d, generator=g, dtype=torch.float64)
    if kind == "constant":
        G = torch.full((K, d), 1 / 3, dtype=torch.float64) * (1 + torch.arange(K))[:, None]
    elif kind == "heavy":
        G = (3 * G).exp() if dtype != torch.float16 else G.exp()
    elif kind == "scaled":
        G = G * 10.0 ** torch.linspace(-30, 30, K, dtype=torch.float64)[:, None]
    elif kind == "mixed":
        G = G * 10.0 ** (60 * torch.rand(K, d, generator=g, dtype=torch.float64) - 30)
    return G.to(dtype)


def error(A, G):
    exact = G.double() @ G.double().T
    sizes = exact.diagonal().sqrt()
    return float(((A - exact).abs() / torch.outer(sizes, sizes)).max())


SHORT_TYPES = [
    (torch.float32, "scaled"),
    (torch.float32, "mixed"),
    (torch.bfloat16, "scaled"),
    (torch.bfloat16, "mixed"),
] + [
    (dtype, kind)
    for dtype in (torch.float32, torch.bfloat16, torch.float16)
    for kind in ("normal", "constant", "heavy")
]


@pytest.mark.parametrize("dtype, kind", SHORT_TYPES)
@pytest.mark.parametrize("K, d", [(1, 3), (5, 1000), (4, LONG), (13, 2 * LONG), (100, LONG)])
def test_short_types_are_accurate_to_1e_6(dtype, kind, K, d):
    G = rows(kind, K, d, dtype)
    A = gram.gram_matrix(G)
    assert A.dtype == torch.float64 and torch.equal(A, A.T) and error(A, G) <= 1e-6


@pytest.mark.parametrize("kind", ["normal", "constant", "scaled", "mixed"])
def test_float64_rows_are_accurate_to_rounding(kind):
    G = rows(kind, 7, LONG, torch.float64)
    assert error(gram.gram_matrix(G), G) <= 1e-12


@pytest.mark.parametrize("d", [50, LONG])
def test_blocks_count_as_stacked_and_strides_do_not_matter(d):
    G = rows("normal", 6, d, torch.float32)
    whole = gram.gram_matrix(G)
    torch.testing.assert_close(gram.gram_matrix(G[:2], G[2:2], G[2:]), whole, rtol=1e-6, atol=1e-3)
    torch.testing.assert_close(gram.gram_matrix(G.T.contiguous().T), whole, rtol=1e-6, atol=1e-3)
    torch.testing.assert_close(gram.gram_matrix(torch.cat([G, G], 1)[:, :d]), whole, rtol=1e-6, atol=1e-3)


def test_a_lowered_matmul_precision_is_not_felt():
    G = rows("normal", 6, LONG, torch.float32)
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        assert error(gram.gram_matrix(G), G) <= 1e-12
    finally:
        torch.set_float32_matmul_precision(before)


def test_products_beyond_float64_are_refused():
    with refused("diverged", "product", 1.8e308):
        gram.gram_matrix(torch.full((2, 3), 1e200, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("norms", [True, False])
def test_combine(dtype, norms):
    G = rows("normal", 5, 5000, dtype)
    weights = torch.tensor([0.3, -1, 2, 0, 1e-5], dtype=torch.float64)
    v = gram.combine(G, weights, gram.gram_matrix(G).diagonal().sqrt() if norms else None)
    exact = weights @ G.double()
    assert v.dtype == dtype and v.shape == (5000,)
    assert float((v.double() - exact).abs().max() / exact.abs().max()) <= 2 * torch.finfo(dtype).eps


def test_a_sum_that_nearly_cancels_keeps_its_digits():
    g, h = rows("normal", 2, 5000, torch.float64)
    G = torch.stack([g, g + 1e-4 * h]).float()
    weights = torch.tensor([1 / 3, -1 / 3], dtype=torch.float64)
    v = gram.combine(G, weights, gram.gram_matrix(G).diagonal().sqrt())
    exact = weights @ G.double()
    assert float((v.double() - exact).abs().max() / exact.abs().max()) <= 2 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("norms", [True, False])
def test_combine_where_weights_leave_the_range_of_the_type(dtype, norms):
    G = rows("scaled", 5, 1000, dtype)
    size = gram.gram_matrix(G).diagonal().sqrt()
    weights = torch.tensor([1, -2, 0.5, 0, 1], dtype=torch.float64) / size
    for factor in (1.0, 1e20, 1e-20):
        v = gram.combine(G, factor * weights, size if norms else None)
        exact = factor * weights @ G.double()
        assert float((v.double() - exact).abs().max() / exact.abs().max()) <= 4 * torch.finfo(dtype).eps


def test_a_vector_that_does_not_fit_is_refused():
    with pytest.raises(Diverged, match=r"1e(49|50).*float32.*float64"):
        gram.combine(torch.ones(2, 3), torch.tensor([1e50, 1.0], dtype=torch.float64))
    with refused("value", "weights", "nan"):
        gram.combine(torch.ones(2, 3), torch.tensor([float("nan"), 1.0]))
    assert not gram.combine(torch.ones(2, 3), torch.zeros(2)).any()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_rates(dtype):
    G = rows("mixed", 5, 3000, dtype)
    v = G[2] + G[3]
    torch.testing.assert_close(gram.rates(G, v), G.double() @ v.double(), rtol=1e-12, atol=0)
