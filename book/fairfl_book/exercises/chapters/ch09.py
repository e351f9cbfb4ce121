"""Chapter 9: DQN-Fed."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


def _arrays(*values):
    return [np.asarray(v, float) for v in values]


def _rate(g, H):
    g, H = _arrays(g, H)
    return g @ np.linalg.solve(H, g)


def _with(power):
    def rate(g, H):
        g, H = _arrays(g, H)
        return g @ np.linalg.matrix_power(H, power) @ g
    return rate


register(Exercise(
    slug="newton.rate",
    task="r = g · H⁻¹ g, the first-order fall of a client's own Newton step",
    right=_rate,
    cases=[([2.0, 4.0], [[1.0, 0.0], [0.0, 4.0]]), ([1.0, -1.0, 2.0], [[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.5]])],
    wrong={
        "gradient step": Wrong(_with(0), "For {case} you answer {given}; it should be {right}. g · g is the fall of a gradient step of size 1: "
                                         "the curvature does not enter it at all"),
        "hessian not inverted": Wrong(_with(1), "For {case} you answer {given}; it should be {right}. Yours multiplies by H. Where the curvature is "
                                                "large the minimum is near and little can be gained: divide by it"),
        "true fall": Wrong(lambda g, H: _rate(g, H) / 2, "For {case} you answer {given}, what a quadratic really falls. Asked is the rate, the "
                                                         "fall to first order: twice that, {right}"),
        "length": Wrong(lambda g, H: np.linalg.norm(np.linalg.solve(*_arrays(H, g))),
                        "For {case} you answer {given}; it should be {right}. That is the length of the Newton step. Its rate is the "
                        "inner product of this step with g"),
    },
    praise="np.linalg.solve(H, g), never inv(H): one factorisation, and no inverse in memory",
))


def _step(G, r):
    G, r = _arrays(G, r)
    return G.T @ np.linalg.solve(G @ G.T, r)


def _unscaled(G, r):
    u = _step(G, r)
    return u / (u @ u)


def _averaged(G, r):
    G, r = _arrays(G, r)
    return (r / (G**2).sum(1)) @ G / len(G)


register(Exercise(
    slug="newton.step",
    task="u = Gᵀ A⁻¹ r with A = G Gᵀ: the shortest u with G u = r",
    right=_step,
    cases=[([[1.0, 0.0], [1.0, 1.0]], [1.0, 3.0]), ([[2.0, 0.0, 1.0], [0.0, 1.0, 1.0]], [0.5, 2.0])],
    wrong={
        "dir": Wrong(_unscaled, "For {case} you answer {given}; it should be {right}. You divided by ‖u‖² as for AdaFed. That is the paper's dir; "
                                "its step size 1 / ‖dir‖² takes the division back, and the rates are then r and not only in proportion to r"),
        "averaged": Wrong(_averaged, "For {case} you answer {given}; it should be {right}. You averaged the steps that each client would get "
                                     "alone. Then nobody's rate is right, because every step changes the others' losses as well"),
        "rates of one": Wrong(lambda G, r: _step(G, np.ones(len(r))), "For {case} you answer {given}; it should be {right}. Yours gives every client "
                                                                      "the rate 1; r did not come in"),
    },
    praise="The same line as AdaFed's, with r for s, and no rescaling",
))

register(Exercise(
    slug="newton.factor",
    task="the largest factor by which one client's distance to its minimiser can shrink in a step, for H = diag(1, 9)",
    right=0.8,
    wrong={
        "newton": Wrong(0.0, "0 would be Newton's own step. One client's u points along g, and only its rate is Newton's"),
        "safe step": Wrong(8 / 9, "8/9 is what gradient descent with step 1/L guarantees. The step of u is chosen better: (κ − 1)/(κ + 1)"),
        "loss": Wrong(0.64, "0.64 = 0.8² would be a factor for squared distances. Asked is the distance itself"),
        "conjugate": Wrong(0.5, "0.5 is (√κ − 1)/(√κ + 1), which methods with a memory reach (conjugate gradients). Each of our steps sees one gradient"),
    },
    praise="With κ = 1000 it is 0.998, and 1,150 rounds for a tenth: exact Hessians and all",
))

register(Exercise(
    slug="newton.hop",
    task="the next point from w = (1, 1), for minimisers (0, 0) and (2, 0) and both Hessians the identity",
    right=[1.0, -1.0],
    wrong={
        "averaged Newton": Wrong([1.0, 0.0], "(1, 0) is where the mean of the two Newton steps leads, and half of u. A full u goes on: from (1, 0) the "
                                             "products (w − c_k) · (w⁺ − c_k) would be 1 and not 0"),
        "the step": Wrong([0.0, 2.0], "(0, 2) is u itself. The next point is w − u"),
        "uphill": Wrong([1.0, 3.0], "(1, 3) is w + u: rows point uphill, and the server subtracts"),
        "stays": Wrong([1.0, 1.0], "No: staying needs u = 0, so r = 0 for both, and r_k = ‖w − c_k‖² = 2"),
    },
    praise="And from (1, −1) back to (1, 1): all four points lie on one circle, at right angles (Thales)",
))

register(Exercise(
    slug="newton.numbers",
    task="how many numbers one client sends in a round of Newton's method on the mean loss, with d = 650 parameters: gradient and Hessian, "
         "nothing twice",
    right=212_225,
    wrong={
        "whole matrix": Wrong(423_150, "650 + 650² sends every off-diagonal entry twice. A Hessian is symmetric"),
        "hessian alone": Wrong(211_575, "That is the Hessian's 650 · 651 / 2. The gradient is needed as well"),
        "diagonal alone": Wrong(1_300, "1,300 would send the Hessian's diagonal only, which is another method"),
        "step": Wrong(650, "650 numbers hold a client's own Newton step. The mean of these steps is not the Newton step of the mean loss"),
    },
    praise="326 times what DQN-Fed sends (651)",
))
