"""Chapter 9: DQN-Fed."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="newton.factor",
    task="the largest factor by which one client's distance to its minimiser can shrink in a step, for H = diag(1, 9)",
    right=0.8,
    wrong={
        "newton": Wrong(0.0, "0 would be Newton's own step. One client's u points along g, and only its rate is Newton's"),
        "safe step": Wrong(8 / 9, "8/9 is what gradient descent with step 1/L guarantees. The step of u is chosen better: (κ − 1)/(κ + 1)"),
        "loss": Wrong(0.64, "0.64 = 0.8² would be a factor for squared distances. Asked is the distance itself"),
        "conjugate": Wrong(0.5, "0.5 is (√κ − 1)/(√κ + 1), which methods with a memory reach (conjugate gradients). Each of our steps sees one gradient"),
        "too little": Wrong(0.9, "0.9 is 1 − 1/(κ + 1). The best step takes away 2/(κ + 1), and (κ − 1)/(κ + 1) is left"),
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
    task="the next point from w = (1, 1), for minimisers (0, 0) and (2, 0), H₁ = diag(1, 3) and H₂ = I",
    right=[1.5, -0.5],
    wrong={
        "circle": Wrong([1.0, -1.0], "(1, −1) is the answer for two unit Hessians. Client 1's right angle is measured by H₁: the line through "
                                     "c₁ is perpendicular to g₁ = (1, 3), not to w"),
        "one Newton step": Wrong([0.0, 0.0], "(0, 0) is client 1's minimiser, where its own Newton step leads. The two clients share one u: use (12)"),
        "averaged Newton": Wrong([1.0, 0.0], "(1, 0) is where the mean of the two Newton steps leads. DQN-Fed solves for both rates at once: use (12)"),
        "the step": Wrong([-0.5, 1.5], "(−½, 3/2) is u itself. The next point is w − u"),
        "uphill": Wrong([0.5, 2.5], "(½, 5/2) is w + u: rows point uphill, and the server subtracts"),
        "stays": Wrong([1.0, 1.0], "No: staying needs u = 0, so r = 0 for both, and r₁ = 4, r₂ = 2"),
        "rates halved": Wrong([1.25, 0.25], "You took the rates 2 and 1, what the two could still gain. Newton's rate is twice that: 4 and 2"),
    },
    praise="And from (3/2, −1/2) back to (1, 1): (12) does not know which of the two was first",
    hints=(
        "The gradients at (1, 1) are H_k (w − c_k): (1, 3) and (−1, 1).",
        "By (12), w⁺ lies on the line through c_k that is perpendicular to g_k. Draw the two lines.",
        "Write w⁺ = (x, y): x + 3 y = 0 for client 1, and −(x − 2) + y = 0 for client 2.",
    ),
))


def _arrays(*values):
    return [np.asarray(v, float) for v in values]


def _length(A, r):
    A, r = _arrays(A, r)
    return np.sqrt(r @ np.linalg.solve(A, r))


register(Exercise(
    slug="newton.length",
    task="the length ‖u‖ of DQN-Fed's step, from the Gram matrix A and the rates r alone",
    right=_length,
    cases=[([[4.0, 1.0], [1.0, 1.0]], [2.0, 3.0]), ([[2.0, -1.0, 0.0], [-1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], [1.0, 0.5, 2.0])],
    wrong={
        "squared": Wrong(lambda A, r: _length(A, r) ** 2, "For {case} you answer {given}, the squared length; it should be {right}"),
        "weights": Wrong(lambda A, r: np.linalg.norm(np.linalg.solve(*_arrays(A, r))),
                         "For {case} you answer {given}; it should be {right}. That is the length of the weights A⁻¹ r, one number a client. u is Gᵀ times "
                         "them, and its squared length has A in the middle"),
        "of dir": Wrong(lambda A, r: 1 / _length(A, r), "For {case} you answer {given}; it should be {right}. That is the length of dir, and u = dir / ‖dir‖²"),
        "one at a time": Wrong(lambda A, r: np.linalg.norm(np.asarray(r) / np.sqrt(np.diag(A))),
                               "For {case} you answer {given}; it should be {right}. That would be right for perpendicular gradients. Off the diagonal A "
                               "says how much they help each other or conflict"),
        "largest bound": Wrong(lambda A, r: np.max(np.asarray(r) / np.sqrt(np.diag(A))),
                               "For {case} you answer {given}, the bound (13) for one client at a time; the step can be longer: {right}"),
        "multiplied": Wrong(lambda A, r: np.sqrt(np.asarray(r, float) @ np.asarray(A, float) @ np.asarray(r, float)),
                            "For {case} you answer {given}; it should be {right}. You multiplied by A. To have G u = r, the weights are A⁻¹ r"),
    },
    praise="So a server can see the explosion coming before it has touched a gradient: r · A⁻¹ r grows without bound where A loses rank",
    hints=(
        "u = Gᵀ y with the weights y = A⁻¹ r. Write out ‖u‖² = u · u.",
        "u · u = y · G Gᵀ y, and G Gᵀ is A.",
        "A y is r. What is left is r · y; do not forget the root.",
    ),
))


def _along_mean(G, H):
    G, H = _arrays(G, H)
    return G @ np.linalg.solve(H, G[..., None])[..., 0].mean(0)


register(Exercise(
    slug="newton.along_mean",
    task="each client's rate g_k · v along the mean v of the clients' own Newton steps",
    right=_along_mean,
    cases=[([[1.0, 0.0], [0.0, 2.0]], [[[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]]]),
           ([[2.0, -1.0], [-3.0, 1.0]], [[[1.0, 0.0], [0.0, 4.0]], [[4.0, 0.0], [0.0, 1.0]]])],
    wrong={
        "own rates": Wrong(lambda G, H: np.array([g @ np.linalg.solve(h, g) for g, h in zip(*_arrays(G, H))]),
                           "For {case} you answer {given}; it should be {right}. Those are Newton's rates, each client's along its own step. The server "
                           "takes the mean step, and that is another direction"),
        "newton on the mean": Wrong(lambda G, H: np.asarray(G, float) @ np.linalg.solve(np.asarray(H, float).mean(0), np.asarray(G, float).mean(0)),
                                    "For {case} you answer {given}; it should be {right}. You took Newton's step of the mean loss. Asked is the mean of the "
                                    "clients' own Newton steps: solve first, then average"),
        "sum": Wrong(lambda G, H: len(G) * _along_mean(G, H), "For {case} you answer {given}; it should be {right}. You added the steps and did not divide by K"),
        "step": Wrong(lambda G, H: np.linalg.solve(np.asarray(H, float), np.asarray(G, float)[..., None])[..., 0].mean(0),
                      "For {case} you answer {given}. That is the mean step, one number a parameter. A rate is a client's gradient times it: {right}"),
        "not inverted": Wrong(lambda G, H: np.asarray(G, float) @ np.einsum("kij,kj->ki", *_arrays(H, G)).mean(0),
                              "For {case} you answer {given}; it should be {right}. You multiplied by the Hessians. A Newton step is H⁻¹ g"),
        "mean gradient": Wrong(lambda G, H: np.asarray(G, float) @ np.asarray(G, float).mean(0),
                               "For {case} you answer {given}; it should be {right}. That is FedAvg's: the curvature did not come in"),
    },
    praise="Nothing keeps such a rate positive: in the second case client 2's is −1.5, and the mean of the Newton steps sacrifices it",
    hints=(
        "First each client's own Newton step, H_k⁻¹ g_k: `np.linalg.solve(H[k], G[k])`.",
        "Then their mean over the clients: one vector v.",
        "The rates are G @ v. For a negative one, let a client with small curvature disagree with one with large curvature.",
    ),
))


def _flat(p):
    return (p - 2) / (p - 1)


register(Exercise(
    slug="newton.flat",
    task="the factor of the error in a round, for homogeneous losses of degree p with one minimiser and K = d",
    right=_flat,
    cases=[(4.0,), (3.0,), (10.0,), (2.5,)],
    wrong={
        "removed": Wrong(lambda p: 1 / (p - 1), "For {case} you answer {given}; it should be {right}. 1/(p − 1) is the part of the error that u takes away. "
                                                "Asked is the part that is left"),
        "degree": Wrong(lambda p: (p - 1) / p, "For {case} you answer {given}; it should be {right}. Euler's e · g = p f is about the loss. You need it for the "
                                               "gradient, which is homogeneous of degree p − 1: H e = (p − 1) g"),
        "linear": Wrong(lambda p: (p - 2) / p, "For {case} you answer {given}; it should be {right}. With r = 2 f and g · e = p f you get 2/p; but r = 2 f holds "
                                               "for quadratics only. Compute H⁻¹ g from H e = (p − 1) g"),
        "zero": Wrong(lambda p: 0.0, "0 is right for p = 2, quadratics. For {case} the Hessian vanishes at the minimiser, and something is left: {right}"),
        "squared": Wrong(lambda p: _flat(p) ** 2, "For {case} you answer {given}; it should be {right}. The error itself is asked, not its square"),
        "loss": Wrong(lambda p: _flat(p) ** p, "For {case} you answer {given}, by which the loss is multiplied. Asked is the error: {right}"),
    },
    praise="The mean loss is homogeneous of degree p as well, so Newton's method has H⁻¹ g = e/(p − 1) too: for p = 4 both keep two thirds of the error, for ever",
    hints=(
        "Differentiate f(w* + τe) = τᵖ f(w* + e): gradients are homogeneous of degree p − 1.",
        "Differentiate g(w* + τe) = τ^(p−1) g(w* + e) by τ at τ = 1: H e = (p − 1) g. What is H⁻¹ g, and so r?",
        "r_k = g_k · e / (p − 1) for every k. With K = d independent gradients the equations G u = r have one solution: guess it. Then look at e − u.",
    ),
))


def _hop_length(D, p, y):
    return np.hypot(D - 2 * p, y + p * (D - p) / y)


register(Exercise(
    slug="newton.hop_length",
    task="how long the step is from height y over the point that is p from c₁, for minimisers D apart and Hessians aI and bI",
    right=_hop_length,
    cases=[(2.0, 0.5, 1.0), (4.0, 1.0, 0.5), (3.0, 2.5, 2.0), (5.0, 1.0, 2.0)],
    wrong={
        "straight down": Wrong(lambda D, p, y: y + p * (D - p) / y, "For D, p, y = {case} you answer {given}; it should be {right}. You went straight down. In the "
                                                                    "middle, p = D/2, that is where the step leads; elsewhere w⁺ also moves sideways, by D − 2p"),
        "unit height": Wrong(lambda D, p, y: y + 1 / y, "For D, p, y = {case} you answer {given}; it should be {right}. y + 1/y is the pair of the text, D = 2 and p = 1"),
        "depth": Wrong(lambda D, p, y: p * (D - p) / y, "For D, p, y = {case} you answer {given}, how far below the line w⁺ is. The step begins at height y above it, and "
                                                        "goes sideways too: {right}"),
        "sideways alone": Wrong(lambda D, p, y: abs(D - 2 * p), "For D, p, y = {case} you answer {given}, the step's sideways part. Up and down it moves by y + p (D − p)/y"),
        "shortest": Wrong(lambda D, p, y: D, "For D, p, y = {case} you answer {given}, the shortest step there is. From this height it is {right}"),
        "back up": Wrong(lambda D, p, y: np.hypot(D - 2 * p, y - p * (D - p) / y),
                         "For D, p, y = {case} you answer {given}; it should be {right}. w⁺ is at the height z = −p (D − p)/y, below the line: going there "
                         "from y takes y − z, a sum"),
        "squared": Wrong(lambda D, p, y: _hop_length(D, p, y) ** 2, "For D, p, y = {case} you answer {given}, the squared length; it should be {right}"),
    },
    praise="The smallest circle through two points at a distance D has the diameter D, so no full step is shorter. Curvatures multiply whole equations of (12) and drop out",
    hints=(
        "Put c₁ = (−p, 0), c₂ = (D − p, 0), w = (0, y) and w⁺ = (x, z) into (12). The curvatures multiply whole equations.",
        "Subtract one equation from the other: y z drops out, and x = D − 2p is left. Put it back to get y z.",
        "y z = −p (D − p). The step is the vector from (0, y) to (D − 2p, z).",
    ),
))

register(Question(
    slug="newton.giving_way",
    task="a rule that keeps Newton's rates nearly exact where it can, and passes walls",
    hints=(
        "At a wall A is singular, and u is long because (5) insists. Which change of A⁻¹ makes the step bounded and leaves it nearly the same where A is well-behaved?",
        "A + τI instead of A: the step then minimises ‖G u − r‖² + τ ‖u‖². Are all its rates positive? Where are they not?",
        "What does the rule do where somebody's rate is too small? The chapter has a direction that serves everybody there. Which line of the theorem \"at "
        "least\" does your rule still satisfy?",
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
