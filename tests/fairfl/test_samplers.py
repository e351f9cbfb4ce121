"""Who takes part in a round: numbers, built-in samplers, samplers of one's own, and what a rule reads of them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, Server, Updates, WeightRule, partition, rules, sweep, train
from fairfl._randomness import generator
from fairfl.clients import Correction, Ditto, FedNL
from fairfl.errors import Refused
from fairfl.training import CyclicSampler, PoissonSampler, SizeSampler, UniformSampler
from fairfl.training.samplers import draw, sampler_of

N = 6
PART = dict(rounds=5, local=LocalSGD(lr=0.3, batch_size=4))


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, N, 0.7, test=0.2, min_size=2)


class Given:
    """Answers with what it was given."""

    def __init__(self, *answers):
        self.answers = answers

    def sample(self, round, generator):
        return self.answers[round % len(self.answers)]


class Turns:
    """Keeps its place between rounds; ``Kept`` can be saved, and stops where it is told."""

    def __init__(self, stop=None):
        self._place, self._stop = 0, stop

    def sample(self, round, generator):
        if round == self._stop:
            raise InterruptedError
        self._place += 1 + int(torch.randint(3, (1,), generator=generator))
        return [self._place % N, (self._place + 1) % N]


class Kept(Turns):
    def state_dict(self):
        return {"place": self._place}

    def load_state_dict(self, state):
        self._place = state["place"]


class Inverse(WeightRule):
    """Horvitz and Thompson's estimate of the mean over all clients; remembers what it read."""

    needs = frozenset({"inclusion"})
    seen = {}

    def weights(self, updates):
        self.seen[updates.round] = (updates.clients.tolist(), updates.extras["inclusion"].tolist())
        return 1 / (updates.population * updates.extras["inclusion"])


def frequencies(sampler, rounds=1000):
    """How often each client was drawn, and how often each pair was, over ``rounds``."""
    taken = torch.zeros(rounds, sampler.population)
    for t in range(rounds):
        taken[t, list(draw(sampler, 0, t, sampler.population).clients)] = 1
    return taken.mean(0), taken.T @ taken / rounds


def test_a_fraction_draws_what_it_always_drew(federation):
    history = train(federation, participation=0.5, seed=3, **PART)
    for t, clients in enumerate(history.participants.tolist()):
        assert clients == torch.randperm(N, generator=generator(3, "participation", t))[:3].sort().values.tolist()
    assert history.settings["participation"] == 0.5
    assert train(federation, participation=1.0, **PART).participants.tolist() == [list(range(N))] * 5


@pytest.mark.parametrize(
    "participation", [3, np.int64(3), torch.tensor(3), UniformSampler(3, N), UniformSampler(0.5, N)]
)
def test_a_whole_number_above_one_counts_clients(federation, participation):
    counted, half = train(federation, participation=participation, **PART), train(federation, participation=0.5, **PART)
    assert (counted.parameters == half.parameters).all() and (counted.participants == half.participants).all()


def test_one_is_everybody_whatever_its_type(federation):
    for one in (1, 1.0, np.float32(1), True + 0.0, N):
        assert train(federation, participation=one, rounds=1).participants.tolist() == [list(range(N))]


@pytest.mark.parametrize(
    "participation, kind, mentions",
    [
        (N + 1, "value", [f"participation is {N + 1}", f"2 to {N}"]),
        (2.5, "value", ["participation is 2.5", "whole number above 1"]),
        (5.0, "value", ["participation is 5.0"]),
        (0, "value", ["participation is 0"]),
        (-3, "value", ["participation is -3"]),
        (True, "type", ["participation is True"]),
        ("all", "type", ["participation is 'all'"]),
        (None, "type", ["participation is None"]),
        (UniformSampler, "type", ["UniformSampler", "an instance"]),
        (draw, "type", ["participation is <function draw", "sample(round, generator)"]),
        (UniformSampler(3, N + 4), "combination", ["UniformSampler", N + 4, N]),
        (SizeSampler(2, [1, 2, 3]), "combination", ["SizeSampler", 3, N]),
        (Given([0, N]), "value", ["Given in round 0", N, f"0 to {N - 1}"]),
        (Given([0, -1]), "value", ["Given in round 0", "-1"]),
        (Given([0, 2, 2]), "value", ["Given in round 0", "is 2", "each client once"]),
        (Given([0.0, 1.0]), "type", ["Given in round 0", "0.0"]),
        (Given(torch.ones(N, dtype=torch.bool)), "type", ["Given in round 0", "nonzero"]),
        (Given(None), "type", ["Given in round 0", "None"]),
        (Given("01"), "type", ["Given in round 0", "'0'"]),
        (Given([[0, 1]]), "type", ["Given in round 0"]),
        (Given(([0, 1], [0.5])), "shape", ["Given in round 0", "(2,)"]),
        (Given(([0, 4], [0.5, 0.0])), "value", ["client 4", "Given in round 0", "0.0"]),
        (Given(([0, 4], [0.5, 1.5])), "value", ["client 4", "1.5"]),
        (Given(([0, 4], [0.5, float("nan")])), "value", ["client 4", "nan"]),
        (Given(([0, 4], ["a", "b"])), "type", ["Given in round 0"]),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(federation, participation, kind, mentions):
    with refused(kind, *mentions):
        train(federation, participation=participation, **PART)


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (lambda: UniformSampler(0.5, 0), "value", ["population is 0"]),
        (lambda: CyclicSampler(7, 6), "value", ["participation is 7"]),
        (lambda: SizeSampler(2, [3, 0, 1]), "value", ["client 1", "is 0"]),
        (lambda: SizeSampler(2, [3, 0.5, 1]), "type", ["client 0", "is 3.0"]),
        (lambda: SizeSampler(2, 3), "shape", ["sizes", "federation.sizes"]),
        (lambda: PoissonSampler(0.5), "missing", ["population"]),
        (lambda: PoissonSampler(0.0, 5), "value", ["rate is 0.0"]),
        (lambda: PoissonSampler([0.5, 1.5]), "value", ["client 1", "1.5"]),
        (lambda: PoissonSampler([0.5, 0.5], 3), "shape", ["rate", "(3,)"]),
    ],
)
def test_settings_of_samplers(make, kind, mentions):
    with refused(kind, *mentions):
        make()


@pytest.mark.parametrize(
    "sampler, expected",
    [
        (UniformSampler(2, 5), [0.4] * 5),
        (SizeSampler(2, [10, 20, 30, 40]), [0.2, 0.4, 0.6, 0.8]),
        (SizeSampler(3, [1, 1, 2, 100]), [0.5, 0.5, 1.0, 1.0]),
        (SizeSampler(4, [5, 1, 2, 100]), [1.0] * 4),
        (PoissonSampler([0.1, 0.5, 0.9]), [0.1, 0.5, 0.9]),
        (PoissonSampler(0.3, 3), [0.3] * 3),
    ],
)
def test_clients_are_drawn_as_often_as_their_inclusion_probability_says(sampler, expected):
    stated = torch.zeros(sampler.population, dtype=torch.float64)
    for t in range(200):
        drawn = draw(sampler, 1, t, sampler.population)
        stated[list(drawn.clients)] = drawn.inclusion
        if not isinstance(sampler, PoissonSampler):
            assert len(drawn.clients) == sampler.count
    torch.testing.assert_close(stated, torch.tensor(expected, dtype=torch.float64))
    found, pairs = frequencies(sampler)
    # Four standard deviations of a mean of 1,000 draws are at most 0.063.
    assert (found - stated).abs().max() < 0.063
    if isinstance(sampler, PoissonSampler):
        off = ~torch.eye(len(found), dtype=torch.bool)
        assert (pairs - torch.outer(found, found))[off].abs().max() < 0.063, "independent of one another"


def test_every_pair_by_size_can_be_drawn_together():
    _, pairs = frequencies(SizeSampler(2, [10, 11, 12, 13, 14]), 500)
    assert (pairs > 0).all()


def test_a_cycle_asks_everybody_equally_often(federation):
    history = train(federation, participation=CyclicSampler(4, N), rounds=6)
    assert history.participants[:2].tolist() == [[0, 1, 2, 3], [0, 1, 4, 5]]
    assert np.bincount(history.participants.ravel()).tolist() == [4] * N


def test_a_rule_reads_inclusion_probabilities_in_the_order_of_its_rows(federation):
    sampler = SizeSampler(3, federation.sizes)
    train(federation, Inverse(), participation=sampler, **PART)
    assert len(Inverse.seen) == 5
    for clients, inclusion in Inverse.seen.values():
        assert inclusion == sampler.probabilities[clients].tolist() and clients == sorted(clients)
    train(federation, Inverse(), participation=Given((np.array([4, 1]), [0.25, 0.75])), rounds=1)
    assert Inverse.seen[0] == ([1, 4], [0.75, 0.25])


def test_weights_one_over_inclusion_estimate_everybodys_mean_without_bias():
    sampler, values = SizeSampler(3, [10, 20, 30, 40, 50, 60]), torch.tensor([5.0, 4.0, 3.0, 2.0, 1.0, 0.0])
    found = {"Inverse": [], "FedAvg": []}
    for t in range(1500):
        drawn = draw(sampler, 0, t, N)
        rows = values[list(drawn.clients)][:, None]
        updates = Updates(rows, clients=drawn.clients, population=N, extras={"inclusion": drawn.inclusion})
        for rule in (Inverse(), rules.FedAvg("uniform")):
            found[rule.name].append(float(rule.direction(updates).vector))
    error = {name: abs(np.mean(estimates) - 2.5) for name, estimates in found.items()}
    assert error["Inverse"] < 4 * np.std(found["Inverse"]) / 1500**0.5 < 0.5 < error["FedAvg"], error


def test_a_rule_that_needs_probabilities_refuses_a_sampler_without_them(federation):
    for participation in (Given([0, 1]), CyclicSampler(2, N)):
        with refused("missing", "Inverse", "inclusion", type(participation).__name__) as caught:
            train(federation, Inverse(), participation=participation, **PART)
        assert caught.value.history.rounds.tolist() == [0]


@pytest.mark.parametrize("participation", [5, PoissonSampler(1.0, N), CyclicSampler(N, N), Given(range(N))])
def test_who_is_defined_for_everybody_refuses_samplers_by_name(federation, participation):
    shown = str(participation) if isinstance(participation, int) else type(participation).__name__
    with refused("combination", "AFL", shown):
        train(federation, "AFL", participation=participation, **PART)
    with refused("combination", "FedNL", shown):
        train(federation, local=FedNL(), participation=participation, rounds=1)
    assert train(federation, "AFL", participation=UniformSampler(N, N), rounds=1).rounds[-1] == 1


def test_two_numbers_are_two_clients_and_a_pair_may_lack_probabilities():
    for answer in ((4, 1), [1, 4], torch.tensor([4, 1]), ([4, 1], None), {1, 4}):
        drawn = draw(Given(answer), 0, 0, N)
        assert drawn.clients == (1, 4) and drawn.inclusion is None


@dataclass
class Plain:
    clients: int = 2

    def sample(self, round, generator):
        return torch.randperm(N, generator=generator)[: self.clients]


def test_samplers_are_part_of_a_runs_settings_and_of_its_identity(federation, tmp_path):
    samplers = [3, UniformSampler(3, N), CyclicSampler(3, N), Plain(3), Plain(2), SizeSampler(3, federation.sizes)]
    shown = [str(train(federation, participation=s, rounds=1).settings["participation"]) for s in samplers]
    assert len(set(shown)) == len(samplers) and "CyclicSampler" in shown[2] and "Plain" in shown[3]
    path = tmp_path / "c.pt"
    train(federation, participation=Plain(3), checkpoint=path, **PART)
    for other in (Plain(2), UniformSampler(3, N), 3, 0.5):
        with refused("state", "participation"):
            train(federation, participation=other, checkpoint=path, **PART)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SizeSampler(2, [5, 6, 7, 8, 9, 10]),
        lambda: PoissonSampler(0.2, N),
        lambda: CyclicSampler(4, N),
        Plain,
        Kept,
    ],
)
def test_a_resumed_run_draws_what_an_uninterrupted_one_draws(federation, tmp_path, make):
    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1, seed=[0, 1], **PART)

    given = make()
    if isinstance(given, Kept):
        given._stop, settings = 3, {}
    else:
        settings = {"tamper": Stop(3)}
    with pytest.raises(InterruptedError):
        train(federation, participation=given, **kept, **settings)
    settings = {"tamper": Stop(None)} if settings else {}
    resumed = train(federation, participation=make(), **kept, **settings)
    whole = train(federation, participation=make(), seed=[0, 1], **PART, **settings)
    for one, other in zip(resumed, whole):
        assert (one.parameters == other.parameters).all() and (one.participants == other.participants).all()


class Stop:
    """Interrupts a run; when is no setting of it."""

    def __init__(self, round):
        self._round = round

    def __call__(self, updates):
        if updates.round == self._round:
            raise InterruptedError
        return updates


def test_a_state_that_a_checkpoint_would_lose_is_refused(federation, tmp_path):
    with refused("state", "participation Turns", "_place"):
        train(federation, participation=Turns(), checkpoint=tmp_path / "c.pt", **PART)
    assert train(federation, participation=Turns(), **PART).rounds[-1] == 5


def test_every_seed_and_every_call_has_its_own_sampler(federation):
    given = Turns()
    both = train(federation, participation=given, seed=[0, 1], **PART)
    for seed, one in enumerate(both):
        alone = train(federation, participation=given, seed=seed, **PART)
        assert (alone.participants == one.participants).all()


EMPTY = [[0, 1], [], [], [2], []]


@pytest.mark.parametrize("seed", [0, [0, 1]])
@pytest.mark.parametrize("more", [{}, {"personal": Ditto(0.1, LocalSGD(lr=0.1))}, {"engine": "sequential"}])
def test_an_empty_round_leaves_everything_as_it_was(federation, seed, more):
    settings = PART | more | {"server": Server(lr=0.1, optimiser="adam")}
    histories = train(federation, "FedAvg", participation=Given(*EMPTY), seed=seed, **settings)
    for history in histories if isinstance(histories, list) else [histories]:
        assert history.participants.tolist() == [[0, 1], [-1, -1], [-1, -1], [2, -1], [-1, -1]]
        assert (history.loss[1] == history.loss[3]).all() and (history.loss[4] == history.loss[5]).all()
        assert (history.loss[3] != history.loss[4]).any()
        assert (history.direction_norm == 0).tolist() == np.isnan(history.smallest_rate).tolist()
        assert [t for t, _ in history.remarks] == [1, 2, 4]


class OneSeedEmpty:
    """Draws nobody in odd rounds for one seed, and in even ones for another."""

    def sample(self, round, generator):
        return [] if (generator.initial_seed() in EVEN) == (round % 2 == 0) else [1, 3]


EVEN = {generator(0, "participation", t).initial_seed() for t in range(9)}


class Shift(Correction):
    keeps = ("c",)

    def gradient(self, g, w, start, own, common):
        return g + 0.1 * own["c"]

    def after(self, delta, start, own, common, step_sizes):
        assert len(delta), "nobody asks about an empty round"
        return {"c": delta.mean(0).expand_as(delta)}


@pytest.mark.parametrize("correct", [None, Shift()])
def test_a_run_with_an_empty_round_does_not_disturb_the_run_beside_it(federation, correct):
    settings = PART | {"local": LocalSGD(lr=0.3, correct=correct), "engine": "sequential"}
    both = train(federation, participation=OneSeedEmpty(), seed=[0, 1], **settings)
    for seed, one in enumerate(both):
        alone = train(federation, participation=OneSeedEmpty(), seed=seed, **settings)
        assert (one.parameters == alone.parameters).all() and (one.participants == alone.participants).all()
        assert (one.participants[:, 0] == -1).tolist() == [(t + seed) % 2 == 0 for t in range(5)]


def test_a_sweep_takes_a_sampler(federation):
    table = sweep(federation, rules=["FedAvg", "FedMGDA"], participation=SizeSampler(2, federation.sizes), rounds=2)
    assert len(table) == 2 * N


def test_samplers_print_what_they_are():
    shown = [
        repr(s) for s in (UniformSampler(3, 6), SizeSampler(2, [1, 2]), PoissonSampler(0.5, 3), CyclicSampler(2, 4))
    ]
    assert [text.partition("(")[0] for text in shown] == [
        "UniformSampler",
        "SizeSampler",
        "PoissonSampler",
        "CyclicSampler",
    ]
    assert sampler_of(0.5, 4) == UniformSampler(0.5, 4) and replace(UniformSampler(2, 4), population=9).count == 2
    with pytest.raises(Refused):
        sampler_of(0.5, 0)
