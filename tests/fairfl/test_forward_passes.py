"""Losses at w_t are taken once: what a round asks for twice is not computed twice."""

import pytest
import torch

from fairfl import LocalSGD, WeightRule, data, partition, rules, train
from fairfl.clients.losses import cross_entropy


class Counting:
    """Cross-entropy that counts the rows of its evaluations (those without a gradient)."""

    def __init__(self):
        self.rows = 0

    def __call__(self, outputs, targets):
        self.rows += 0 if outputs.requires_grad else len(targets)
        return cross_entropy(outputs, targets)


class Both(WeightRule):
    needs = ("losses", "accuracies")

    def weights(self, updates):
        return updates.losses / updates.losses.sum()


FEDERATION = partition.iid(data.load("digits"), 4, seed=0)
TRAIN, TEST = (len(torch.cat(getattr(FEDERATION, part)).unique()) for part in ("train", "test"))


def counted(rule, rounds=3, **settings):
    loss = Counting()
    h = train(
        FEDERATION, rule, rounds=rounds, local=LocalSGD(), loss=loss, progress=False, engine="sequential", **settings
    )
    return loss.rows, h


@pytest.mark.parametrize(
    "rule, reads", [(rules.FedAvg(), 0), (rules.TERM(), 1), (Both(), 1), (rules.AFL(), 1)], ids=repr
)
def test_a_round_scores_training_rows_once_for_all_that_a_rule_needs(rule, reads):
    tried = counted(rules.FedAvg(), rounds=1)[0] - 2 * TEST
    assert counted(rule)[0] - tried == 4 * TEST + 3 * reads * TRAIN


def test_what_was_scored_after_a_round_is_not_scored_again_before_the_next():
    tried = counted(rules.FedAvg(), rounds=1)[0] - 2 * TEST
    alone, told = counted(rules.TERM(), score="test"), counted(rules.TERM(), score=("test", "train"))
    assert told[0] - tried == 4 * (TEST + TRAIN)
    assert (told[1].parameters == alone[1].parameters).all() and (told[1].loss == alone[1].loss).all()


def test_what_is_reported_is_not_what_clients_start_from():
    _, told = counted(rules.AFL(), rounds=6, score=("test", "train"))
    assert (told.parameters == counted(rules.AFL(), rounds=6)[1].parameters).all()
