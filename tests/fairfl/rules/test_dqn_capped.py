"""DQN-Fed with ``capped=True``: its rates, its step, and that no loss rises if the bound on curvature holds."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, data, partition, rules, train
from fairfl.updates import Updates


def problem(rng, K=3, d=6):
    """Convex quadratics ``½ (w − c)ᵀ H (w − c)``: H (K, d, d), c (K, d)."""
    roots = rng.normal(size=(K, d, d))
    return roots @ roots.transpose(0, 2, 1) / d + 0.1 * np.eye(d), rng.normal(size=(K, d))


def losses_of(H, c, w):
    return np.array([(w - m) @ h @ (w - m) / 2 for h, m in zip(H, c)])


def sent(H, c, w, lr, steps=1, boast=1.0):
    """What clients send at ``w`` after ``steps`` (one number, or one each) short steps of size ``lr``: rows ``ℓ ∇f``
    with ``ℓ = lr · steps``, losses, the falls of their Newton steps on the rows' scale, ``boast`` times as large, and
    true smoothness.
    """
    G = np.stack([h @ (w - m) for h, m in zip(H, c)])
    falls = np.array([g @ np.linalg.solve(h, g) for g, h in zip(G, H)])
    lengths = lr * np.broadcast_to(np.asarray(steps, dtype=float), len(G))
    extras = {
        "newton_rates": boast * lengths * falls,
        "smoothness": np.array([np.linalg.eigvalsh(h)[-1] for h in H]),
        "pseudo_lr": lengths,
    }
    extras = {k: torch.tensor(v) for k, v in extras.items()}
    return Updates(lengths[:, None] * G, losses=losses_of(H, c, w), extras=extras, local_lr=lr)


@pytest.mark.parametrize("boast", [1.0, 10.0])  # at 10 the cap binds: on a quadratic r = 2 f
@pytest.mark.parametrize("lr, steps", [(1.0, 1), (0.1, 1), (0.1, 5), (0.1, (1, 5, 20))])
def test_the_step_is_theorem_4_2s_on_a_literal_version(lr, steps, boast):
    rng = np.random.default_rng(0)
    for _ in range(20):
        H, c = problem(rng)
        w = rng.normal(size=6)
        u = sent(H, c, w, lr, steps, boast)
        lengths = u.extras["pseudo_lr"].numpy()
        G = u.gradients.numpy() / lengths[:, None]  # the theorem speaks of gradients
        r = np.minimum(u.extras["newton_rates"].numpy() / lengths, 2 * u.losses.numpy())
        A = G @ G.T
        lam = np.linalg.solve(A, r)
        short = G.T @ lam / (r @ lam)  # rates r ‖short‖²
        eta = min(1 / (short @ short), 2 / float(u.extras["smoothness"].max()) * r.min())
        got = rules.DQNFed(capped=True).direction(u).vector.numpy()
        assert np.allclose(got, eta * short, rtol=1e-8)


def test_no_loss_rises_where_smoothness_is_true_and_the_literal_rule_lets_some_rise():
    rng = np.random.default_rng(1)
    rose = {True: 0, False: 0}
    for _ in range(30):
        H, c = problem(rng)
        for capped in rose:
            w = rng.normal(size=6)
            for _ in range(10):
                before = losses_of(H, c, w)
                w = w - rules.DQNFed(capped=capped).direction(sent(H, c, w, 0.5)).vector.numpy()
                rose[capped] += bool((losses_of(H, c, w) > before * (1 + 1e-9)).any())
    assert rose[True] == 0 and rose[False] > 50


def test_a_loss_of_zero_stops_everybody_and_a_negative_one_is_refused():
    u = sent(*problem(np.random.default_rng(2)), np.zeros(6), 1.0)
    still = Updates(u.gradients, losses=torch.tensor([0.0, 1, 2]), extras=dict(u.extras))
    assert float(rules.DQNFed(capped=True).direction(still).vector.norm()) == 0
    below = Updates(u.gradients, losses=torch.tensor([-1.0, 1, 2]), extras=dict(u.extras))
    with refused("value", "client 0", "losses", -1.0):
        rules.DQNFed(capped=True).direction(below)


def test_it_trains_where_the_literal_rule_ends():
    dataset = data.load("digits").only("3", "8", "9")
    federation = partition.by_class(dataset, scored_on="pool", test=0.4)
    settings = dict(model="mlp", rounds=40, local=LocalSGD(lr=0.1), seed=0, evaluate_every=5)
    history = train(federation, rules.DQNFed(capped=True), **settings)
    losses = history.loss.max(1)
    assert losses[-1] < 0.5 * losses[0] and history.accuracy[-1].min() > 0.8


def test_after_five_local_steps_a_loss_is_asked_to_fall_by_twice_its_value_and_no_further():
    u = sent(*problem(np.random.default_rng(3)), np.zeros(6), 0.1, steps=5, boast=10.0)
    flat = Updates(u.gradients, losses=u.losses, extras={**u.extras, "smoothness": [0.0] * 3}, local_lr=0.1)
    asked = rules.DQNFed(capped=True).direction(flat).rates / u.extras["pseudo_lr"]
    assert torch.allclose(asked, 2 * u.losses, rtol=1e-8) and float(u.extras["pseudo_lr"][0]) == 0.5


def test_train_says_how_long_each_clients_row_is():
    seen = []
    federation = partition.by_class(data.load("digits").only("3", "8", "9"))
    local = LocalSGD(lr=0.1, epochs=5, batch_size=100)
    train(federation, rules.DQNFed(capped=True), rounds=2, local=local, tamper=lambda u: seen.append(u) or u)
    expected = [local.pseudo_lr(len(rows), 0) for rows in federation.train]
    assert seen[1].extras["pseudo_lr"].tolist() == expected and min(expected) >= 0.5
    asked = rules.DQNFed(capped=True).direction(seen[1]).rates / seen[1].extras["pseudo_lr"]
    assert bool((asked <= 2 * seen[1].losses * (1 + 1e-6)).all())


def test_without_the_rows_lengths_the_capped_reading_is_refused_by_name():
    u = sent(*problem(np.random.default_rng(2)), np.zeros(6), 1.0)
    lacking = {name: value for name, value in u.extras.items() if name != "pseudo_lr"}
    with refused("missing", "DQN-Fed", "'pseudo_lr'"):
        rules.DQNFed(capped=True).direction(Updates(u.gradients, losses=u.losses, extras=lacking))
    with refused("value", "client 0", "pseudo_lr", 0.0):
        zero = {**u.extras, "pseudo_lr": [0.0, 1.0, 1.0]}
        rules.DQNFed(capped=True).direction(Updates(u.gradients, losses=u.losses, extras=zero))
    assert "pseudo_lr" not in rules.DQNFed().needs
