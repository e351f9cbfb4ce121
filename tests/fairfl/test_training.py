from dataclasses import replace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import History, LocalSGD, Rule, Server, Updates, models, partition, rules, train
from fairfl.rules import Direction, GramRule
from fairfl.training import ServerStep


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 5, 1.0, min_size=4, test=0.2, validation=0.2)


def same(a: History, b: History) -> bool:
    return (a.parameters == b.parameters).all() and (a.accuracy == b.accuracy).all() and (a.loss == b.loss).all()


def test_one_full_batch_round_is_a_gradient_step(federation, small):
    history = train(federation, model="logistic", rounds=1, local=LocalSGD(lr=0.3))
    model = models.build("logistic", small, seed=0)
    w = torch.nn.utils.parameters_to_vector(model.parameters())
    loss = sum(
        p * torch.nn.functional.cross_entropy(model(small.inputs[rows]), small.targets[rows])
        for p, rows in zip(federation.shares.float(), federation.train)
    )
    gradient = torch.cat([g.flatten() for g in torch.autograd.grad(loss, model.parameters())])
    assert np.allclose(history.parameters, (w - 0.3 * gradient).detach().numpy(), atol=1e-6)


def test_evaluation_matches_a_plain_loop(federation, small):
    history = train(federation, model="mlp", rounds=3, score=("test", "train", "validation"))
    model = models.build("mlp", small, seed=0)
    torch.nn.utils.vector_to_parameters(torch.tensor(history.parameters), model.parameters())
    for part, accuracy, loss in (
        ("test", history.accuracy, history.loss),
        ("train", history.train_accuracy, history.train_loss),
        ("validation", history.validation_accuracy, history.validation_loss),
    ):
        for k, rows in enumerate(getattr(federation, part)):
            with torch.no_grad():
                out = model(small.inputs[rows])
            assert accuracy[-1, k] == pytest.approx(float((out.argmax(1) == small.targets[rows]).double().mean()))
            assert loss[-1, k] == pytest.approx(
                float(torch.nn.functional.cross_entropy(out, small.targets[rows])), abs=1e-5
            )


def test_clients_that_share_a_pool_are_each_scored_on_their_own_part(digits):
    federation = partition.dirichlet(digits, 6, 0.5, scored_on="pool", test=0.3)
    history = train(federation, model="logistic", rounds=2, local=LocalSGD(lr=0.5))
    model = models.build("logistic", digits)
    torch.nn.utils.vector_to_parameters(torch.tensor(history.parameters), model.parameters())
    with torch.no_grad():
        right = (model(digits.inputs).argmax(1) == digits.targets).double()
    assert np.allclose(history.accuracy[-1], [float(right[rows].mean()) for rows in federation.test])


def test_seeds_side_by_side_equal_seeds_one_by_one(federation):
    settings = dict(
        model="mlp", rounds=4, local=LocalSGD(lr=0.1, epochs=2, batch_size=5), participation=0.6, engine="sequential"
    )
    together = train(federation, seed=[3, 4], **settings)
    assert all(same(one, train(federation, seed=s, **settings)) for s, one in zip((3, 4), together))
    assert not (together[0].participants == together[1].participants).all()


def triple(updates):
    return replace(updates, gradients=updates.gradients * 3)


def test_rules_servers_and_attacks_side_by_side_equal_them_one_by_one(federation, tmp_path):
    variants = [
        ("FedAvg", Server(), None, 0),
        (rules.FedMGDAPlus(), Server(0.5), None, 0),
        ("FedAvg", Server(0.5), triple, 1),
    ]
    settings = dict(model="logistic", rounds=4, local=LocalSGD(batch_size=5), participation=0.6, engine="sequential")
    columns = [list(c) for c in zip(*variants)]
    both = dict(rule=columns[0], server=columns[1], tamper=columns[2], seed=columns[3])
    together = train(federation, **settings, **both, checkpoint=tmp_path / "c.pt")
    for one, (rule, server, tamper, seed) in zip(together, variants):
        alone = train(federation, rule, server=server, tamper=tamper, seed=seed, **settings)
        assert same(one, alone)
        for name in ("rule", "server", "tamper", "seed"):
            assert one.settings[name] == alone.settings[name]
    assert [g["seed"] for g in together[0].settings["batch_group"]] == [0, 0, 1]
    with refused("state", "c.pt", "server"):
        train(federation, **settings, **both | {"server": [Server()] * 3}, checkpoint=tmp_path / "c.pt")
    with refused("shape", "rule is 2; allowed: 3"):
        train(federation, ["FedAvg"] * 2, seed=[0, 1, 2])


def test_two_rules_see_the_same_clients(federation):
    a = train(federation, "FedAvg", rounds=6, participation=0.4)
    b = train(federation, rules.FedAvg("uniform"), rounds=6, participation=0.4)
    assert (a.participants == b.participants).all()


def test_evaluates_first_and_last(federation):
    assert train(federation, rounds=7, evaluate_every=3).rounds.tolist() == [0, 3, 6, 7]


class Remembering(GramRule):
    """Averages with momentum kept in the rule: state that must survive."""

    def __init__(self, gamma=0.5):
        self.gamma, self._m = gamma, None

    needs = frozenset({"losses", "accuracies", "losses_after"})

    def combine(self, updates):
        weights = torch.softmax(updates.losses, 0).float()
        step = weights @ updates.gradients
        self._m = step if self._m is None else self.gamma * self._m + step
        return Direction(self._m.clone(), reason="test" if updates.round == 2 else "")

    def state_dict(self):
        return {"m": self._m}

    def load_state_dict(self, state):
        self._m = state["m"]


class Stop(Exception):
    pass


class Interrupting:
    """Raises in a round; which is no public attribute, so that two of them are one setting."""

    def __init__(self, at):
        self._at = at

    def __call__(self, updates):
        if updates.round == self._at:
            raise Stop
        return updates


@pytest.mark.parametrize("optimiser", ["sgd", "adam", "yogi", "adagrad"])
def test_a_resumed_run_has_the_same_bits(federation, tmp_path, optimiser):
    settings = dict(
        rule=Remembering(),
        model="mlp",
        local=LocalSGD(lr=0.1, epochs=2, batch_size=5, momentum=0.5),
        server=Server(0.5, optimiser, momentum=0.5 if optimiser == "sgd" else 0.0),
        seed=[0, 1],
        participation=0.6,
        rounds=8,
    )
    whole = train(federation, **settings)

    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1)
    with pytest.raises(Stop):
        train(federation, tamper=Interrupting(at=5), **kept, **settings)
    resumed = train(federation, tamper=Interrupting(at=None), **kept, **settings)
    for a, b in zip(whole, resumed):
        assert same(a, b) and a.remarks == b.remarks == [(2, "test")]
        assert (a.participants == b.participants).all() and (a.direction_norm == b.direction_norm).all()
    assert not list(tmp_path.glob("*.part"))


def test_a_checkpoint_of_other_settings_is_refused_by_name(federation, tmp_path):
    path = tmp_path / "c.pt"
    train(federation, rounds=2, checkpoint=path)
    with refused("state", "local.lr: 0.2 here, 0.1 in the checkpoint; participation"):
        train(federation, rounds=2, checkpoint=path, local=LocalSGD(lr=0.2), participation=0.5)
    with refused("state", "rule.weighting"):
        train(federation, rules.FedAvg("uniform"), rounds=2, checkpoint=path)


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", None])
def test_a_broken_checkpoint_is_named(federation, tmp_path, content):
    path = tmp_path / "c.pt"
    train(federation, rounds=2, checkpoint=path)
    path.write_bytes(path.read_bytes()[:200] if content is None else content)
    with refused("file", path):
        train(federation, rounds=2, checkpoint=path)


def test_histories_survive_the_disk(federation, tmp_path):
    history = train(federation, Remembering(), rounds=4, score=("test", "train"))
    history.save(tmp_path / "h.npz")
    back = History.load(tmp_path / "h.npz")
    assert same(history, back) and (back.train_loss == history.train_loss).all() and back.validation_loss is None
    assert back.remarks == history.remarks and back.settings == history.settings
    (tmp_path / "bad.npz").write_bytes(b"PK nothing")
    with refused("file", "bad.npz"):
        History.load(tmp_path / "bad.npz")


def test_a_diverging_run_keeps_its_rounds(federation):
    with pytest.raises(ValueError, match="non-finite") as caught:
        train(federation, model="mlp", rounds=200, local=LocalSGD(lr=1e12, epochs=3))
    assert "round" in str(caught.value) and len(caught.value.history.rounds) >= 1


def test_tampering_is_seen_by_the_rule(federation):
    flip = lambda updates: replace(updates, gradients=-updates.gradients)
    assert train(federation, rounds=3, tamper=flip).loss[-1].mean() > train(federation, rounds=3).loss[-1].mean()


def test_server_optimisers_match_torch():
    g = torch.Generator().manual_seed(0)
    start, steps = torch.randn(20, generator=g), [torch.randn(20, generator=g) for _ in range(10)]

    def run(server):
        step = ServerStep("FedAvg", start, 10, server)
        for t, d in enumerate(steps):
            step.take(Updates(d[None], round=t))
        return step.w

    def reference(make):
        w = torch.nn.Parameter(start.clone())
        optimiser = make([w])
        for d in steps:
            w.grad = d.clone()
            optimiser.step()
        return w.detach()

    assert torch.allclose(
        run(Server(0.3, momentum=0.9)), reference(lambda p: torch.optim.SGD(p, 0.3, momentum=0.9)), atol=1e-6
    )
    assert torch.allclose(
        run(Server(0.3, "adagrad", tau=1e-3)),
        reference(lambda p: torch.optim.Adagrad(p, 0.3, initial_accumulator_value=1e-6, eps=1e-3)),
        atol=1e-5,
    )
    m, v, w = torch.zeros(20), torch.full((20,), 1e-6), start.clone()
    for d in steps:
        m, v = 0.9 * m + 0.1 * d, 0.99 * v + 0.01 * d**2
        w = w - 0.3 * m / (v.sqrt() + 1e-3)
    assert torch.allclose(run(Server(0.3, "adam")), w, atol=1e-5)
    m, v, w = torch.zeros(20), torch.full((20,), 1e-6), start.clone()
    for d in steps:
        m, v = 0.9 * m + 0.1 * d, v - 0.01 * d**2 * torch.sign(v - d**2)
        w = w - 0.3 * m / (v.sqrt() + 1e-3)
    assert torch.allclose(run(Server(0.3, "yogi")), w, atol=1e-5)


def test_decay_follows_the_papers_code():
    server = Server(2.0, decay=0.1)
    assert server.lr_at(99, 400) == 2.0 and server.lr_at(100, 400) == pytest.approx(2 * 0.1**0.25)


class Unknown(Rule):
    needs = frozenset({"accuracy"})


class Short(Rule):
    def combine(self, updates):
        return Direction(updates.gradients[0, :3])


class Everyone(rules.FedAvg):
    needs_everyone = True


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(rule="FedAv"), "Did you mean 'FedAvg'"),
        (dict(rule=Unknown()), "Did you mean 'accuracies'"),
        (dict(rule=Short()), "one flat vector"),
        (dict(rule=Everyone(), participation=0.5), "full participation"),
        (dict(model="logistik"), "Did you mean 'logistic'"),
        (dict(rounds=0), "rounds"),
        (dict(participation=0), "participation"),
        (dict(seed=[1, 1]), "several different"),
        (dict(evaluate_every=0), "evaluate_every"),
        (dict(score=("tests",)), "score is .*'test', 'train', 'validation'"),
        (dict(engine="parallel"), "unknown engine"),
    ],
)
def test_refusals_come_before_the_first_round(federation, settings, words):
    with pytest.raises(ValueError, match=words):
        train(federation, **settings)


def test_score_without_validation_rows_is_refused(small):
    with refused("missing", "score", "client 0"):
        train(partition.iid(small, 3), score=("validation",))
