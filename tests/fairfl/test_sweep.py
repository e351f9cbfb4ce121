"""``sweep``: the same runs as ``train`` alone, told as a table."""

import doctest
import sys
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from fairfl import GramRule, LocalSGD, Server, attacks, partition, rules, sweep, train
from fairfl.clients import Ditto
from fairfl.errors import Diverged, NotInstalled, Refused

pandas = pytest.importorskip("pandas")
WILD = Server(lr=3e38, momentum=0.9)


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 4, 1.0, min_size=4, test=0.2)


@pytest.fixture
def calls(monkeypatch):
    """How many runs each call of ``train`` was given."""
    seen = []

    def spy(*positional, **settings):
        seen.append(len(settings["seed"]) if isinstance(settings["seed"], list) else 1)
        return train(*positional, **settings)

    monkeypatch.setattr(sys.modules["fairfl.training.run_batches"], "train", spy)
    return seen


@dataclass
class Growing:
    """An attack that remembers: every round it multiplies the updates by one more."""

    rounds: list = field(default_factory=list)

    def __call__(self, updates):
        self.rounds.append(updates.round)
        return replace(updates, gradients=updates.gradients * len(self.rounds))


class Slip(GramRule):
    def weights(self, gram, updates):
        raise ZeroDivisionError("a slip")


def lines_of(table, **where):
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def test_the_docstrings_example_runs():
    runner = doctest.DocTestRunner()
    (example,) = doctest.DocTestFinder(recurse=False).find(sweep, "sweep", module=False, globs={})
    assert 4 < len(example.examples) <= 10 and runner.run(example).failed == 0


def test_every_run_is_what_train_gives_alone(federation):
    works = [LocalSGD(lr=0.3), LocalSGD(lr=0.1, epochs=3, batch_size=4)]
    steps = [Server(), Server(lr=0.5, momentum=0.5)]
    tampers = {"honest": None, "scaled": attacks.Scaling(1, 3.0), "growing": Growing()}
    settings, histories = dict(rounds=4, participation=0.75, evaluate_every=2), []
    table = sweep(
        federation,
        "mlp",
        rules=["FedAvg", rules.QFedAvg(q=2.0)],
        seeds=[3, 5],
        local=works,
        server=steps,
        tamper=tampers,
        last=2,
        histories=histories,
        **settings,
    )
    assert list(table) == [
        "rule",
        "seed",
        "local",
        "server",
        "tamper",
        "client",
        "test_size",
        "accuracy",
        "loss",
        "rounds",
        "diverged",
    ]
    runs = [
        (work, rule, step, tamper, seed)
        for work in works
        for rule in ("FedAvg", rules.QFedAvg(q=2.0))
        for step in steps
        for tamper in tampers
        for seed in (3, 5)
    ]
    assert len(histories) == len(runs) and len(table) == 4 * len(runs)
    for i, (work, rule, step, tamper, seed) in enumerate(runs):
        lines = table[4 * i : 4 * i + 4]
        label = rule if isinstance(rule, str) else repr(rule)
        options = lines[["rule", "seed", "local", "server", "tamper"]].drop_duplicates().values.tolist()
        assert options == [[label, seed, repr(work), repr(step), tamper]]
        assert lines.client.tolist() == [0, 1, 2, 3]
        if i % 5:  # 5 divides no number of options, so every option is trained alone
            continue
        attack = Growing() if tamper == "growing" else tampers[tamper]
        alone = train(federation, rule, "mlp", local=work, server=step, tamper=attack, seed=seed, **settings)
        assert lines.test_size.tolist() == alone.test_sizes.tolist()
        assert set(lines.rounds) == {4} and set(lines.diverged) == {""}
        assert np.allclose(lines.accuracy, alone.accuracy[-2:].mean(0), atol=1e-5)
        assert np.allclose(lines.loss, alone.loss[-2:].mean(0), atol=1e-5)
        assert np.allclose(histories[i].parameters, alone.parameters, atol=1e-5)
    assert tampers["growing"].rounds == []


def test_runs_whose_clients_do_the_same_are_one_batch(federation, calls):
    sweep(federation, rules=["FedAvg", "AFL"], seeds=range(3), local=[LocalSGD(), LocalSGD(epochs=2)], rounds=1)
    assert calls == [6, 6]
    whole = sweep(federation, rules=["FedAvg", "AFL"], seeds=[0, 1], rounds=2)
    capped = sweep(federation, rules=["FedAvg", "AFL"], seeds=[0, 1], rounds=2, together=3)
    assert calls[2:] == [4, 3, 1] and np.allclose(capped.loss, whole.loss, atol=1e-5)


def test_a_column_for_what_was_given_several_of(federation):
    def doubled(updates):
        return replace(updates, gradients=2 * updates.gradients)

    table = sweep(
        federation,
        rules={"mine": rules.QFedAvg(q=1.0), 7: "AFL"},
        tamper=[None, doubled],
        local=LocalSGD(),
        server=[Server()],
        seeds=2,
        rounds=1,
    )
    assert list(table)[:4] == ["rule", "seed", "tamper", "client"]
    assert set(table.rule) == {"mine", 7} and set(table.tamper) == {"none", "doubled"} and set(table.seed) == {2}


def test_a_run_that_diverges_takes_no_other_with_it(federation, calls):
    settings = dict(rounds=5, evaluate_every=1, local=LocalSGD(lr=0.3))
    table = sweep(federation, rules="FedAvg", server={"calm": None, "wild": WILD}, seeds=[0, 1], **settings)
    assert calls == [4, 1, 1, 1, 1]
    for seed in (0, 1):
        with pytest.raises(Diverged) as caught:
            train(federation, server=WILD, seed=seed, **settings)
        wild = lines_of(table, server="wild", seed=seed)
        assert set(wild.diverged) == {str(caught.value)} != {""}
        assert set(wild.rounds) == {caught.value.history.rounds[-1]} and 0 < wild.rounds.iloc[0] < 5
        assert np.array_equal(wild.accuracy, caught.value.history.accuracy[-1])
        calm = lines_of(table, server="calm", seed=seed)
        assert set(calm.diverged) == {""} and set(calm.rounds) == {5}
        assert np.allclose(calm.accuracy, train(federation, seed=seed, **settings).accuracy[-1], atol=1e-5)


def test_an_attack_starts_afresh_when_its_batch_is_trained_again(federation, calls):
    settings = dict(rounds=4, tamper=Growing(), local=LocalSGD(lr=0.1))
    table = sweep(federation, rules="FedAvg", server={"calm": None, "wild": WILD}, **settings)
    assert calls == [2, 1, 1]
    assert np.allclose(lines_of(table, server="calm").loss, train(federation, **settings).loss[-1], atol=1e-5)


def test_a_slip_in_a_rule_passes_as_it_is(federation, calls):
    with pytest.raises(ZeroDivisionError, match="a slip"):
        sweep(federation, rules=["FedAvg", Slip()], rounds=1)
    assert calls == [2]


@pytest.mark.parametrize(
    "wrong, words",
    [
        (dict(rules=[]), r"rules is \[\]"),
        (dict(tamper={}), "tamper is {}"),
        (dict(seeds=[]), r"seeds is \[\]"),
        (dict(seeds=[1, 1]), r"seeds is \[1, 1\]; allowed: .*different"),
        (dict(rules=["FedAvg", "FedMGAD"]), "unknown rule 'FedMGAD'.*Did you mean 'FedMGDA'"),
        (dict(rules=rules.AFL), r"AFL\(\)"),
        (dict(rules=["AFL", "FedAvg", "AFL"]), "label in rules is 'AFL'.*rules={"),
        (dict(local=[LocalSGD(), LocalSGD()]), "label in local"),
        (dict(local=[LocalSGD(), 0.1]), "local is 0.1; allowed: a LocalSGD"),
        (dict(last=0), "last is 0"),
        (dict(together=0), "together is 0"),
        (dict(seed=1), "seed; .*seeds="),
        (dict(rule="AFL"), "rule; .*rules="),
        (dict(foo=1), "unknown setting of sweep 'foo'; known: device, engine, .*together"),
        (dict(round=1), "unknown setting of sweep 'round'; .*Did you mean 'rounds'"),
        (dict(seedz=1), "Did you mean 'seeds'"),
        (dict(personal=[Ditto()]), r"personal is \[Ditto.*Pass an instance"),
        (dict(personal=0.1), "personal is 0.1; allowed: a Ditto"),
        (dict(checkpoint="run.pt"), r"checkpoint; .*train\(checkpoint="),
    ],
)
def test_refusals_say_what_to_do_before_anything_trains(federation, calls, wrong, words):
    with pytest.raises(Refused, match=words):
        sweep(federation, **{"rules": "FedAvg", "rounds": 1} | wrong)
    assert calls == []


def test_without_pandas_it_says_what_to_install_before_anything_trains(federation, calls, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(NotInstalled, match=r"sweep needs pandas.*fairfl\[data\]"):
        sweep(federation, rules="FedAvg", rounds=1)
    assert calls == []


def test_every_part_that_was_scored_has_its_columns(small):
    federation = partition.iid(small, 3, validation=0.2)
    told = dict(rules="FedAvg", rounds=2, score=("test", "train", "validation"), last=2, histories=(held := []))
    table = sweep(federation, **told)
    for part in ("", "train_", "validation_"):
        for what in ("accuracy", "loss"):
            assert np.array_equal(table[f"{part}{what}"], getattr(held[0], f"{part}{what}")[-2:].mean(0))
    plain = sweep(federation, rules="FedAvg", rounds=2)
    assert not [name for name in plain if name.startswith(("train_", "validation_"))]


def test_personal_models_are_trained_and_scored_in_every_run(federation):
    settings = dict(rounds=2, personal=Ditto(0.1), engine="sequential")
    histories = []
    table = sweep(federation, rules=["FedAvg", "FedMGDA"], seeds=[0, 1], histories=histories, **settings)
    expected = [train(federation, rule, seed=seed, **settings) for rule in ("FedAvg", "FedMGDA") for seed in (0, 1)]
    for found, alone in zip(histories, expected, strict=True):
        np.testing.assert_allclose(found.personal, alone.personal, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(table["loss"], np.concatenate([history.loss[-1] for history in expected]), rtol=1e-5)
