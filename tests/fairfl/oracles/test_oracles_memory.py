"""The oracles with memory (FedFV, FedLF, FedHEAL) do over several rounds what their docstrings say."""

import numpy as np
import pytest

from .fedfv import FedFV, ascending_order, keepers, mitigate_internal
from .fedheal import FedHEAL
from .fedlf import FedLF, fairness_coefficients
from .problems import problem

SEEDS = range(5)


def draw(seed, clients=6, dimensions=30, **options):
    return problem(np.random.default_rng(seed), clients, dimensions, **options)


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


@pytest.mark.parametrize("seed", SEEDS)
def test_fedfv_keeps_the_mean_s_length_and_alpha_one_is_fedavg(seed):
    p = draw(seed)
    mean, names = p.gradients.mean(axis=0), list(range(6))
    for order in ("ascending", "descending"):
        kept = FedFV(1.0, 0, order).direction(0, names, p.gradients, p.losses)
        np.testing.assert_allclose(kept, mean, atol=1e-14)
        moved = FedFV(0.0, 0, order).direction(0, names, p.gradients, p.losses)
        assert np.linalg.norm(moved) == pytest.approx(np.linalg.norm(mean))
        assert np.linalg.norm(moved - mean) > 1e-3 * np.linalg.norm(mean)
    by_loss = FedFV(0.3, 0).direction(0, names, p.gradients, p.losses)
    by_hand = FedFV(0.3, 0).direction(0, names, p.gradients, p.losses, order=np.argsort(p.losses))
    np.testing.assert_array_equal(by_loss, by_hand)
    friendly = draw(seed, common=30.0)
    np.testing.assert_allclose(
        FedFV(0.0, 0).direction(0, names, friendly.gradients, friendly.losses),
        friendly.gradients.mean(axis=0),
        atol=1e-12,
    )


def test_fedfv_order_and_keepers_by_hand():
    assert ascending_order([3.0, 1.0, 2.0, 1.0]) == [1, 3, 2, 0]
    assert keepers(list(range(11)), 0.1) == [9, 10] and keepers(list(range(11)), 0.0) == []
    assert keepers(list(range(3)), 1 / 3) == [2] and keepers(list(range(3)), 2 / 3) == [1, 2]
    assert keepers(list(range(11)), 0.7) == list(range(3, 11)) and len(keepers(list(range(9)), 1.0)) == 9
    # g_1 is projected off the raw g_2, then off the raw g_3; g_2 and g_3 keep theirs (alpha = 2/3).
    G = np.array([[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    g = G[0] + 0.5 * G[1]
    g = g + 0.25 * G[2]  # g . g_3 = -0.5 now, ||g_3||^2 = 2
    combined = (g + G[1] + G[2]) / 3
    expected = combined / np.linalg.norm(combined) * np.linalg.norm(G.mean(axis=0))
    direction = FedFV(2 / 3, 0).direction(0, "abc", G, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(direction, expected, atol=1e-15)
    # Nobody is projected off itself: at 0 degrees, off 170 and 250 degrees, is at 160, against its own start.
    angles = np.deg2rad([0, 170, 250])
    G = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    own = 3 * mitigate_internal([1, 2, 0], G, keep=[1, 2]) - G[1] - G[2]
    np.testing.assert_allclose(own / np.linalg.norm(own), [np.cos(np.deg2rad(160)), np.sin(np.deg2rad(160))])
    # Opposite gradients cancel to nothing, and nothing is not rescaled.
    assert not FedFV(0.0, 0).direction(0, "ab", np.array([[0.3], [-0.9]]), [1.0, 2.0]).any()


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_fedfv_in_gram_coordinates(alpha):
    """The same projections on coefficients, g_k^PC = C_k G, from the Gram matrix alone (notes)."""
    for seed in SEEDS:
        p = draw(seed)
        A, C = p.gradients @ p.gradients.T, np.eye(6)
        order = np.argsort(p.losses)
        for k in order[: 6 if alpha == 0 else 4]:  # ceil(5 * 0.7) = 4 are projected
            for j in order:
                if j != k and C[k] @ A[j] < 0:
                    C[k, j] -= C[k] @ A[j] / A[j, j]
        c = C.mean(axis=0)
        scale = np.sqrt(A.mean() / (c @ A @ c))
        direction = FedFV(alpha, 0).direction(0, range(6), p.gradients, p.losses)
        np.testing.assert_allclose(direction, scale * c @ p.gradients, atol=1e-12)


def test_fedfv_external_conflicts():
    p = draw(2, 3, 20)
    alone = FedFV(0.0, 9).direction(0, "abc", p.gradients, p.losses)
    rng = np.random.default_rng(0)
    past = [0.3 * rng.normal(size=(3, 20)) - alone for _ in range(3)]  # nearly all conflict
    past[1][2] = alone  # this one does not
    server = FedFV(0.0, 2)
    for t in (0, 1, 2):
        names = [f"{t}{k}" for k in range(3)]
        with_memory = server.direction(t, names, past[t], [1.0, 2.0, 3.0])
        if t < 2:  # before round tau nothing is held against an update
            without = FedFV(0.0, 9).direction(t, names, past[t], [1.0, 2.0, 3.0])
            np.testing.assert_array_equal(with_memory, without)
    direction = server.direction(3, "abc", p.gradients, p.losses)
    g = alone
    for t in (1, 2):  # round 0 has left the window; the oldest first, each round's conflicts as one sum
        conflict = sum(row for row in past[t] if row @ g < 0)
        g = g - g @ conflict / (conflict @ conflict) * conflict
    np.testing.assert_allclose(direction, g / np.linalg.norm(g) * np.linalg.norm(alone), atol=1e-13)
    assert abs(cosine(direction, conflict)) < 1e-12
    # A client that is seen again has only its newest gradient remembered.
    server.direction(4, ["20"], p.gradients[:1], [1.0])
    assert server.history["20"][0] == 4 and len(server.history) == 12


def test_fedlf_never_climbs_for_anyone():
    layout = [(0, 7), (7, 8), (8, 30)]
    server = FedLF(layout)
    history = {}
    for t in range(6):
        p = draw(t, 4)
        names = np.random.default_rng(t).choice(8, 4, replace=False).tolist()
        tau = len(history) // 4
        absent = [g for c, (seen, g) in history.items() if c not in names and seen >= t - tau]
        direction = server.direction(t, names, p.gradients, p.losses)
        assert np.linalg.norm(direction) == pytest.approx(np.linalg.norm(p.gradients.mean(axis=0)))
        fairness = fairness_coefficients(p.losses) @ p.gradients
        for row in [*p.gradients, fairness, *absent]:
            assert row @ direction >= -1e-10
        history.update({name: (t, g) for name, g in zip(names, p.gradients)})


def test_fedlf_fairness_row_and_hull_by_hand():
    p = draw(0, 4)
    negative_cosine = lambda f: -cosine(f, np.ones(4))
    h = [(negative_cosine(p.losses + 1e-6 * e) - negative_cosine(p.losses - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(fairness_coefficients(p.losses), h, atol=1e-9)
    assert not fairness_coefficients([0.7] * 9).any() and not fairness_coefficients([0.0] * 3).any()

    g, k = p.gradients[:2]  # equal losses, one layer: the bisector of two rows of equal length
    pair = FedLF([(0, 30)]).direction(0, "ab", p.gradients[:2], [1.0, 1.0])
    bisector = g / np.linalg.norm(g) + k / np.linalg.norm(k)
    assert cosine(pair, bisector) == pytest.approx(1.0)
    # Client a's loss is lower and its gradient longer: the fairness row points away from a's, b's lies
    # between the two, and the point is the bisector of a's row and the fairness row.
    G, losses = np.array([[3.0, 0.0], [0.5, 1.0]]), [1.0, 2.0]
    fairness = fairness_coefficients(losses) @ G
    expected = G[0] / 3 + fairness / np.linalg.norm(fairness)
    assert cosine(FedLF([(0, 2)]).direction(0, "ab", G, losses), expected) == pytest.approx(1.0, abs=1e-12)
    one = FedLF([(0, 10), (10, 30)]).direction(0, "a", p.gradients[:1], [1.0])
    np.testing.assert_allclose(one, g, atol=1e-14)
    # A layer in which a client is zero is the other client's.
    blocks = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    split = FedLF([(0, 2), (2, 3)]).direction(0, "ab", blocks, [1.0, 1.0])
    np.testing.assert_allclose(split, blocks.mean(axis=0), atol=1e-14)
    # A remembered client that is no longer there still cannot be climbed on.
    server = FedLF([(0, 30)], memory=1)
    server.direction(0, "x", -p.gradients.mean(axis=0)[None] + 0.1 * g, [1.0])
    remembered = server.history["x"][1]
    assert remembered @ server.direction(1, "abcd", p.gradients, p.losses) >= -1e-12


def test_fedheal_masks_and_weights():
    p = draw(0, 3, 10)
    server = FedHEAL()
    lengths = np.linalg.norm(p.gradients, axis=1)
    q = 1 / 3 + 0.4 * lengths / lengths.sum()  # sums to 1.4
    first = server.direction("abc", p.gradients)
    np.testing.assert_allclose(first, q @ p.gradients / 1.4, atol=1e-14)
    # The same signs again: nothing is masked; Delta = (0.6 + 1) 0.4 share, p = 1/3 + (0.4 + 0.64) share.
    again = server.direction("abc", p.gradients)
    q = 1 / 3 + 1.04 * lengths / lengths.sum()
    np.testing.assert_allclose(again, q @ p.gradients / q.sum(), atol=1e-14)
    # Client a turns round: frequency 0 of 2 for every sign, so all its entries are dropped and its
    # distance is 0, while its weight stays from before.
    turned = np.vstack([-p.gradients[0], p.gradients[1:]])
    third = server.direction("abc", turned)
    total = lengths[1:].sum()
    delta = 0.6 * 0.64 * lengths / lengths.sum() + 0.4 * np.array([0.0, *(lengths[1:] / total)])
    q = q + delta
    np.testing.assert_allclose(third, q[1:] @ p.gradients[1:] / q[1:].sum(), atol=1e-14)
    # Its fourth try of the new sign has 1 of 3 > 0.3 behind it and is kept.
    assert np.linalg.norm(server.direction("abc", turned) - third) > 1e-3
    assert server.rounds["a"] == 4 and not FedHEAL().direction("ab", np.zeros((2, 4))).any()


def test_fedheal_drops_at_the_threshold_and_keeps_above_it():
    for count, expected in ((3, 0.0), (4, 2.0)):  # 3 of 10 is not above 0.3
        server = FedHEAL()
        for t in range(10):
            server.direction("a", np.array([[1.0 if t < count else -1.0]]))
        assert server.direction("a", np.array([[2.0]]))[0] == expected
        assert server.direction("a", np.array([[-2.0]]))[0] == -2.0
