"""SCAFFOLD, FedNova and FedDyn as a reader writes them, against plain loops on logistic regression."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, models, partition, train
from fairfl._randomness import generator
from fairfl.clients import Correction, Ditto
from fairfl.deployment import Member
from fairfl.errors import Refused
from fairfl.rules import FedAvg


class Scaffold(Correction):
    """Karimireddy et al. 2020, Algorithm 1, option II."""

    keeps = ("control",)

    def gradient(self, g, w, start, own, common):
        return g - own["control"] + common["control"]

    def after(self, delta, start, own, common, step_sizes):
        return {"control": own["control"] - common["control"] + delta / step_sizes}


class FedNova(Correction):
    """Wang et al. 2020, equation 6, for plain local SGD: the mean of normalised updates, times the mean number of steps."""

    def sent(self, delta, common, steps, shares):
        return delta / steps * (shares * steps).sum()


class FedDyn(Correction):
    """Acar et al. 2021, Algorithm 1; the server's h is the mean of what clients keep."""

    keeps = ("dual",)

    def __init__(self, alpha):
        self.alpha = alpha

    def gradient(self, g, w, start, own, common):
        return g - own["dual"] + self.alpha * (w - start)

    def after(self, delta, start, own, common, step_sizes):
        return {"dual": own["dual"] + self.alpha * delta}

    def sent(self, delta, common, steps, shares):
        return delta + common["dual"] / self.alpha


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 5, 0.5, min_size=5, test=0.2)


class Loops:
    """Softmax regression in NumPy, float64, one client and one batch after the other. ``w``: (3, 6), the last column the bias."""

    def __init__(self, federation, seed, lr, epochs, batch):
        self.x = np.hstack([federation.dataset.inputs.numpy().astype(float), np.ones((60, 1))])
        self.y, self.rows = np.eye(3)[federation.dataset.targets.numpy()], [r.numpy() for r in federation.train]
        self.seed, self.lr, self.epochs, self.batch = seed, lr, epochs, batch

    def drawn(self, round, count):
        order = torch.randperm(len(self.rows), generator=generator(self.seed, "participation", round))
        return sorted(order[:count].tolist())

    def local(self, w, k, round, change):
        """The model after local training along ``change(gradient, w)``, and the number of steps."""
        rows, steps = self.rows[k], 0
        g, w = generator(self.seed, "batches", round, k), w.copy()
        for _ in range(self.epochs):
            order = torch.randperm(len(rows), generator=g).numpy() if self.batch < len(rows) else np.arange(len(rows))
            for i in range(0, len(rows), self.batch):
                chosen = rows[order[i : i + self.batch]]
                z = self.x[chosen] @ w.T
                p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
                w -= self.lr * change((p - self.y[chosen]).T @ self.x[chosen] / len(chosen), w)
                steps += 1
        return w, steps

    def scaffold(self, w, rounds, count):
        N = len(self.rows)
        c, own = np.zeros_like(w), [np.zeros_like(w) for _ in range(N)]
        for t in range(rounds):
            moved, learnt = np.zeros_like(w), np.zeros_like(w)
            for k in self.drawn(t, count):
                y, K = self.local(w, k, t, lambda g, _, k=k, c=c: g - own[k] + c)
                new = own[k] - c + (w - y) / (K * self.lr)
                moved, learnt, own[k] = moved + (y - w) / count, learnt + (new - own[k]) / N, new
            w, c = w + moved, c + learnt
        return w

    def fednova(self, w, rounds, count):
        for t in range(rounds):
            drawn = self.drawn(t, count)
            total = sum(len(self.rows[k]) for k in drawn)
            ended = [self.local(w, k, t, lambda g, _: g) for k in drawn]
            p = [len(self.rows[k]) / total for k in drawn]
            effective = sum(a * tau for a, (_, tau) in zip(p, ended))
            w = w - effective * sum(a * (w - y) / tau for a, (y, tau) in zip(p, ended))
        return w

    def feddyn(self, w, rounds, count, alpha=0.3):
        h, last = np.zeros_like(w), [np.zeros_like(w) for _ in self.rows]
        for t in range(rounds):
            ended = []
            for k in self.drawn(t, count):
                y, _ = self.local(w, k, t, lambda g, v, k=k, w=w: g - last[k] + alpha * (v - w))
                last[k] = last[k] - alpha * (y - w)
                ended.append(y)
            h = h - alpha / len(self.rows) * sum(y - w for y in ended)
            w = sum(ended) / count - h / alpha
        return w


def settings(correct, weighting, **local):
    return dict(
        rule=FedAvg(weighting),
        rounds=3,
        local=LocalSGD(lr=0.3, epochs=2, batch_size=4, correct=correct, **local),
        participation=0.6,
        seed=[0, 1],
    )


CASES = {"scaffold": (Scaffold(), "uniform"), "fednova": (FedNova(), "shares"), "feddyn": (FedDyn(0.3), "uniform")}


@pytest.mark.parametrize("engine", ["sequential", "batched"])
@pytest.mark.parametrize("name", CASES)
def test_a_readers_method_is_its_papers(federation, name, engine):
    asked = settings(*CASES[name])
    for seed, history in zip((0, 1), train(federation, engine=engine, **asked)):
        first = torch.cat(
            [p.detach().flatten() for p in models.build("logistic", federation.dataset, seed=seed).parameters()]
        ).numpy()
        matrix = lambda flat: np.hstack([flat[:15].reshape(3, 5), flat[15:, None]]).astype(float)
        exact = getattr(Loops(federation, seed, 0.3, 2, 4), name)(matrix(first), 3, 3)
        plain = train(federation, **{**asked, "local": LocalSGD(lr=0.3, epochs=2, batch_size=4), "seed": seed})
        assert (
            np.abs(matrix(history.parameters) - exact).max()
            < 5e-6
            < 1e-3
            < np.abs(matrix(plain.parameters) - exact).max()
        )


@pytest.mark.parametrize("engine", ["sequential", "batched"])
@pytest.mark.parametrize("name", ["scaffold", "feddyn"])
def test_what_clients_keep_survives_a_stop(federation, resumed_and_whole, name, engine):
    asked = settings(*CASES[name]) | {"rounds": 6}
    for resumed, whole in zip(*resumed_and_whole(train, federation=federation, engine=engine, **asked)):
        assert (resumed.parameters == whole.parameters).all() and (resumed.loss == whole.loss).all()


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_runs_side_by_side_keep_apart(federation, engine):
    together = settings(Scaffold(), "uniform")
    for seed, history in zip((0, 1), train(federation, engine=engine, **together)):
        alone = train(federation, engine=engine, **{**together, "seed": seed})
        np.testing.assert_allclose(history.parameters, alone.parameters, atol=1e-6)


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_a_correction_that_changes_nothing_leaves_the_bits(federation, engine):
    with_one = train(federation, engine=engine, **settings(Correction(), "shares", proximal=0.2, momentum=0.5))
    without = train(federation, engine=engine, **settings(None, "shares", proximal=0.2, momentum=0.5))
    assert all((a.parameters == b.parameters).all() for a, b in zip(with_one, without))


@pytest.mark.parametrize("engine", ["sequential", "batched"])
@pytest.mark.parametrize("model", ["logistic", "mlp"])
def test_a_proximal_term_of_ones_own_is_the_built_in_one(federation, model, engine):
    class Proximal(Correction):
        def gradient(self, g, w, start, own, common):
            return g + 0.5 * (w - start)

    asked = dict(rounds=3, engine=engine, model=model)
    own = train(federation, local=LocalSGD(lr=0.3, epochs=3, batch_size=4, momentum=0.5, correct=Proximal()), **asked)
    built_in = train(federation, local=LocalSGD(lr=0.3, epochs=3, batch_size=4, momentum=0.5, proximal=0.5), **asked)
    assert (own.parameters == built_in.parameters).all()


def test_a_correction_goes_beside_personal_models(federation):
    asked = settings(Scaffold(), "uniform")
    both = train(federation, personal=Ditto(0.1, LocalSGD(lr=0.2)), **asked)
    assert all((a.parameters == b.parameters).all() for a, b in zip(both, train(federation, **asked)))


def test_its_settings_are_part_of_a_runs_identity(federation, tmp_path):
    asked = settings(FedDyn(0.3), "uniform") | {"checkpoint": tmp_path / "c"}
    assert train(federation, **asked)[0].settings["local"]["correct"]["alpha"] == 0.3
    with refused("state", "local.correct.alpha: 0.4", "0.3"):
        train(federation, **asked | {"local": settings(FedDyn(0.4), "uniform")["local"]})


class Forgetful(Scaffold):
    def after(self, delta, start, own, common, step_sizes):
        return {}


class Narrow(Scaffold):
    def sent(self, delta, common, steps, shares):
        return delta.mean(0)


@pytest.mark.parametrize(
    "slip, kind, mentions",
    [
        (lambda fed: LocalSGD(correct=lambda g, w: g), "type", ["correct is <", "Correction"]),
        (lambda fed: LocalSGD(correct=Scaffold), "type", ["correct is <class", "instance"]),
        (lambda fed: type("Slip", (Correction,), {"keeps": ("control")}), "type", ["Slip.keeps", "('control',)"]),
        (lambda fed: Ditto(0.1, LocalSGD(correct=Scaffold())), "combination", ["local.correct"]),
        (lambda fed: train(fed, local=LocalSGD(correct=Forgetful())), "name", ["Forgetful.after is []", "['control']"]),
        (lambda fed: train(fed, local=LocalSGD(correct=Narrow())), "shape", ["Narrow.sent", "(18,)", "(5, 18)"]),
    ],
)
def test_slips_are_refused_by_name(federation, slip, kind, mentions):
    with refused(kind, *mentions):
        slip(federation)


def test_a_member_takes_no_correction(federation):
    with pytest.raises(Refused, match="local.correct"):
        Member.of(federation, 0, torch.nn.Linear(5, 3), local=LocalSGD(correct=Scaffold()))
