"""What ``train`` refuses before the first round, and what it hands over where a run breaks off later."""

import errno
import inspect
import pickle
import resource
import signal
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, Server, WeightRule, _atomic_files, attacks, partition, rules, train
from fairfl.clients import Ditto, LocalOptimiser
from fairfl.clients.client_statistics import PROVIDERS
from fairfl.errors import Diverged, Refused


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.2, validation=0.1)


def never(updates):
    raise AssertionError("a round was trained")


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(rule=rules.FedAvg), r"rule is <class.*FedAvg\(\)"),
        (dict(rule=["FedAvg", rules.AFL], seed=[0, 1]), r"AFL\(\)"),
        (dict(rule=3), "Derive your class from fairfl.rules.Rule"),
        (dict(model=3), "unknown model 3"),
        (dict(local=LocalSGD), "local is .*a LocalSGD"),
        (dict(server=Server), "server is .*a Server"),
        (dict(server=0.5), "server is 0.5"),
        (dict(personal=Ditto), "personal is .*a Ditto"),
        (dict(tamper="Scaling"), "tamper is 'Scaling'; allowed: a function"),
        (dict(loss="cross_entropi"), "unknown loss .cross_entropi.*mean .cross_entropy."),
        (dict(loss=torch.nn.CrossEntropyLoss), "loss is "),
        (dict(loss=torch.nn.functional.cross_entropy), r"shape of loss\(outputs, targets\) is \(\); allowed: \(2,\)"),
        (dict(rounds=2.5), "rounds is 2.5; allowed: a whole number, 1 or more"),
        (dict(rounds="3"), "rounds is '3'"),
        (dict(rounds=True), "rounds is True"),
        (dict(evaluate_every=1.0), "evaluate_every is 1.0"),
        (dict(checkpoint_every=0), "checkpoint_every is 0"),
        (dict(checkpoint_every=2.0), "checkpoint_every is 2.0"),
        (dict(participation="all"), "participation is 'all'"),
        (dict(participation=float("nan")), "participation"),
        (dict(score=3), "score is 3"),
        (dict(score=("test", 3)), "score is"),
        (dict(score="tests"), "score is 'tests'; allowed: .*'test'"),
        (dict(engine="parallel"), "unknown engine"),
        (dict(device="gpu"), "unknown device 'gpu'; known: cpu, cuda"),
        (dict(device="meta"), "device is 'meta'; allowed: a device that computes"),
        (dict(device="cuda:99"), "device is 'cuda:99'"),
        (dict(seed=0.5), "seed is 0.5; allowed: a whole number"),
        (dict(seed=[0.5, 0.7]), "seed is 0.5"),
        (dict(seed="12"), "seed is '12'"),
        (dict(seed=True), "seed is True"),
        (dict(seed=[0, False]), "seed is False"),
        (dict(seed=torch.tensor([1.0])), "seed is 1.0"),
        (dict(seed=torch.tensor([1, 1])), r"seed is \[1, 1\]; allowed: one integer, or several different ones"),
        (dict(seed=[]), "seed"),
        (dict(seed=[np.int64(1), 1]), r"seed is \[1, 1\]"),
        (dict(seed=None), "seed is None"),
        (dict(checkpoint=True), "checkpoint is True; allowed: the path of a file"),
    ],
)
def test_refusals_come_before_the_first_round(federation, settings, words):
    with pytest.raises(Refused, match=words):
        train(federation, **{"tamper": never} | settings)


def forgetful(updates):
    replace(updates, gradients=-updates.gradients)


def test_an_attack_that_returns_nothing_is_named(federation):
    with refused("type", "tamper=forgetful is 'NoneType'; allowed: Updates", "replace"):
        train(federation, rounds=1, tamper=forgetful)


@pytest.mark.parametrize(
    "given, words",
    [
        ("fedfv_cifar10", r"federation is 'fedfv_cifar10'.*partition.preset\('fedfv_cifar10'\)"),
        (None, "federation is 'NoneType'.*partition.iid"),
    ],
)
def test_a_federations_name_is_no_federation(given, words):
    with pytest.raises(Refused, match=words):
        train(given)


def test_a_dataset_is_no_federation(small):
    with pytest.raises(Refused, match=r"federation is 'Dataset'; allowed: a Federation. Split a dataset first"):
        train(small)


@pytest.mark.parametrize(
    "seed, seeds",
    [
        (np.int64(3), 3),
        (torch.tensor(3), 3),
        (np.array([3, 4]), [3, 4]),
        (torch.tensor([3, 4]), [3, 4]),
        (range(3, 5), [3, 4]),
        ((np.int32(3), torch.tensor(4)), [3, 4]),
        ([3], [3]),
        (np.array([3]), [3]),
    ],
)
def test_integers_of_any_kind_are_seeds(federation, seed, seeds):
    mine, plain = (train(federation, rounds=2, participation=0.5, seed=s) for s in (seed, seeds))
    assert isinstance(mine, list) == isinstance(plain, list) == isinstance(seeds, list)
    for a, b in zip(*(h if isinstance(h, list) else [h] for h in (mine, plain))):
        assert (a.parameters == b.parameters).all() and a.settings["seed"] == b.settings["seed"]
        assert type(a.settings["seed"]) is int


def test_one_part_alone_may_be_named(federation):
    history = train(federation, rounds=2, score="train")
    assert history.train_loss.shape == history.loss.shape and history.validation_loss is None
    assert history.settings["score"] == ["train"]


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(optimiser="adam", momentum=0.9), "momentum is 0.9.*'adam'.*'sgd'"),
        (dict(betas=(0.5, 0.9)), r"betas is \(0.5, 0.9\).*'sgd'.*'adam' or 'yogi'"),
        (dict(tau=0.1), "tau is 0.1.*'sgd'"),
        (dict(optimiser="adagrad", betas=(0.5, 0.9)), "betas is .*'adagrad'"),
        (dict(optimiser="adam", betas=(2, 3)), r"betas is 2; allowed: 0 to below 1"),
        (dict(optimiser="adam", betas=0.9), "betas is 0.9"),
        (dict(optimiser="adam", betas=(0.9,)), "betas"),
        (dict(lr=1e40), r"lr is 1e\+40; allowed: .*float32"),
        (dict(lr=float("inf")), "lr is inf"),
        (dict(lr=float("nan")), "lr is nan"),
        (dict(lr="1"), "lr is '1'"),
        (dict(lr=True), "lr is True"),
        (dict(momentum=1.0), "momentum"),
        (dict(decay=0), "decay is 0"),
        (dict(optimiser="adam", tau=float("inf")), "tau"),
        (dict(optimiser="adam", tau=1e300), r"tau is 1e\+300; allowed: above 0, at most 1e\+19"),
    ],
)
def test_a_servers_refusals(settings, words):
    with pytest.raises(Refused, match=words):
        Server(**settings)


# ---- runs that break off


class Slip(rules.FedAvg):
    """A rule whose author slipped: what it raises in round 3 is no refusal."""

    def __init__(self, error):
        super().__init__()
        self._error = error

    def combine(self, updates):
        if updates.round == 3:
            raise self._error
        return super().combine(updates)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("too many values to unpack"),
        RuntimeError("The size of tensor a"),
        KeyError("losses"),
        KeyboardInterrupt(),
        SystemExit(1),
        Refused("no"),
    ],
)
def test_whatever_stops_a_run_keeps_its_class_and_the_finished_rounds(federation, error):
    with pytest.raises(type(error)) as caught:
        train(federation, Slip(error), rounds=5, score="train")
    assert caught.type is type(error) and not isinstance(caught.value, Diverged)
    assert caught.value.history.rounds.tolist() == [0, 1, 2, 3] and len(caught.value.history.direction_norm) == 3
    assert any("3 rounds were finished" in note for note in caught.value.__notes__)
    whole = train(federation, rounds=3, score="train")
    assert (caught.value.history.loss == whole.loss).all() and (
        caught.value.history.parameters == whole.parameters
    ).all()


def test_several_runs_keep_their_rounds_as_a_list(federation):
    with pytest.raises(RuntimeError) as caught:
        train(federation, Slip(RuntimeError("a slip")), rounds=5, seed=[0, 1])
    assert [h.rounds.tolist() for h in caught.value.history] == [[0, 1, 2, 3]] * 2


def test_an_interrupt_within_an_evaluation_leaves_a_record_that_fits_together(federation, monkeypatch):
    from fairfl.clients.evaluation import Scorer

    calls, score = [], Scorer.measure

    def interrupted(self, module):
        calls.append(1)
        if len(calls) == 6:  # the second of the two parts in the evaluation after round 2
            raise KeyboardInterrupt
        return score(self, module)

    monkeypatch.setattr(Scorer, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        train(federation, rounds=4, score="train")
    history = caught.value.history
    assert history.rounds.tolist() == [0, 1] and len(history.loss) == len(history.train_loss) == 2


def test_a_run_that_ends_in_no_number_diverged_though_no_round_came_after(federation, tmp_path):
    settings = dict(model="mlp", rounds=1, local=LocalSGD(lr=1e25), seed=[0, 1], checkpoint=tmp_path / "c.pt")
    for _ in range(2):  # continued from its own last checkpoint, it has not become a result either
        with pytest.raises(
            Diverged, match=r"client 0's test loss after the last round is nan \(3 of 3 clients'"
        ) as caught:
            train(federation, **settings)
        assert [h.rounds.tolist() for h in caught.value.history] == [[0, 1], [0, 1]]


def test_a_loss_that_overflows_is_a_divergence_whatever_the_parameters(federation):
    worst = lambda outputs, targets: torch.where(targets == 0, torch.inf, 1.0) + 0 * outputs.sum(1)
    with pytest.raises(Diverged, match=r"client \d's test loss after the last round is inf") as caught:
        train(federation, rounds=2, loss=worst)
    assert np.isfinite(caught.value.history.parameters).all()


def broken(updates):
    rows = updates.gradients.clone()
    if updates.round == 2:
        rows[1, 3] = float("nan")
    return replace(updates, gradients=rows)


class Overflowing(rules.FedAvg):
    def combine(self, updates):
        decided = super().combine(updates)
        return replace(decided, vector=decided.vector * float("inf")) if updates.round == 2 else decided


class Huge(rules.GramRule):
    def weights(self, gram, updates):
        return torch.full((len(updates),), 1e300 if updates.round == 2 else 1 / 3, dtype=torch.float64)


class Asking(rules.FedAvg):
    needs = frozenset({"losses_after"})


def infinite_after(view):
    return torch.tensor([1.0, float("inf"), 1.0], dtype=torch.float64)


@pytest.mark.parametrize(
    "settings, words, rounds",
    [
        (dict(tamper=broken), r"client 1's update has 1 non-finite entry \(round 2\)", 2),
        (dict(rule=Huge()), "the direction's largest entry is about 1e2", 2),
        (dict(rule=Overflowing()), r"direction has non-finite entries \(round 2\)", 2),
        (dict(local=LocalSGD(lr=1e12, epochs=3), model="mlp", rounds=200), "non-finite|is inf|is nan", 0),
        (dict(rule=Asking()), r"client 1's losses_after has 1 non-finite entry \(round 0\)", 0),
    ],
)
def test_numbers_that_stop_being_finite_are_a_divergence(federation, monkeypatch, settings, words, rounds):
    monkeypatch.setitem(PROVIDERS, "losses_after", infinite_after)
    with pytest.raises(Diverged, match=words) as caught:
        train(federation, **{"rounds": 5} | settings)
    assert caught.value.history.rounds[-1] >= rounds


@pytest.fixture
def full_disk():
    """No file may grow beyond a few kilobytes; what writes more is told by the system, as on a full disk."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def set_to(limit):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))

    yield set_to
    set_to(before[0])
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_keeps_the_rounds_and_the_last_checkpoint(federation, tmp_path, full_disk):
    path, settings = tmp_path / "c.pt", dict(model="mlp", checkpoint=tmp_path / "c.pt", checkpoint_every=2)

    def fill(updates):
        if updates.round == 3:
            full_disk(10_000)
        return updates

    with pytest.raises(OSError, match="c.pt") as caught:
        train(federation, rounds=6, tamper=fill, **settings)
    full_disk(resource.RLIM_INFINITY)
    assert caught.value.errno == errno.EFBIG and caught.value.filename == str(path)
    assert caught.value.history.rounds.tolist() == [0, 1, 2, 3, 4]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.pt"]
    assert torch.load(path, weights_only=True)["state"]["round"] == 2


def test_a_folder_that_takes_no_files_is_said_before_the_first_round(federation, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with refused("file", tmp_path / "file" / "c.pt", "checkpoint="):
        train(federation, tamper=never, checkpoint=tmp_path / "file" / "c.pt")
    with refused("file", "checkpoint is", "run.pt"):
        train(federation, tamper=never, checkpoint=tmp_path)

    def read_only(*given):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(_atomic_files.secrets, "token_hex", read_only)
    with refused("file", tmp_path / "c.pt", "Permission denied"):
        train(federation, tamper=never, checkpoint=tmp_path / "c.pt")


@pytest.mark.parametrize("length", [253, 300])
def test_a_name_that_is_too_long_is_said_before_the_first_round(federation, tmp_path, length):
    with refused("file", "File name too long", "checkpoint="):
        train(federation, tamper=never, checkpoint=tmp_path / (length * "c"))
    assert not list(tmp_path.iterdir())


class Half(torch.nn.Module):
    """A bfloat16 model of float32 inputs."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(5, 3)
        self.to(torch.bfloat16)

    def forward(self, inputs):
        return self.linear(inputs.to(torch.bfloat16)).float()


def test_bfloat16_weights_end_in_a_history_and_a_file(federation, tmp_path):
    history = train(federation, model=Half(), rounds=10, checkpoint=tmp_path / "c.pt")
    assert history.parameters.dtype == np.float32 and history.loss[-1].mean() < history.loss[0].mean()
    assert torch.equal(torch.tensor(history.parameters).bfloat16().float(), torch.tensor(history.parameters))
    history.save(tmp_path / "h.npz")


def test_several_of_one_run_are_named_where_a_list_is_one_per_seed(federation):
    clip = attacks.Clip(1.0)
    with refused("shape", "tamper", "Chain(", "one per seed"):
        train(federation, tamper=[clip, attacks.TopK(0.5)])
    with refused("shape", "on_round", "Compose(", "one per seed"):
        train(federation, on_round=[print, print])


def test_a_class_that_is_no_model_function_may_be_given_as_a_module(federation):
    class Linear(torch.nn.Linear):
        def __init__(self):
            super().__init__(5, 3)

    with refused("type", "Linear", "module"):
        train(federation, model=Linear)


@pytest.mark.parametrize(
    "weights",
    [lambda updates: updates.losses.softmax(0), lambda updates: updates.losses**2, lambda updates: updates.extras["n"]],
)
def test_a_rule_that_forgot_what_it_needs_is_told(federation, weights):
    rule = type("Forgetful", (WeightRule,), {"weights": lambda self, updates: weights(updates)})
    with pytest.raises((AttributeError, KeyError, TypeError)) as caught:
        train(federation, rule(), rounds=1)
    note = caught.value.__notes__[0]
    assert "Forgetful" in note and "needs" in note


@pytest.mark.parametrize(
    "call, mentions",
    [
        (lambda f: train(f, sampler=5), ["train", "'sampler'", "Here it is called 'participation'."]),
        (lambda f: train(f, round=5), ["'round'", "Did you mean 'rounds'?"]),
        (lambda f: LocalSGD(optimizer="sgd"), ["LocalSGD", "'optimizer'", "'optimiser'."]),
        (lambda f: LocalSGD(epoch=2), ["'epoch'", "batch_size, betas", "'epochs'?"]),
        (lambda f: LocalOptimiser(torch.optim.SGD, learning_rate=0.1), ["LocalOptimiser", "'lr'."]),
        (lambda f: Server(mom=0.9), ["Server", "'momentum'?"]),
    ],
)
def test_an_unknown_argument_is_told_the_known_ones(federation, call, mentions):
    with refused("name", *mentions):
        call(federation)


def test_what_teaches_keeps_its_signature_and_python_s_other_errors(federation):
    assert list(inspect.signature(LocalSGD).parameters)[:2] == ["lr", "epochs"]
    assert "participation" in inspect.signature(train).parameters and train.__doc__.startswith("Train")
    assert (
        replace(LocalSGD(lr=0.5), epochs=2) == LocalSGD(0.5, 2) and pickle.loads(pickle.dumps(LocalSGD())) == LocalSGD()
    )
    with pytest.raises(TypeError, match="multiple values"):
        LocalSGD(0.1, lr=0.1)

    @dataclass(frozen=True)
    class Mine(LocalSGD):
        mine: int = 0

    class Plain(LocalSGD):
        pass

    assert Mine(lr=0.2, mine=1).mine == 1 and Plain(epochs=2).epochs == 2
    with refused("name", "'mime'"):
        Plain(mime=1)


class Branching(torch.nn.Linear):
    """Asks for a value, which vmap does not give."""

    def __init__(self):
        super().__init__(5, 3)

    def forward(self, inputs):
        return super().forward(inputs) * (2.0 if float(inputs.sum().detach()) > 0 else 1.0)


def test_what_vmap_cannot_do_is_told_the_other_engine(federation):
    with pytest.raises(RuntimeError) as caught:
        train(federation, model=Branching(), rounds=1, engine="batched")
    assert any("engine='sequential'" in note for note in caught.value.__notes__)
    train(federation, model=Branching(), rounds=1, engine="sequential")
