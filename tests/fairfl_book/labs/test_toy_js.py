"""The toy problems that labs draw are those of ``fairfl_book.toy``."""

import numpy as np
import pytest
from fairfl_book import toy
from fairfl_book.build import node

pytestmark = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
THREE = toy.Quadratics([[0, 1], [1, -1], [-1, -1]], [1.0, 2.0, 0.5])
PROBLEMS = {
    "quadratics(TWO_VALLEYS)": toy.two_valleys(),
    "fonsecaFleming()": toy.FonsecaFleming(),
    "quadratics({ centres: [[0, 1], [1, -1], [-1, -1]], curvatures: [1, 2, 0.5] })": THREE,
}
ALL = {"{ TWO_VALLEYS, quadratics, fonsecaFleming }": "toy"}


@pytest.mark.parametrize("made", PROBLEMS)
def test_losses_gradients_and_pareto_sets(made):
    problem, points = PROBLEMS[made], np.random.default_rng(0).uniform(-2, 2, (1000, 2))
    answers = f"(w) => {{ const p = {made}; return [p.losses(w), p.gradients(w), p.hessians(w)]; }}"
    for w, (losses, gradients, hessians) in zip(points, node.each(answers, [[w.tolist()] for w in points], ALL)):
        assert np.allclose(losses, problem.losses(w), rtol=0, atol=1e-12)
        assert np.allclose(gradients, problem.gradients(w), rtol=0, atol=1e-12)
        slopes = [(problem.gradients(w + h) - problem.gradients(w - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
        assert np.allclose(hessians, np.stack(slopes, -1), rtol=0, atol=1e-8)
    [found] = node.each(f"() => {made}.pareto(11)", [[]], ALL)
    if problem.clients == 2:
        assert np.allclose(found, problem.pareto_set(11), rtol=0, atol=1e-12)
    else:
        assert len(found) == 66 and np.allclose([found[0], found[10], found[65]], THREE.centres[[0, 2, 1]], atol=1e-12)


def test_contours_lie_where_they_say():
    H, centre = [[2.0, 0.5], [0.5, 0.6]], [0.3, -0.2]
    problem = toy.Quadratics([centre], [H])
    [ring] = node.each("(c, H) => ellipse(c, H, 0.7)", [[centre, H]], {"{ ellipse }": "contours"})
    assert np.allclose(problem.losses(np.array(ring)), 0.7) and np.allclose(ring[0], ring[-1])
    [levels] = node.each(
        "() => contours((w) => fonsecaFleming().losses(w)[0], [-2, 2, -2, 2], [0.2, 0.8], 60)",
        [[]],
        ALL | {"{ contours }": "contours"},
    )
    for level, pieces in zip((0.2, 0.8), levels):
        ends = np.array(pieces).reshape(-1, 2)
        assert len(ends) > 40 and np.abs(toy.FonsecaFleming().losses(ends)[:, 0] - level).max() < 2e-3
