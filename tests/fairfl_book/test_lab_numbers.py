"""The labs' JavaScript computes what the package computes: a thousand random states a function, degenerate ones among them."""

import numpy as np
import pytest
import torch
from fairfl_book.build import node

from fairfl import rules
from fairfl.rules import gram as passes
from fairfl.rules.solvers.min_norm import min_norm
from fairfl.updates import Updates

pytestmark = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
STATES = 1000


def states(seed, largest=6, zeros=True):
    """Rows G (K, d): generic ones, and rows that are parallel, opposite, equal, nearly equal, at right angles, zero, very long or on
    one line."""
    rng = np.random.default_rng(seed)
    found = []
    for n in range(STATES):
        K, d = rng.integers(1, largest + 1), rng.integers(2, 8)
        G = rng.normal(size=(K, d)) * rng.uniform(0.1, 2, size=(K, 1))
        j, k = rng.integers(K, size=2)
        match n % 12:
            case 1:
                G[j] = G[k]
            case 2:
                G[j] = rng.uniform(0.2, 3) * G[k]
            case 3:
                G[j] = -rng.uniform(0.2, 3) * G[k]
            case 4 if zeros:
                G[j] = 0
            case 5:
                G = np.round(G)  # equal rows, right angles, zeros
                G[~G.any(1)] = 0 if zeros else 1
            case 6:
                G[:, 1:] = 0
            case 7:
                G[j] *= 1e3
            case 8:
                G = G[0] + rng.normal(size=(K, 1)) * rng.normal(size=d)
            case 9:
                G[j] = G[k] + 1e-3 * rng.normal(size=d)
            case 10 if zeros:
                G[:] = 0
            case 11:
                G -= G.mean(0)  # the origin in the middle
        found.append(G)
    return found


def close(ours, theirs, scale=1.0):
    return np.abs(np.asarray(ours) - np.asarray(theirs)).max(initial=0) <= 1e-9 * max(1.0, scale)


def test_gram_matrix_and_rates():
    rng = np.random.default_rng(0)
    given = [(G, rng.normal(size=len(G))) for G in states(1)]
    theirs = node.call("geometry", [["gram", G.tolist()] for G, _ in given])
    felt = node.call("geometry", [["rates", A, weights.tolist()] for A, (_, weights) in zip(theirs, given)])
    vectors = node.call("geometry", [["combine", G.tolist(), weights.tolist()] for G, weights in given])
    for (G, weights), A, rho, vector in zip(given, theirs, felt, vectors):
        size, rows, lam = np.abs(G).max() ** 2, torch.as_tensor(G), torch.as_tensor(weights)
        assert close(A, passes.gram_matrix(rows), size)
        assert close(vector, passes.combine(rows, lam), size)
        assert close(rho, passes.rates(rows, passes.combine(rows, lam)), size)


@pytest.mark.parametrize("hull", ["convex", "box", "affine"])
def test_nearest_points(hull):
    rng = np.random.default_rng(2)
    given, calls = [], []
    for G in states(3):
        A, bounds = G @ G.T, {}
        if hull == "box":
            bounds = {"centre": rng.dirichlet(np.ones(len(G))), "radius": rng.choice([0.0, 0.05, 0.2, 0.6])}
            low, high = np.maximum(bounds["centre"] - bounds["radius"], 0), np.minimum(sum(bounds.values()), 1)
            calls.append(["nearest", A.tolist(), low.tolist(), high.tolist()])
        else:
            calls.append(["nearest" if hull == "convex" else "affine", A.tolist()])
        given.append((G, min_norm(A, hull="affine") if hull == "affine" else min_norm(A, **bounds), bounds))
    for (G, point, bounds), weights in zip(given, node.call("geometry", calls)):
        weights, theirs = np.array(weights), point.weights.numpy()
        size = np.abs(G).max()
        assert abs(weights.sum() - 1) < 1e-9 * max(1, np.abs(theirs).sum())
        assert close(G.T @ weights, G.T @ theirs, size * max(1, np.abs(theirs).sum())), (G, weights, theirs)
        assert close(G @ G.T @ weights, G @ G.T @ theirs, size**2 * max(1, np.abs(theirs).sum()))
        if (
            hull == "affine" and not point.exact
        ):  # the shortest weights, so that they are unique, as far as the null space is told apart
            spectrum = np.linalg.eigvalsh(G @ G.T / max(1e-300, (G**2).sum(1).max()))
            apart = spectrum[spectrum > 1e-12 * len(G)].min(initial=1)
            assert close(weights, theirs, np.abs(theirs).max() * max(1, 1e-6 / apart))
        if hull != "affine":
            assert (weights >= 0).all()
        if bounds:
            assert (np.abs(weights - bounds["centre"]) <= bounds["radius"] + 1e-12).all()


def updates(G, losses):
    """One round of these rows, everybody taking part."""
    K = len(G)
    return Updates(
        gradients=torch.as_tensor(G),
        losses=torch.as_tensor(losses, dtype=torch.float64),
        shares=torch.full((K,), 1 / K, dtype=torch.float64),
        clients=torch.arange(K),
        round=0,
        population=K,
    )


@pytest.mark.parametrize("name", ["FedAvg", "FedMGDA", "FedMGDA+", "AdaFed", "FedFV"])
def test_rules(name):
    rng = np.random.default_rng(4)
    given, calls = [], []
    for G in states(5):
        K, epsilon, losses = len(G), float(rng.choice([0.0, 0.1, 0.4, 1.0])), rng.uniform(0.5, 2, size=len(G))
        alpha = float(rng.choice([0.0, 0.3, 1.0]))
        by_loss = np.argsort(losses)
        rule, settings = {
            "FedAvg": (rules.FedAvg("uniform"), {}),
            "FedMGDA": (rules.FedMGDA(), {}),
            "FedMGDA+": (rules.FedMGDAPlus(epsilon=epsilon), {"epsilon": epsilon}),
            "AdaFed": (rules.AdaFed(gamma=1.0), {"s": losses.tolist()}),
            "FedFV": (
                rules.FedFV(alpha=alpha),
                {
                    "order": by_loss.tolist(),
                    "keepers": by_loss[int(np.ceil((K - 1) * (1 - alpha) - 1e-9)) :].tolist() if alpha else [],
                },
            ),
        }[name]
        given.append((G, rule.direction(updates(G, losses))))
        calls.append(["decide", name, G.tolist(), settings])
    for (G, ours), theirs in zip(given, node.call("geometry", calls)):
        size = np.abs(G).max()
        if name == "FedFV" and np.linalg.norm(G.mean(0)) < 1e-7 * size:
            # It gives its answer the length of the mean: here the root of a rounding error, in one language as in the other.
            assert close(theirs["direction"], 0, 100 * size) and close(ours.vector, 0, 100 * size)
            continue
        assert close(theirs["direction"], ours.vector, size), (G, ours, theirs)
        assert close(theirs["rates"], ours.rates, size**2), (G, ours, theirs)
        if G.any():
            stays = "Pareto-stationary" in ours.reason or "cancel" in ours.reason
            assert (theirs["remark"] in ("stationary", "cancels")) == stays


def test_the_plane():
    """Outlines hold all points; the cone is where no loss rises; the box's corners and its nearest point belong together."""
    rng = np.random.default_rng(6)
    planes = [G[:, :2] for G in states(7, zeros=False)]
    planes = [G if G.any(1).all() else G + 0.37 for G in planes]
    found = node.call("geometry", [["decide", "FedMGDA", G.tolist()] for G in planes])
    cones = node.call("geometry", [["cone", G.tolist(), point["direction"]] for G, point in zip(planes, found)])
    corners = node.call("geometry", [["outline", G.tolist()] for G in planes])
    for G, angles, corner in zip(planes, cones, corners):
        assert {tuple(c) for c in corner} <= {tuple(g) for g in G.tolist()}
        for v in rng.normal(size=(4, 2)):
            assert close(max(np.array(corner) @ v), max(G @ v), np.abs(G).max())
            turn = np.arctan2(v[1], v[0])
            least = (G @ v / np.linalg.norm(G, axis=1)).min()
            if abs(least) > 1e-6:
                inside = angles is not None and any(
                    angles[0] <= turn + full <= angles[1] for full in (-2 * np.pi, 0, 2 * np.pi)
                )
                assert inside == (least > 0), (G, v, angles)


def test_the_boxs_corners():
    for K, epsilon, inside in ((2, 0.1, [0.4, 0.6]), (3, 1.0, [1, 0, 0])):
        H = np.random.default_rng(K).normal(size=(K, 2))
        [corner] = node.call("geometry", [["boxed", H.tolist(), epsilon]])
        assert len(corner) == K and min(np.abs(np.array(corner) - H.T @ inside).max(1)) < 1e-12
