"""Student's t in JavaScript is SciPy's: degrees of freedom from 1 to 100, whole and not, as Welch's formula gives them."""

import numpy as np
import pytest
from fairfl_book.build import node
from scipy import stats

pytestmark = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
FREEDOM = np.concatenate([np.arange(1, 101), np.random.default_rng(0).uniform(1, 100, 400), np.linspace(1, 3, 81)])


@pytest.mark.parametrize("p", [0.05, 0.6, 0.9, 0.95, 0.975, 0.995])
def test_quantiles(p):
    ours = node.call("student", [["studentQuantile", p, nu] for nu in FREEDOM.tolist()])
    assert np.abs(np.array(ours) - stats.t.ppf(p, FREEDOM)).max() < 1e-9


def test_tails():
    t = np.random.default_rng(1).normal(0, 4, len(FREEDOM)) * (np.arange(len(FREEDOM)) % 20 > 0)
    ours = node.call("student", [["studentTail", *given] for given in zip(t.tolist(), FREEDOM.tolist())])
    assert np.abs(np.array(ours) - stats.t.sf(t, FREEDOM)).max() < 1e-13
    assert np.allclose(ours, stats.t.sf(t, FREEDOM), rtol=1e-10, atol=0)
