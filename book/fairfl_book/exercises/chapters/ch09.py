"""Chapter 9: DQN-Fed."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


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
        "diagonal": Wrong(
            lambda g, H: np.asarray(g, float) @ (np.asarray(g, float) / np.diag(H)),
            "For {case} you answer {given}; it should be {right}. You divided by the Hessian's diagonal only. Off the diagonal it "
            "couples the parameters: solve H v = g",
        ),
        "step": Wrong(
            lambda g, H: np.linalg.solve(*_arrays(H, g)),
            "For {case} you answer {given}; it should be {right}. That is the Newton step H⁻¹ g, a vector. Its rate is its product "
            "with g",
        ),
    },
    praise="np.linalg.solve(H, g), never inv(H): one factorisation, and no inverse in memory",
    hints=(
        "Formula (2): first the Newton step H⁻¹ g, then its product with g.",
        "`np.linalg.solve` gives H⁻¹ g without an inverse.",
    ),
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
        "weights": Wrong(
            lambda G, r: np.linalg.solve(np.asarray(G) @ np.asarray(G).T, r),
            "For {case} you answer {given}; it should be {right}. These are the weights A⁻¹ r, one a client. The step is Gᵀ times "
            "them, one number a parameter",
        ),
        "multiplied": Wrong(
            lambda G, r: np.asarray(G, float).T @ np.asarray(r, float),
            "For {case} you answer {given}; it should be {right}. You weighed the rows by r. Then G u is A r; to have G u = r, solve "
            "with A first",
        ),
    },
    praise="The same line as AdaFed's, with r for s, and no rescaling",
    hints=(
        "The shortest u with G u = r is a combination of the rows: u = Gᵀ y.",
        "Put that into G u = r. It becomes a square system for y, with the Gram matrix.",
        "Solve it and multiply by Gᵀ. Nothing is divided afterwards.",
    ),
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
        "fixed step": Wrong(
            2 / 10,
            "0.2 is 2/(1 + 9), the best fixed step size. Asked is the factor that is left of the distance at the worst start",
        ),
        "kappa upside down": Wrong(
            1 / 9,
            "1/9 is 1/κ. Formula (8) has (κ − 1)/(κ + 1)",
        ),
    },
    praise="With κ = 1000 it is 0.998, and 1,150 rounds for a tenth: exact Hessians and all",
    hints=(
        "With one client, (7) is a step along g: the curvature chooses its length and not its direction.",
        "Formula (8) has the factor, and from the worst start it is reached. κ is H's largest eigenvalue divided by its smallest.",
    ),
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
    hints=(
        "With H_k = I, (10) says that w⁺ − c_k is at a right angle to w − c_k, for both clients.",
        "So w⁺ lies on the line through c_k that is perpendicular to w − c_k. Draw the two lines.",
        "Or write w⁺ = (x, y): two linear equations, one a client.",
    ),
))

register(Exercise(
    slug="newton.numbers",
    task="how many numbers one client sends in a round of Newton's method on the mean loss, with d = 650 parameters: gradient and Hessian, "
         "nothing twice",
    right=212_225,
    wrong={
        "whole matrix": Wrong(423_150, "650 + 650² sends every off-diagonal entry twice. A Hessian is symmetric"),
        "hessian alone": Wrong(211_575, "211,575 is 650 · 651 / 2, the Hessian alone, or its triangle without the diagonal and a gradient. Gradient, diagonal and one triangle are "
                                       "needed"),
        "diagonal alone": Wrong(1_300, "1,300 would send the Hessian's diagonal only, which is another method"),
        "step": Wrong(650, "650 numbers hold a client's own Newton step. The mean of these steps is not the Newton step of the mean loss"),
        "loss too": Wrong(
            212_226,
            "You sent the loss as well, or counted one entry twice. Newton's step needs a gradient and a Hessian",
        ),
        "whole Hessian": Wrong(
            422_500,
            "650² is the whole Hessian, with every off-diagonal entry twice, and without the gradient",
        ),
    },
    praise="326 times what DQN-Fed sends (651)",
    hints=(
        "A gradient has d numbers, a Hessian d rows of d.",
        "A Hessian is symmetric: send its diagonal, and one of the two triangles beside it.",
        "The diagonal and one triangle together have 1 + 2 + … + d entries. Then add the gradient.",
    ),
))

register(Question(
    slug="newton.liars",
    task="what a multiplied loss, a shifted one and a false report do to u",
    hints=(
        "Row k of G u = r reads g_k · u = r_k. What happens to this equation if both sides are multiplied by 10?",
        "How do g, H and so r = g · H⁻¹ g change with a loss that is multiplied by 10, and with one that is shifted by 10?",
        "The equation holds what a client sends; its true rate is its honest g times u. Try what happens if only one of the two numbers it sends is "
        "false.",
    ),
))
