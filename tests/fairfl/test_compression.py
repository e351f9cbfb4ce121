"""Clipping, noise and compression of updates, alone and in a chain, and the state that a checkpoint keeps of them."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, Updates, attacks, partition, train
from fairfl.attacks import Chain, Clip, GaussianNoise, Scaling, TopK

PART = dict(rounds=6, local=LocalSGD(lr=0.3))
G = torch.tensor([[3.0, 4.0, 0.0], [0.3, 0.0, -0.4], [0.0, 0.0, 0.0]])


@pytest.fixture
def federation(small):
    return partition.iid(small, 4, test=0.2)


def updates(gradients=G, **more):
    return Updates(gradients, losses=[1.0, 2.0, 3.0], **more)


class Stop:
    """Interrupts a run; when is no setting of it."""

    def __init__(self, round=None):
        self._round = round

    def __call__(self, updates):
        if updates.round == self._round:
            raise InterruptedError
        return updates


def test_clip_shortens_long_updates_and_leaves_everything_else():
    before, after = updates(), Clip(2.5)(updates())
    torch.testing.assert_close(after.gradients, torch.tensor([[1.5, 2.0, 0.0], [0.3, 0.0, -0.4], [0.0, 0.0, 0.0]]))
    assert torch.equal(after.gradients[1:], G[1:]) and torch.equal(after.losses, before.losses)
    assert torch.equal(before.gradients, G), "the updates that were passed are unchanged"
    huge = Clip(1.0)(Updates(torch.full((1, 4), 1e30)))
    torch.testing.assert_close(huge.gradients, torch.full((1, 4), 0.5))


def test_noise_has_its_deviation_and_is_keyed_by_seed_round_and_client():
    zero = torch.zeros(2, 40_000, dtype=torch.float64)
    made = lambda clients=(0, 1), round=0, seed=0: GaussianNoise(0.5, seed)(
        Updates(zero, clients=clients, population=9, round=round)
    )
    noise = made().gradients
    # Four standard errors: of the mean 0.01, of the deviation 0.0071.
    assert noise.mean(1).abs().max() < 0.01 and (noise.std(1) - 0.5).abs().max() < 0.0071
    assert abs(float(torch.corrcoef(noise)[0, 1])) < 0.02
    assert torch.equal(made().gradients, noise)
    assert torch.equal(made(clients=(1, 5)).gradients[0], noise[1]), "whoever else takes part"
    for other in (made(round=1), made(seed=1), made(clients=(2, 3))):
        assert (other.gradients != noise).any(1).all()
    assert torch.equal(GaussianNoise(0.0)(updates()).gradients, G)


@pytest.mark.parametrize("fraction, d, kept", [(0.1, 30, 3), (0.1, 31, 4), (0.01, 5, 1), (1.0, 5, 5), (0.7, 10, 7)])
def test_top_k_keeps_the_largest_entries(fraction, d, kept):
    rows = torch.randn(3, d, generator=torch.Generator().manual_seed(0))
    sent = TopK(fraction, error_feedback=False)(updates(rows)).gradients
    assert (sent != 0).sum(1).tolist() == [kept] * 3
    for row, full in zip(sent, rows):
        assert torch.equal(row[row != 0], full[row != 0])
        assert kept == d or full[row == 0].abs().max() <= row[row != 0].abs().min()


def test_error_feedback_sends_everything_in_the_end_and_keeps_clients_apart():
    compress = TopK(0.34)
    first = torch.tensor([[3.0, 2.0, 1.0], [0.0, 5.0, 6.0]])
    sent = compress(Updates(first, clients=[0, 2], population=3)).gradients
    assert sent.tolist() == [[3.0, 2.0, 0.0], [0.0, 5.0, 6.0]]
    again = compress(Updates(torch.zeros(2, 3), clients=[1, 0], population=3, round=1)).gradients
    assert again.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    generator = torch.Generator().manual_seed(1)
    compress, sent, sums = TopK(0.2), 0, 0
    for t in range(20):
        rows = torch.randn(3, 10, generator=generator, dtype=torch.float64)
        sums, sent = sums + rows, sent + compress(updates(rows, round=t)).gradients
    left = torch.stack([compress.state_dict()["held_back"][k] for k in range(3)])
    torch.testing.assert_close(sent + left, sums)


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (lambda: Clip(0.0), "value", ["norm is 0.0"]),
        (lambda: Clip("1"), "type", ["norm is '1'"]),
        (lambda: GaussianNoise(-0.1), "value", ["std is -0.1"]),
        (lambda: GaussianNoise(0.1, 0.5), "type", ["seed is 0.5"]),
        (lambda: TopK(0.0), "value", ["fraction is 0.0"]),
        (lambda: TopK(3), "value", ["fraction is 3"]),
        (lambda: TopK(0.5, "yes"), "type", ["error_feedback is 'yes'"]),
        (lambda: TopK(0.5).load_state_dict({}), "state", ["TopK", "held_back"]),
        (lambda: Chain(), "missing", ["Chain"]),
        (lambda: Chain([Clip(1.0)]), "type", ["a link of Chain", "one by one"]),
        (lambda: Chain(Clip), "type", ["a link of Chain"]),
        (lambda: Chain(TopK(0.5)).load_state_dict({}), "state", ["another Chain"]),
    ],
)
def test_refusals(make, kind, mentions):
    with refused(kind, *mentions):
        make()


def test_a_chain_applies_its_links_in_order():
    both = Chain(Clip(1.0), Scaling(0, 10.0))
    assert both(updates()).gradients[0].norm() == pytest.approx(10.0)
    assert Chain(Scaling(0, 10.0), Clip(1.0))(updates()).gradients[0].norm() == pytest.approx(1.0)
    assert repr(both) == "Chain(Clip(norm=1.0), Scaling(client=0, factor=10.0, part='both'))"


@pytest.mark.parametrize(
    "make",
    [
        lambda stop: Chain(TopK(0.3), Stop(stop)),
        lambda stop: Chain(Stop(stop), Clip(1.0), Chain(TopK(0.3), GaussianNoise(0.01))),
        lambda stop: Chain(TopK(0.3).__call__, Stop(stop)),
    ],
)
@pytest.mark.parametrize("participation", [1.0, 0.5])
def test_what_clients_held_back_outlives_an_interrupt(federation, tmp_path, make, participation):
    settings = PART | {"participation": participation, "seed": [0, 1]}
    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1, **settings)
    with pytest.raises(InterruptedError):
        train(federation, tamper=make(4), **kept)
    for one, other in zip(
        train(federation, tamper=make(None), **kept), train(federation, tamper=make(None), **settings)
    ):
        assert (one.parameters == other.parameters).all() and (one.loss == other.loss).all()


class Saved(TopK):
    def __init__(self, fraction, stop=None):
        super().__init__(fraction)
        self._stop = Stop(stop)

    def __call__(self, updates):
        return super().__call__(self._stop(updates))


@pytest.mark.parametrize("participation", [1.0, 0.5])
def test_top_k_alone_is_saved_too(federation, tmp_path, participation):
    settings = PART | {"participation": participation}
    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1, **settings)
    with pytest.raises(InterruptedError):
        train(federation, tamper=Saved(0.3, stop=4), **kept)
    whole = train(federation, tamper=TopK(0.3), **settings)
    assert (train(federation, tamper=Saved(0.3), **kept).parameters == whole.parameters).all()


@dataclass
class Counts:
    """Has a state that it does not declare."""

    calls: list = field(default_factory=list)

    def __call__(self, updates):
        self.calls.append(1)
        return replace(updates, gradients=updates.gradients * len(self.calls))


def test_a_link_with_undeclared_state_is_refused_as_it_would_be_alone(federation, tmp_path):
    for tamper in (Counts(), Chain(Clip(1.0), Counts()), Chain(TopK(0.5), Chain(Counts()))):
        with refused("state", "tamper Counts", "calls"):
            train(federation, tamper=tamper, checkpoint=tmp_path / "c.pt", **PART)
        assert train(federation, tamper=tamper, **PART).rounds[-1] == 6


@pytest.mark.parametrize("make", [lambda: TopK(0.3), lambda: Chain(TopK(0.3), Clip(1.0)), Counts])
def test_every_seed_and_every_call_has_its_own_copy(federation, make):
    given, settings = make(), PART | {"engine": "sequential"}
    both = train(federation, tamper=given, seed=[0, 1], **settings)
    for seed, one in enumerate(both):
        alone = train(federation, tamper=make(), seed=seed, **settings)
        again = train(federation, tamper=given, seed=seed, **settings)
        assert (one.parameters == alone.parameters).all() and (again.parameters == alone.parameters).all()


def test_links_and_their_settings_are_part_of_a_runs_identity(federation, tmp_path):
    path = tmp_path / "c.pt"
    train(federation, tamper=Chain(Clip(1.0), TopK(0.5)), checkpoint=path, **PART)
    for other in (
        Chain(Clip(2.0), TopK(0.5)),
        Chain(TopK(0.5), Clip(1.0)),
        Chain(Clip(1.0), TopK(0.5, False)),
        Clip(1.0),
    ):
        with refused("state", "tamper"):
            train(federation, tamper=other, checkpoint=path, **PART)


def test_sending_a_tenth_with_error_feedback_still_learns(federation):
    settings = dict(rounds=40, local=LocalSGD(lr=0.3))
    losses = {
        name: float(np.mean(train(federation, tamper=tamper, score="train", **settings).train_loss[-1]))
        for name, tamper in {"all": None, "feedback": TopK(0.1), "lost": TopK(0.1, error_feedback=False)}.items()
    }
    assert losses["all"] < losses["feedback"] < losses["lost"] and losses["feedback"] < losses["all"] + 0.1, losses


def test_public_names():
    assert attacks.__all__ == ["Bias", "Chain", "Clip", "GaussianNoise", "Scaling", "TopK", "noisy_labels"]
