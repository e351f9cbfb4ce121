"""Targets (N, T), one class per token: losses and accuracies are means over a row's tokens, in both engines."""

import functools
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from how_to import token_language_model
from refusals import refused
from torch import nn

from fairfl import Dataset, LocalSGD, attacks, partition, train
from fairfl.clients import FedCorr, FlatModel
from fairfl.clients.evaluation import Scorer
from fairfl.clients.losses import loss_of, token_cross_entropy
from fairfl.clients.slots import Examples
from fairfl.deployment.member import Member

T, C = 4, 5


class Tokens(nn.Module):
    """Logits for each token from its own symbol: (N, T) in, (N, T, C) out."""

    def __init__(self, transposed=False):
        super().__init__()
        self.embedding, self.transposed = nn.Embedding(C, C), transposed

    def forward(self, x):
        out = self.embedding(x)
        return out.transpose(1, 2) if self.transposed else out


class Last(Tokens):
    def forward(self, x):
        return self.embedding(x)[:, -1]


@pytest.fixture
def text():
    g = torch.Generator().manual_seed(0)
    symbols = torch.randint(C, (30, T + 1), generator=g)
    town = torch.arange(30) % 3
    return Dataset(symbols[:, :-1], symbols[:, 1:], tuple("abcde"), columns={"town": town}, name="text")


@pytest.fixture
def federation(text):
    return partition.iid(text, 3, test=0.2, validation=0.2)


def test_a_dataset_of_tokens(text):
    assert text.per_token and text.outputs == C and text.targets.shape == (30, T)
    assert "5 classes for each of 4 tokens" in repr(text)
    assert len(Dataset(text.inputs[:2], [[5, 0, 1], [2, 3, 5]]).classes) == 6  # more classes than rows
    assert not Dataset(text.inputs, text.inputs[:, 0]).per_token
    assert not Dataset(text.inputs.float(), text.inputs.float()).per_token


@pytest.mark.parametrize(
    "targets, mentions",
    [
        (torch.eye(30, dtype=torch.int64), ["(30, 30)", "argmax(1)"]),
        (torch.zeros(30, 1, dtype=torch.int64), ["(30, 1)", "ravel()"]),
        (torch.zeros(30, 3, dtype=torch.bool), ["(30, 3)"]),
        (torch.zeros(30, 3, 2, dtype=torch.int64), ["(30, 3, 2)"]),
    ],
)
def test_one_hot_rows_and_others_are_no_tokens(text, targets, mentions):
    with refused("shape", "targets", *mentions):
        Dataset(text.inputs, targets)


def test_a_class_number_out_of_range_is_refused(text):
    with refused("value", "targets", "(0, 4)", "0 to 3"):
        replace(text, classes=tuple("abcd"))


def test_the_loss_is_the_mean_over_a_row_s_tokens(text):
    outputs, targets = torch.randn(6, T, C), text.targets[:6]
    by_hand = F.cross_entropy(outputs.transpose(1, 2), targets, reduction="none").mean(1)
    assert loss_of(None, text) is token_cross_entropy
    assert torch.allclose(token_cross_entropy(outputs, targets), by_hand, atol=1e-6)


@pytest.mark.parametrize("rows", [30, 1100])
def test_scores_are_means_over_tokens(rows):
    g = torch.Generator().manual_seed(1)
    symbols = torch.randint(C, (rows, T + 1), generator=g)
    data, module = Examples(symbols[:, :-1], symbols[:, 1:]), Tokens()
    lists = [torch.arange(7), torch.arange(5, rows)]
    accuracies, losses = Scorer(data, lists, token_cross_entropy)(module)
    for own, accuracy, loss in zip(lists, accuracies, losses):
        out = module(data.inputs[own]).detach()
        assert float(accuracy) == pytest.approx(float((out.argmax(2) == data.targets[own]).double().mean()))
        expected = F.cross_entropy(out.reshape(-1, C), data.targets[own].reshape(-1))
        assert float(loss) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_a_client_descends_the_mean_over_all_its_tokens(federation, text, engine):
    seen = []
    tamper = lambda updates: seen.append(updates) or updates
    train(federation, model=Tokens(), local=LocalSGD(lr=0.5), rounds=1, engine=engine, tamper=tamper, rule="TERM")
    torch.manual_seed(0)
    module = Tokens()
    for rows, row, loss in zip(federation.train, seen[0].gradients, seen[0].losses):
        module.zero_grad()
        mean = F.cross_entropy(module(text.inputs[rows]).flatten(0, 1), text.targets[rows].flatten())
        mean.backward()
        assert torch.allclose(row, 0.5 * module.embedding.weight.grad.flatten(), atol=1e-6)
        assert float(loss) == pytest.approx(mean.item(), rel=1e-5)


@pytest.mark.parametrize("rule", ["FedMGDA", "AFL", "AdaFed"])
def test_the_engines_agree_and_rules_read_losses_and_accuracies(federation, rule):
    local = LocalSGD(lr=0.3, epochs=2, batch_size=5, clip=1.0)
    given = dict(model=Tokens(), local=local, rounds=3, score=("test", "train", "validation"))
    one, other = (train(federation, rule, engine=engine, **given) for engine in ("sequential", "batched"))
    assert np.allclose(one.parameters, other.parameters, atol=1e-5)
    assert one.train_loss[-1].mean() < one.train_loss[0].mean() and one.accuracy.min() >= 0
    assert one.validation_accuracy.shape == (4, 3)


def transposed(outputs, targets):
    return F.cross_entropy(outputs, targets, reduction="none").mean(1)


@pytest.mark.parametrize(
    "given, mentions",
    [
        (dict(model=Tokens(transposed=True)), ["(2, 5, 4)", "(2, 4, classes)", "transpose(1, 2)"]),
        (dict(model=Tokens(transposed=True), loss=transposed), ["(2, 5, 4)", "transpose(1, 2)"]),
        (dict(model=Last()), ["(2, 5)", "(2, 4, classes)"]),
        (dict(model="char_lstm"), ["(2, 5)", "(2, 4, classes)"]),
        (
            dict(model=Tokens(), loss=lambda o, t: F.cross_entropy(o.transpose(1, 2), t, reduction="none")),
            ["(2, 4)", "(2,)", "mean(1)"],
        ),
    ],
)
def test_another_layout_is_refused_before_the_first_round(federation, given, mentions):
    with refused("shape", *mentions):
        train(federation, rounds=1, **given)


@pytest.mark.parametrize(
    "use",
    [
        lambda text: partition.dirichlet(text, 3, 1.0),
        lambda text: partition.shards(text, 3, 2),
        lambda text: partition.by_class(text, [["a"], ["b"]]),
        lambda text: text.only("a"),
        lambda text: partition.iid(text, 3).class_counts(),
        lambda text: FedCorr().repair(partition.iid(text, 3), Tokens()),
        lambda text: attacks.noisy_labels(partition.iid(text, 3), [0], 0.5),
    ],
    ids=["dirichlet", "shards", "by_class", "only", "class_counts", "FedCorr", "noisy_labels"],
)
def test_what_reads_one_class_per_row_is_refused(text, use):
    with refused("combination", "one class per row", "(30, 4)"):
        use(text)


@pytest.mark.parametrize("scored_on", ["own", "pool"])
def test_authors_are_clients_by_column(text, scored_on):
    federation = partition.by_column(text, "town", test=0.2, scored_on=scored_on)
    assert np.isfinite(train(federation, model=Tokens(), rounds=1).loss).all()


def test_a_loss_by_another_name_is_refused(federation):
    with refused("combination", "class numbers of tokens", "'token_cross_entropy'"):
        train(federation, model=Tokens(), loss="squared", rounds=1)


def test_a_member_scores_and_trains(federation, text):
    module = Tokens()
    member = Member.of(federation, 1, module)
    arrays = dict(module.named_parameters())
    scores, reply = member.score(arrays), member.work(arrays, 0, ["losses", "accuracies"])
    assert 0 <= scores["accuracy"] <= 1 and reply.numbers["losses"] == pytest.approx(1.9, abs=1)


def test_a_checkpoint_resumes_and_tells_the_loss(federation, resumed_and_whole):
    resumed, whole = resumed_and_whole(functools.partial(train, federation, model=Tokens(), rounds=5))
    assert (resumed.parameters == whole.parameters).all()


def test_the_stacked_losses_of_a_gpu_are_those_of_a_scorer(text):
    from fairfl.clients.client_statistics import _stacked_losses

    flat = FlatModel(Tokens())
    models = torch.randn(2, flat.vector.numel())
    rows, data = [torch.arange(3), torch.arange(3, 11)], Examples(text.inputs, text.targets)
    stacked = _stacked_losses(flat, models, rows, data, token_cross_entropy)
    for w, own, loss in zip(models, rows, stacked):
        flat.vector.copy_(w)
        assert float(Scorer(data, [own], token_cross_entropy)(flat.module)[1]) == pytest.approx(float(loss), rel=1e-5)


def test_the_example_trains_over_authors():
    histories = token_language_model.main(rounds=3, texts="made up")
    for history in histories.values():
        assert history.accuracy.shape == (4, 6) and (history.loss[-1] < history.loss[0] - 0.3).all()
