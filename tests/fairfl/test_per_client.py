"""Clients that do unequal work."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, partition, rules, sweep, train
from fairfl.clients import Correction, Ditto, FedNL, PerClient

UNEQUAL = [
    LocalSGD(lr=0.3),
    LocalSGD(lr=0.1, epochs=3, batch_size=7, momentum=0.5),
    LocalSGD(lr=0.1, epochs=3, batch_size=7, steps=4),
    LocalSGD(lr=0.01, optimiser="adam", batch_size=4, proximal=0.1),
    LocalSGD(lr=0.3),
]


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 5, 1.0, min_size=5, test=0.2, validation=0.1)


def caught(federation, **settings):
    """Every round's updates, in one list; for several seeds, the runs after one another in each round."""
    seen = []
    train(federation, tamper=lambda updates: seen.append(updates) or updates, **dict(rounds=2) | settings)
    return seen


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_every_client_does_its_own_work(federation, engine):
    """A client's first row is the row that it sends where all clients work as it does."""
    mixed = caught(federation, local=UNEQUAL, engine=engine, rounds=1)[0]
    for client, local in enumerate(UNEQUAL):
        alone = caught(federation, local=local, engine=engine, rounds=1)[0]
        assert torch.allclose(mixed.gradients[client], alone.gradients[client], atol=1e-6)
        assert engine == "batched" or torch.equal(mixed.gradients[client], alone.gradients[client])


def test_the_engines_agree(federation):
    one, other = (train(federation, local=UNEQUAL, rounds=3, engine=e).parameters for e in ("sequential", "batched"))
    assert np.allclose(one, other, atol=1e-5)


def test_lists_mappings_and_functions_are_the_same(federation):
    ways = [UNEQUAL, tuple(UNEQUAL), dict(enumerate(UNEQUAL)), lambda k: UNEQUAL[k], PerClient.of(UNEQUAL, 5)]
    histories = [train(federation, local=way, rounds=2) for way in ways]
    for history in histories[1:]:
        assert (history.parameters == histories[0].parameters).all()
        assert history.settings["local"] == histories[0].settings["local"]
    assert histories[0].settings["local"]["of_client"] == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_equal_entries_give_the_bits_of_one_for_all(federation, engine):
    local = LocalSGD(lr=0.1, epochs=2, batch_size=7)
    one, each = (train(federation, local=given, rounds=2, engine=engine) for given in (local, [local] * 5))
    assert (one.parameters == each.parameters).all()


def test_with_several_seeds_a_list_still_means_clients(federation):
    five = train(federation, local=UNEQUAL, rounds=2, seed=[3, 4, 5, 6, 7], engine="sequential")
    alone = train(federation, local=UNEQUAL, rounds=2, seed=4, engine="sequential")
    assert (five[1].parameters == alone.parameters).all()


def test_a_participant_keeps_its_own_work_when_others_are_away(federation):
    mixed = caught(federation, local=UNEQUAL, participation=0.4, rounds=4, engine="batched")
    steps = caught(federation, local=UNEQUAL, participation=0.4, rounds=4, engine="sequential")
    assert len({tuple(u.clients.tolist()) for u in mixed}) > 1
    for one, other in zip(mixed, steps):
        assert torch.allclose(one.gradients, other.gradients, atol=1e-5)


class Reads(rules.WeightRule):
    needs = ("pseudo_lr", "newton_rates")

    def weights(self, updates):
        return torch.full((len(updates),), 1 / len(updates), dtype=torch.float64)


def test_rates_and_step_sizes_are_each_client_s_own(federation):
    local = [LocalSGD(lr=0.1 * (k + 1), epochs=k + 1) for k in range(5)]
    first = caught(federation, rule=Reads(), local=local)[0]
    assert first.extras["pseudo_lr"].tolist() == pytest.approx([0.1 * (k + 1) ** 2 for k in range(5)])
    rates = first.gradients.double().square().sum(1)
    assert torch.allclose(first.extras["newton_rates"], rates, rtol=1e-5)
    assert first.local_lr is None


def test_newton_rates_of_later_rounds_use_each_client_s_own_step_size(federation):
    """From the pairs of a client's visits, as ``newton_rates`` says, with this client's sum of step sizes."""
    from fairfl.clients.lbfgs import LBFGS

    local, starts = [LocalSGD(lr=0.1 * (k + 1)) for k in range(5)], []

    class Keeps(Reads):
        def observe(self, w):
            starts.append(w.clone())

    seen = caught(federation, rule=Keeps(), local=local, rounds=2)
    for client in range(5):
        lr = 0.1 * (client + 1)
        bfgs = LBFGS()
        start = starts[0] + seen[0].gradients.mean(0)
        bfgs.observe(start, seen[0].gradients[client] / lr)
        gradient = seen[1].gradients[client] / lr
        bfgs.observe(starts[0], gradient)
        expected = float(lr * (gradient @ bfgs.times(gradient, lr)))
        assert float(seen[1].extras["newton_rates"][client]) == pytest.approx(expected, rel=1e-3)


def test_a_rule_that_needs_one_step_size_is_refused_if_they_differ(federation):
    with refused("combination", "q-FedAvg", "step sizes differ", "L="):
        train(federation, "QFedAvg", local=[LocalSGD(lr=0.1 + 0.1 * k) for k in range(5)], rounds=1)
    train(federation, rules.QFedAvg(L=10.0), local=[LocalSGD(lr=0.1 + 0.1 * k) for k in range(5)], rounds=1)
    unequal = [LocalSGD(lr=0.1, epochs=k + 1) for k in range(5)]
    assert caught(federation, rule="QFedAvg", local=unequal)[0].local_lr == 0.1


@pytest.mark.parametrize("more", [dict(momentum=0.9), dict(optimiser="adam"), dict(clip=1.0)], ids=str)
def test_q_fedavg_takes_its_l_only_from_steps_of_plain_sgd(federation, more):
    for local in (LocalSGD(lr=0.1, **more), [LocalSGD(lr=0.1)] * 4 + [LocalSGD(lr=0.1, **more)]):
        for rule in (rules.QFedAvg(), rules.WithMemory(rules.QFedAvg())):
            with refused("combination", "q-FedAvg", "plain SGD", "momentum", "L="):
                train(federation, rule, local=local, rounds=1)
        train(federation, rules.QFedAvg(L=10.0), local=local, rounds=1)
        train(federation, rules.QFedAvg(q=0), local=local, rounds=1)


def test_a_rule_that_needs_gradients_refuses_one_client_s_adam(federation):
    with refused("combination", "DQN-Fed", "local adam"):
        train(federation, "DQNFed", local=UNEQUAL, rounds=1)


class Scaffold(Correction):
    keeps = ("control",)

    def gradient(self, g, w, start, own, common):
        return g - own["control"] + common["control"]

    def after(self, delta, start, own, common, step_sizes):
        return {"control": own["control"] - common["control"] + delta / step_sizes}


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_a_correction_sees_each_client_s_own_steps(federation, engine):
    correct = Scaffold()
    local = [LocalSGD(lr=0.1 * (k + 1), epochs=k + 1, correct=correct) for k in range(5)]
    first, second = caught(federation, local=local, engine=engine)
    plain = [LocalSGD(lr=0.1 * (k + 1), epochs=k + 1) for k in range(5)]
    before, after = caught(federation, local=plain, engine=engine)
    assert torch.allclose(first.gradients, before.gradients, atol=1e-6)  # controls are zero in the first round
    controls = torch.stack([g / (0.1 * (k + 1) ** 2) for k, g in enumerate(first.gradients)])
    corrected = after.gradients[0] + 0.1 * (controls.mean(0) - controls[0])  # client 0 takes one step of 0.1
    assert torch.allclose(second.gradients[0], corrected, atol=1e-6)
    assert not torch.allclose(second.gradients[0], after.gradients[0], atol=1e-3)


def test_personal_models_go_beside_unequal_work(federation):
    history = train(federation, local=UNEQUAL, personal=Ditto(0.1), rounds=2)
    assert np.isfinite(history.loss).all()


@pytest.mark.parametrize(
    "given, kind, mentions",
    [
        (UNEQUAL[:4], "shape", ["local", "4", "5, one per client"]),
        ([], "shape", ["local", "0", "5"]),
        ([*UNEQUAL[:4], 0.1], "type", ["client 4's local", "0.1"]),
        ([*UNEQUAL[:4], FedNL()], "type", ["client 4's local", "FedNL"]),
        (lambda k: None, "type", ["client 0's local", "None"]),
        ({0: UNEQUAL[0], 5: UNEQUAL[1]}, "shape", ["0 to 4"]),
        (PerClient.of(UNEQUAL[:2], 2), "shape", ["local", "2", "5"]),
        ([*UNEQUAL[:4], LocalSGD(correct=Scaffold())], "combination", ["client 4's local.correct"]),
        (LocalSGD, "type", ["local", "LocalSGD()"]),
    ],
)
def test_what_is_no_list_of_clients_is_refused(federation, given, kind, mentions):
    with refused(kind, *mentions):
        train(federation, local=given, rounds=1)


def test_a_checkpoint_tells_them_apart(federation, tmp_path):
    run = lambda local: train(federation, local=local, rounds=1, checkpoint=tmp_path / "c.pt")
    run(UNEQUAL)
    run(lambda k: UNEQUAL[k])  # the settings are compared, not the function that made them
    with refused("state", "local.of_client"):
        run([*UNEQUAL[:4], UNEQUAL[1]])
    with refused("state", "local"):
        run([*UNEQUAL[:4], LocalSGD(lr=0.31)])
    with refused("state", "local"):
        run(UNEQUAL[0])


def test_broken_off_and_resumed_it_ends_with_the_same_bits(federation, resumed_and_whole):
    resumed, whole = resumed_and_whole(lambda **more: train(federation, local=UNEQUAL, **more))
    assert (resumed.parameters == whole.parameters).all()


def test_a_sweep_takes_them_under_a_label(federation):
    local = {"equal": LocalSGD(lr=0.3), "unequal": PerClient.of(UNEQUAL, 5)}
    table = sweep(federation, rules="FedAvg", local=local, rounds=1)
    assert set(table["local"]) == {"equal", "unequal"}


def test_ten_thousand_clients_are_grouped_quickly():
    found = PerClient.of(lambda k: LocalSGD(epochs=1 + k % 3), 10_000)
    assert len(found.methods) == 3 and found.method(9_998).epochs == 1 + 9_998 % 3
