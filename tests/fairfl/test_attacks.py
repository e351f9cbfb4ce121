from unittest.mock import ANY

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, data, partition, rules, train
from fairfl.attacks import Bias, Scaling, noisy_labels
from fairfl.training.description import describe
from fairfl.updates import Updates

G = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [1.0, 1.0, 0.5]], dtype=torch.float64)


def updates(**more):
    given = {
        "losses": [1.0, 2.0, 3.0],
        "clients": torch.tensor([0, 4, 7]),
        "population": 9,
        "extras": {
            "losses_after": torch.tensor([0.5, 1.0, 1.5]),
            "newton_rates": torch.ones(3),
            "accuracies": torch.ones(3),
        },
    }
    return Updates(G, **(given | more))


@pytest.fixture(scope="module")
def offices():
    return partition.by_class(data.load("digits"), [range(8)] * 4 + [[8, 9]], scored_on="pool", test=0.4)


def same(a, b):
    return (
        torch.equal(a.gradients, b.gradients)
        and torch.equal(a.losses, b.losses)
        and a.extras.keys() == b.extras.keys()
        and all(torch.equal(a.extras[name], b.extras[name]) for name in a.extras)
    )


def test_bias_changes_the_reported_losses_of_one_client_and_nothing_else():
    before, after = updates(), Bias(4, 1000.0)(updates())
    assert after.losses.tolist() == [1.0, 1002.0, 3.0]
    assert after.extras["losses_after"].tolist() == [0.5, 1001.0, 1.5]
    assert torch.equal(after.gradients, before.gradients) and torch.equal(
        after.extras["newton_rates"], before.extras["newton_rates"]
    )
    assert before.losses.tolist() == [1.0, 2.0, 3.0], "the attack works on a copy"


@pytest.mark.parametrize(
    "part, row, loss, newton", [("both", 3.0, 6.0, 3.0), ("update", 3.0, 2.0, 3.0), ("loss", 1.0, 6.0, 1.0)]
)
def test_scaling_by_part(part, row, loss, newton):
    after = Scaling(4, 3.0, part)(updates())
    assert torch.equal(after.gradients[1], row * G[1]) and torch.equal(after.gradients[[0, 2]], G[[0, 2]])
    assert after.losses.tolist() == [1.0, loss, 3.0] and after.extras["newton_rates"].tolist() == [1.0, newton, 1.0]
    assert after.extras["accuracies"].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("attack", [Bias(3, 5.0), Scaling(3, 5.0), Bias(4, 0.0), Scaling(4, 1.0)])
def test_who_sits_out_or_adds_nothing_changes_nothing(attack):
    assert same(attack(updates()), updates())


def test_losses_that_nobody_asked_for_stay_away():
    bare = updates(losses=None, extras={})
    assert Bias(4, 1000.0)(bare).losses is None and Scaling(4, 2.0)(bare).losses is None


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (lambda: Bias(9, 1.0)(updates()), "value", ["client is 9", "0 to 8"]),
        (lambda: Scaling(-1, 2.0), "value", ["client is -1", "0 or more"]),
        (lambda: Bias("5", 2.0), ANY, ["the attacking client is '5'", "0 or more"]),
        (lambda: Bias(0, float("inf")), "value", ["constant is inf"]),
        (lambda: Scaling(0, 0.0), "value", ["factor is 0.0"]),
        (lambda: Scaling(0, 2.0, "updates"), "name", ["'updates'", "Did you mean 'update'?"]),
    ],
)
def test_refusals_teach(make, kind, mentions):
    with refused(kind, *mentions):
        make()


@pytest.mark.parametrize(
    "rule, moves",
    [
        (rules.FedAvg(), (False, True)),
        (rules.FedAvgN(), (False, False)),
        (rules.FedMGDA(), (False, True)),
        (rules.FedMGDAPlus(), (False, False)),
        (rules.QFedAvg(), (True, True)),
        (rules.TERM(), (True, True)),
        (rules.AdaFed(), (True, False)),
    ],
)
def test_whom_bias_and_scaling_move(rule, moves):
    calm = rule.direction(updates()).vector
    for attack, moved in zip((Bias(4, 1000.0), Scaling(4, 10.0)), moves):
        assert (torch.linalg.norm(rule.direction(attack(updates())).vector - calm) > 1e-9) == moved, (rule.name, attack)


def test_attacks_fit_train_and_are_part_of_its_settings(offices):
    run = lambda **more: train(offices, "FedMGDAPlus", rounds=2, **more)
    calm, biased, scaled = run(), run(tamper=Bias(4, 1000.0)), run(tamper=Scaling(4, 4.0))
    assert np.array_equal(calm.parameters, biased.parameters)
    assert np.allclose(calm.parameters, scaled.parameters, atol=1e-6)
    assert len({str(h.settings["tamper"]) for h in (calm, biased, scaled)}) == 3
    assert describe(Bias(4, 1.0)) != describe(Bias(4, 2.0)) != describe(Scaling(4, 2.0))


def test_noisy_labels_change_the_named_share_of_the_named_clients_training_rows(offices):
    noisy = noisy_labels(offices, [1, 4], 0.3)
    changed = noisy.dataset.targets != offices.dataset.targets
    for client, rows in enumerate(offices.train):
        assert int(changed[rows].sum()) == (round(0.3 * len(rows)) if client in (1, 4) else 0)
    assert not changed[torch.cat(offices.test)].any()
    assert int(noisy.dataset.targets.min()) >= 0 and int(noisy.dataset.targets.max()) <= 9
    assert "0.3 of the training labels of clients 1, 4 wrong" in noisy.dataset.variant
    assert noisy.recipe["noisy_labels"]["fraction"] == 0.3 and noisy.digest == offices.digest


def test_label_noise_is_keyed(offices):
    both, alone = noisy_labels(offices, [1, 4], 0.5, seed=3), noisy_labels(offices, 4, 0.5, seed=3)
    mine = offices.train[4]
    assert torch.equal(both.dataset.targets[mine], alone.dataset.targets[mine])
    assert not torch.equal(noisy_labels(offices, 4, 0.5, seed=4).dataset.targets, alone.dataset.targets)
    assert torch.equal(noisy_labels(offices, 4, 0.0).dataset.targets, offices.dataset.targets)
    everything = noisy_labels(offices, 4, 1.0).dataset.targets[mine]
    assert not (everything == offices.dataset.targets[mine]).any()


def test_wrong_labels_hurt_who_has_them(offices):
    local = LocalSGD(lr=0.5)
    clean = train(offices, rounds=30, local=local).accuracy[-1, 4]
    assert train(noisy_labels(offices, 4, 0.8), rounds=30, local=local).accuracy[-1, 4] < clean - 0.1


@pytest.mark.parametrize(
    "clients, fraction, kind, mentions",
    [
        (5, 0.1, "value", ["client", "is 5", "0 to 4"]),
        ([1, 1], 0.1, "combination", ["clients is [1, 1]"]),
        (1, 1.5, "value", ["fraction is 1.5", "0 to 1"]),
        (1, -0.1, "value", ["fraction is -0.1", "0 to 1"]),
        (1.5, 0.1, ANY, ["a client with noisy labels is 1.5", "0 to 4"]),
        (None, 0.1, ANY, ["is None"]),
        ("1", 0.1, ANY, ["is '1'"]),
        (True, 0.1, ANY, ["is True"]),
        ([[1]], 0.1, ANY, ["is [1]"]),
    ],
)
def test_noisy_labels_refusals(offices, clients, fraction, kind, mentions):
    with refused(kind, *mentions):
        noisy_labels(offices, clients, fraction)


def test_clients_may_be_of_any_integer_kind(offices):
    digest = noisy_labels(offices, [1, 3], 0.5).dataset.digest
    for clients in (np.array([1, 3]), torch.tensor([1, 3]), (np.int64(1), torch.tensor(3)), {1, 3}):
        assert noisy_labels(offices, clients, 0.5).dataset.digest == digest
    one = noisy_labels(offices, 1, 0.5)
    for client in (np.int64(1), torch.tensor(1)):
        assert noisy_labels(offices, client, 0.5).recipe == one.recipe
    with refused("type", "federation is 'offices'", "a Federation"):
        noisy_labels("offices", 1, 0.5)
