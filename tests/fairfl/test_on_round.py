"""What ``train(on_round=f)`` shows, that a look changes no bit, and that ``STOP`` ends a run and no other."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from refusals import refused
from torch import nn

from fairfl import History, LocalSGD, Updates, attacks, partition, rules, sweep, train
from fairfl.clients import Ditto, FedNew, FedNL
from fairfl.training import STOP, BestModel, Compose, EarlyStop, TensorBoard

PART = dict(rounds=6, local=LocalSGD(lr=0.3), evaluate_every=2)


@pytest.fixture
def federation(small):
    return partition.iid(small, 4, test=0.2, validation=0.2)


def same(one, other):
    for name in ("rounds", "parameters", "accuracy", "loss", "participants", "weights", "rates", "direction_norm"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def test_a_round_is_what_the_rule_saw_decided_and_made(federation):
    seen, tamper = [], attacks.Scaling(client=1, factor=3.0)
    settings = dict(tamper=tamper, participation=0.75, seed=5, score=["validation"], **PART)
    history = train(federation, "QFedAvg", on_round=seen.append, **settings)
    same(history, train(federation, "QFedAvg", **settings))
    assert [r.round for r in seen] == list(range(6)) and {r.seed for r in seen} == {5}
    rule, w = rules.make("QFedAvg"), None
    for t, r in enumerate(seen):
        assert r.updates.clients.tolist() == history.participants[t].tolist() and r.updates.round == t
        again = rule.direction(r.updates)
        assert torch.equal(again.vector, r.direction.vector)
        np.testing.assert_array_equal(history.weights[t], r.direction.weights)
        np.testing.assert_array_equal(history.rates[t], r.direction.rates)
        assert w is None or torch.equal(w - r.direction.vector, r.parameters)
        w = r.parameters
        assert (r.scores is None) == bool((t + 1) % 2)
        if r.scores:
            place = (t + 1) // 2
            np.testing.assert_array_equal(r.scores["validation"]["accuracy"], history.validation_accuracy[place])
            np.testing.assert_array_equal(r.scores["test"]["loss"], history.loss[place])
    np.testing.assert_array_equal(seen[-1].parameters, history.parameters)


def test_the_model_scores_as_the_run_does(federation):
    found = []

    def score(r):
        assert not r.model.training
        inputs, targets = federation.dataset.inputs, federation.dataset.targets
        right = r.model(inputs).argmax(1) == targets
        found.append([float(right[rows].double().mean()) for rows in federation.test])

    history = train(federation, "FedMGDA", "mlp", on_round=score, rounds=3)
    np.testing.assert_allclose(found, history.accuracy[1:])


class Dropping(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(*shape, 8), nn.Dropout(0.5), nn.Linear(8, classes))

    def forward(self, x):
        return self.layers(x)


def ruin(r):
    """Everything that a callback may do: it changes the model and its mode, gradients, scores and random states."""
    r.model.train()
    r.model(torch.ones(2, 5)).sum().backward()
    with torch.no_grad():
        for p in r.model.parameters():
            p.fill_(7.0)
    r.parameters.fill_(8.0)
    for scores in (r.scores or {}).values():
        scores["loss"][:] = np.nan
    torch.manual_seed(3)
    np.random.seed(3)


@pytest.mark.parametrize(
    "settings",
    [
        dict(rule="FedAvg", model=Dropping),
        dict(rule="FedHEAL", seed=[0, 1], participation=0.75),
        dict(rule="FedFV", local=LocalSGD(lr=0.1, batch_size=4), engine="batched"),
        dict(rule="AFL", engine="sequential", score=["train"], personal=Ditto()),
        dict(local=FedNL()),
        dict(local=FedNew()),
    ],
)
def test_nothing_that_a_callback_does_to_model_scores_or_random_states_reaches_the_run(federation, settings):
    settings = PART | settings
    ruined, plain = train(federation, on_round=ruin, **settings), train(federation, **settings)
    for one, other in zip(*(h if isinstance(h, list) else [h] for h in (ruined, plain))):
        same(one, other)


class StopAt:
    def __init__(self, *rounds):
        self.rounds = rounds

    def __call__(self, r):
        return STOP if r.round + 1 in self.rounds else None


def test_a_stopped_run_is_one_of_fewer_rounds(federation):
    stopped = train(federation, "FedMGDA", on_round=StopAt(3), **PART)
    short = train(federation, "FedMGDA", **PART | dict(rounds=3))
    assert stopped.rounds.tolist() == [0, 2, 3] and stopped.settings["rounds"] == 6
    same(stopped, short)
    assert train(federation, on_round=StopAt(4), **PART).rounds.tolist() == [0, 2, 4]
    assert train(federation, on_round=lambda r: "stop", **PART).rounds[-1] == 6


@pytest.mark.parametrize("local", [LocalSGD(lr=0.1, batch_size=4), FedNL()])
def test_the_other_seeds_go_on(federation, local):
    settings = dict(seed=[0, 1, 2], engine="sequential", **PART | dict(local=local))
    stopped = train(federation, on_round=[StopAt(2), None, StopAt(5)], **settings)
    whole = train(federation, **settings)
    assert [h.rounds[-1] for h in stopped] == [2, 6, 5]
    assert [len(h.participants) for h in stopped] == [2, 6, 5]
    same(stopped[1], whole[1])
    np.testing.assert_array_equal(stopped[0].direction_norm, whole[0].direction_norm[:2])
    np.testing.assert_array_equal(stopped[2].direction_norm, whole[2].direction_norm[:5])


def test_a_stopped_run_stays_stopped_unless_nobody_looks(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    stopped = train(federation, on_round=StopAt(3), **kept)
    same(train(federation, on_round=StopAt(), **kept), stopped)
    same(train(federation, **kept), train(federation, **PART))


def test_runs_that_were_stopped_apart_go_on_only_apart(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", seed=[0, 1], **PART)
    first = train(federation, on_round=[StopAt(3), None], **kept)
    with refused("combination", "on_round", 3, 6):
        train(federation, **kept)
    for one, other in zip(train(federation, on_round=[StopAt(3), None], **kept), first):
        same(one, other)


class Counting:
    """Counts its rounds by ``by``, and raises in one of them."""

    def __init__(self, by=1, raises=None):
        self.count, self.by, self._raises = 0, by, raises

    def __call__(self, r):
        if self._raises == r.round:
            raise KeyError("mine")
        self.count += self.by

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state):
        self.count = state["count"]


def test_what_a_callback_raises_keeps_the_finished_rounds_and_its_state_is_resumed(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1, **PART)
    with pytest.raises(KeyError, match="mine") as caught:
        train(federation, on_round=Counting(raises=3), **kept)
    assert caught.value.history.rounds.tolist() == [0, 2, 4] and len(caught.value.history.rates) == 4
    again = Counting()
    same(train(federation, on_round=again, **kept), train(federation, **PART))
    assert again.count == 6, "three rounds in the checkpoint, three after it"
    other = []
    train(federation, on_round=other.append, **kept | dict(rounds=7))
    assert [r.round for r in other] == [6], "a function starts anew"


OTHERS = {
    "another class": (Counting(), EarlyStop(3, "test"), ["EarlyStop(patience=3, part='test'", "Counting(by=1)"]),
    "another setting": (Counting(), Counting(by=2), ["Counting(by=2)", "Counting(by=1)"]),
    "inside Compose": (Compose(Counting(), print), Compose(print, Counting(2)), ["Counting(by=2)", "Counting(by=1)"]),
    "one more": (Compose(Counting()), Compose(BestModel("test"), Counting()), ["BestModel(part='test', by='mean')"]),
    "one less": (Compose(Counting()), Compose(), ["none", "Counting(by=1)"]),
    "alone": (Compose(Counting()), Counting(), ["on_round is Counting(by=1)", "Compose()"]),
    "a method": (Counting().__call__, Counting(3).__call__, ["Counting(by=3)", "Counting(by=1)"]),
}


@pytest.mark.parametrize("first, other, mentions", OTHERS.values(), ids=OTHERS)
def test_the_state_of_a_callback_is_resumed_by_no_other(federation, tmp_path, first, other, mentions):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    train(federation, on_round=first, **kept | dict(rounds=2))
    with refused("state", "on_round", *mentions):
        train(federation, on_round=other, **kept)
    same(train(federation, on_round=first, **kept), train(federation, **PART))


def test_an_earlier_edition_s_checkpoint_has_no_settings_of_callbacks(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    train(federation, on_round=Compose(Counting(), print), **kept | dict(rounds=2))
    held = torch.load(tmp_path / "c.pt", weights_only=True)
    for run in held["state"]["runs"]:
        del run["callback"]["settings"], run["callback"]["state"]["states"][0]["callback"]["settings"]
    torch.save(held, tmp_path / "c.pt")
    train(federation, on_round=Compose(again := Counting(2)), **kept)
    assert again.count == 2 + 4 * 2


def test_a_method_of_an_object_with_a_state_is_resumed(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    train(federation, on_round=Counting().__call__, **kept | dict(rounds=2))
    again = Counting()
    train(federation, on_round=again.__call__, **kept)
    assert again.count == 6


def test_a_state_that_cannot_be_read_back_is_refused_in_the_first_round(federation, tmp_path):
    counting = Counting()
    counting.state_dict = lambda: {"count": np.float64(1.0)}
    with refused("type", "Counting") as caught:
        train(federation, on_round=counting, checkpoint=tmp_path / "c.pt", **PART)
    assert caught.value.history.rounds[-1] == 0 or len(caught.value.history.participants) == 1


def test_what_is_no_callback_is_refused(federation):
    for given in (3, BestModel, ["x"]):
        with refused("type", "on_round"):
            train(federation, on_round=given, **PART)
    with refused("shape", "on_round"):
        train(federation, on_round=[print, print], **PART)
    with refused("combination", "BestModel", "[BestModel(...) for _ in seeds]"):
        train(federation, on_round=BestModel(), seed=[0, 1], **PART)
    with refused("name", "on_round"):
        sweep(federation, rules="FedAvg", on_round=print)


def test_a_function_sees_all_seeds(federation):
    seen = []
    train(federation, on_round=lambda r: seen.append((r.round, r.seed)), seed=[4, 2], **PART | dict(rounds=2))
    assert seen == [(0, 4), (0, 2), (1, 4), (1, 2)]


@pytest.mark.parametrize("by", ["mean", "worst"])
def test_the_best_model_is_that_of_the_best_evaluation(federation, by):
    best, seen = BestModel(by=by), []
    settings = dict(score="validation", **PART | dict(rounds=12, local=LocalSGD(lr=3.0)))
    history = train(federation, on_round=Compose(best, seen.append), **settings)
    scores = (np.mean if by == "mean" else np.min)(history.validation_accuracy[1:], 1)
    assert best.score == scores.max() and best.round + 1 == history.rounds[1:][scores.argmax()]
    np.testing.assert_array_equal(best.parameters, seen[best.round].parameters)
    train(federation, on_round=best, **settings | dict(rounds=1))
    assert best.round == 0, "a new run starts anew"


def test_in_regression_the_smallest_loss_is_best(federation):
    from fairfl import Dataset

    numbers = partition.iid(Dataset(federation.dataset.inputs, federation.dataset.targets.float()), 3, test=0.2)
    best = BestModel("test", by="worst")
    history = train(numbers, on_round=best, rounds=5, local=LocalSGD(lr=0.02))
    assert best.score == history.loss[1:].max(1).min()


def test_a_part_that_is_not_scored_is_refused(federation):
    with refused("missing", "'validation'", "score="):
        train(federation, on_round=EarlyStop(), **PART)


def test_training_stops_when_patience_ends(federation):
    settings = dict(score="validation", **PART | dict(rounds=40, evaluate_every=1, local=LocalSGD(lr=1.0)))
    stopped = train(federation, on_round=EarlyStop(patience=3), **settings)
    mean = stopped.validation_accuracy[1:].mean(1)
    best = mean.argmax()
    assert stopped.rounds[-1] == best + 1 + 3 < 40 and (mean[best + 1 :] <= mean[best]).all()
    assert train(federation, on_round=EarlyStop(2, least=1.0), **settings).rounds[-1] == 3


def test_patience_is_resumed(federation, tmp_path):
    settings = dict(score="validation", **PART | dict(rounds=40, evaluate_every=1, local=LocalSGD(lr=1.0)))
    whole_best, best = BestModel(), BestModel()
    whole = train(federation, on_round=Compose(whole_best, EarlyStop(3)), **settings)
    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1, **settings)
    before_last = len(whole.participants) - 2

    def broken(r):
        if r.round == before_last:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(federation, on_round=Compose(BestModel(), EarlyStop(3), broken), **kept)
    same(train(federation, on_round=Compose(best, EarlyStop(3)), **kept), whole)
    assert best.round == whole_best.round and torch.equal(best.parameters, whole_best.parameters)


def test_tensorboard_gets_the_curves(federation, tmp_path, monkeypatch):
    made = []

    class Writer:
        def __init__(self, folder, purge_step):
            self.folder, self.purge_step, self.scalars = folder, purge_step, {}
            made.append(self)

        def add_scalar(self, tag, value, step):
            self.scalars.setdefault(tag, []).append((step, value))

        def flush(self):
            pass

    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", SimpleNamespace(SummaryWriter=Writer))
    board = TensorBoard(tmp_path / "logs")
    histories = train(federation, on_round=board, seed=[0, 1], **PART)
    assert [w.folder for w in made] == [str(tmp_path / "logs" / f"seed_{s}") for s in (0, 1)]
    for writer, history in zip(made, histories):
        steps = list(zip(history.rounds[1:].tolist(), history.accuracy[1:].min(1)))
        assert writer.scalars["test/accuracy/worst"] == steps and writer.purge_step == 1
        assert writer.scalars["rates/smallest"] == list(enumerate(history.smallest_rate, 1))
        assert writer.scalars["test/loss/worst"] == list(zip(history.rounds[1:], history.loss[1:].max(1)))


class Unweighted(rules.Rule):
    """No weights; rates only in even rounds."""

    def combine(self, updates: Updates) -> rules.Direction:
        vector = updates.gradients.mean(0)
        return rules.Direction(vector, rates=(updates.gradients @ vector).double() if updates.round % 2 == 0 else None)


def test_weights_and_rates_have_the_places_of_participants(federation, tmp_path):
    def dropped(updates):
        keep = updates.clients != 1 if updates.round == 2 else updates.clients >= 0
        return Updates(updates.gradients[keep], clients=updates.clients[keep], population=4, round=updates.round)

    history = train(federation, "FedAvg", tamper=dropped, **PART)
    absent = history.participants == -1
    assert (
        absent.sum() == 1 and (np.isnan(history.weights) == absent).all() and (np.isnan(history.rates) == absent).all()
    )
    np.testing.assert_allclose(np.nansum(history.weights, axis=1), 1)
    np.testing.assert_allclose(np.nanmin(history.rates, axis=1), history.smallest_rate)
    history.save(tmp_path / "h.npz")
    same(History.load(tmp_path / "h.npz"), history)

    history = train(federation, Unweighted(), **PART)
    assert np.isnan(history.weights).all() and history.weights.shape == history.rates.shape == (6, 4)
    assert np.isnan(history.rates).all(1).tolist() == [False, True] * 3


def test_weights_and_rates_can_be_left_out_and_are_no_setting(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    without = train(federation, record_rates=False, **kept | dict(rounds=2))
    assert without.weights is without.rates is None and "record_rates" not in without.settings
    without.save(tmp_path / "h.npz")
    assert History.load(tmp_path / "h.npz").rates is None
    continued, whole = train(federation, **kept), train(federation, **PART)
    assert np.isnan(continued.rates[:2]).all() and (continued.rates[2:] == whole.rates[2:]).all()
    assert train(federation, record_rates=False, **kept).rates is None
    with refused("type", "record_rates"):
        train(federation, record_rates="no", **PART)


def test_the_best_personal_models_are_those_that_were_scored(federation):
    best, settings = BestModel(), PART | dict(score=["validation"], personal=Ditto(strength=0.1))
    train(federation, on_round=best, **settings)
    until_then = train(federation, **settings | dict(rounds=best.round + 1))
    np.testing.assert_array_equal(best.personal.numpy(), until_then.personal)
    assert until_then.validation_accuracy[-1].mean() == best.score
    common = BestModel()
    train(federation, on_round=common, **PART, score=["validation"])
    assert common.personal is None
