"""Own metrics: what a function is given for each client, where its numbers go, and how a run resumes with one."""

from functools import partial

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Dataset, History, LocalSGD, partition, sweep, train
from fairfl.clients import Ditto

# A client may lack a group, and its gap is then undefined.
equal = partial(np.array_equal, equal_nan=True)


@pytest.fixture
def people():
    """Ninety rows in two classes, with a column of two groups and a measurement."""
    g = torch.Generator().manual_seed(0)
    targets, sex = torch.randint(2, (90,), generator=g), torch.randint(2, (90,), generator=g)
    inputs = torch.randn(90, 4, generator=g) + (targets + sex)[:, None]
    age = torch.rand(90, generator=g)
    names = {"sex": ("Female", "Male")}
    return Dataset(inputs, targets, ("no", "yes"), columns={"sex": sex, "age": age}, column_names=names, name="people")


@pytest.fixture
def federation(people):
    return partition.iid(people, 3, test=0.3, validation=0.2)


def equalised_odds(outputs, targets, columns):
    """The larger of the two gaps between the sexes, in true and in false positives (Hardt et al. 2016)."""
    positive, sex = outputs.argmax(1) == 1, columns["sex"]
    share = lambda of, y: positive[(sex == of) & (targets == y)].double().mean()
    return max(abs(share(0, y) - share(1, y)) for y in (0, 1))


def rows(outputs, targets, columns):
    return len(outputs)


def error_rate(outputs, targets, columns):
    return (outputs.argmax(1) != targets).double().mean().item()


def test_a_metric_gets_each_clients_rows_of_each_part(federation):
    seen = []

    def watch(outputs, targets, columns):
        seen.append((outputs, targets, columns))
        return 0.0

    history = train(federation, rounds=1, score=["validation", {"watch": watch}], device="cpu")
    dataset, parts = federation.dataset, (federation.test, federation.validation)
    assert len(seen) == 2 * 2 * 3
    for (outputs, targets, columns), own in zip(seen, [own for part in parts for own in part] * 2):
        assert outputs.shape == (len(own), 2) and torch.equal(targets, dataset.targets[own])
        assert {name: column.tolist() for name, column in columns.items()} == {
            name: column[own].tolist() for name, column in dataset.columns.items()
        }
    logits = history.model()(dataset.inputs[federation.test[2]])
    assert torch.allclose(seen[-4][0], logits, atol=1e-6)
    assert history.metrics["watch"].shape == history.metrics["validation_watch"].shape == (2, 3)


@pytest.mark.parametrize("scored_on", ["own", "pool"])
def test_an_error_rate_is_one_minus_the_accuracy(people, scored_on):
    federation = partition.iid(people, 3, scored_on=scored_on, test=0.3)
    history = train(federation, rounds=2, score={"errors": error_rate, "rows": rows})
    assert np.allclose(history.metrics["errors"], 1 - history.accuracy)
    assert history.metrics["rows"].tolist() == 3 * [history.test_sizes.tolist()]
    assert history.train_accuracy is None and history.settings["score"] == ["test"]


def test_personal_models_are_measured_on_their_own_clients_rows(federation):
    ditto = Ditto(0.1, LocalSGD(lr=0.3))
    history = train(federation, rounds=2, score=["train", {"errors": error_rate}], personal=ditto)
    assert np.allclose(history.metrics["errors"], 1 - history.accuracy)
    assert np.allclose(history.metrics["train_errors"], 1 - history.train_accuracy)


def test_a_metric_changes_nothing_else(federation):
    plain, scored = (train(federation, "FedMGDA", rounds=3, score=score) for score in ("test", {"eo": equalised_odds}))
    assert (plain.parameters == scored.parameters).all() and (plain.loss == scored.loss).all()
    assert plain.metrics == {} and "metrics" not in plain.settings


def test_an_undefined_number_is_kept(federation):
    history = train(federation, rounds=1, score={"nothing": lambda outputs, targets, columns: float("nan")})
    assert np.isnan(history.metrics["nothing"]).all()


def test_a_frame_has_a_row_per_evaluation_and_client(federation):
    pytest.importorskip("pandas")
    history = train(federation, rounds=4, evaluate_every=2, score=["train", "validation", {"eo": equalised_odds}])
    frame = history.to_frame()
    scores = ["accuracy", "loss", "train_accuracy", "train_loss", "validation_accuracy", "validation_loss"]
    assert list(frame) == ["round", "client", *scores, "eo", "train_eo", "validation_eo"]
    assert frame["round"].tolist() == [0, 0, 0, 2, 2, 2, 4, 4, 4] and frame.client.tolist() == 3 * [0, 1, 2]
    assert equal(frame.pivot(index="round", columns="client", values="eo").to_numpy(), history.metrics["eo"])
    assert (frame[frame["round"] == 4].loss == history.loss[-1]).all()


def test_a_regressions_frame_has_no_accuracies(people):
    pytest.importorskip("pandas")
    numbers = Dataset(people.inputs, people.inputs.sum(1), name="numbers")
    worst = lambda outputs, targets, columns: (outputs[:, 0] - targets).abs().max()
    history = train(partition.iid(numbers, 3), rounds=1, score={"worst": worst})
    assert list(history.to_frame()) == ["round", "client", "loss", "worst"]


def test_a_sweep_has_a_column_for_each(federation):
    pytest.importorskip("pandas")
    settings = dict(rules="FedAvg", rounds=2, score=["validation", {"eo": equalised_odds}], last=2)
    table = sweep(federation, histories=(held := []), **settings)
    assert equal(table.eo, held[0].metrics["eo"][-2:].mean(0))
    assert equal(table.validation_eo, held[0].metrics["validation_eo"][-2:].mean(0))


def test_they_are_saved_and_loaded(federation, tmp_path):
    history = train(federation, rounds=2, score=["validation", {"eo": equalised_odds, "a name": rows}])
    history.save(tmp_path / "h.npz")
    read = History.load(tmp_path / "h.npz")
    assert set(read.metrics) == {"eo", "a name", "validation_eo", "validation_a name"}
    assert all(equal(read.metrics[name], values) for name, values in history.metrics.items())


def test_a_resumed_run_ends_with_the_same_metrics(federation, resumed_and_whole):
    resumed, whole = resumed_and_whole(train, federation=federation, rounds=6, score={"eo": equalised_odds})
    assert equal(resumed.metrics["eo"], whole.metrics["eo"]) and resumed.metrics["eo"].shape == (7, 3)


def test_a_record_never_mixes_two_metrics(federation, tmp_path):
    settings = dict(rounds=2, checkpoint=tmp_path / "c")
    train(federation, score={"eo": equalised_odds}, **settings)
    for other in ({"eo": error_rate}, {"odds": equalised_odds}, "test", {"eo": equalised_odds, "errors": error_rate}):
        with refused("state", "metrics"):
            train(federation, score=other, **settings)
    with refused("type", "lambda"):
        train(federation, score={"eo": lambda outputs, targets, columns: 0.0}, rounds=2, checkpoint=tmp_path / "d")


@pytest.mark.parametrize(
    "score, kind, mentions",
    [
        ({"eo": 3}, "type", ["eo", "function"]),
        ({"eo": Ditto}, "type", ["eo", "function"]),
        ({"loss": rows}, "name", ["loss"]),
        ({"train_eo": rows}, "name", ["train_eo"]),
        ({"a/b": rows}, "name", ["a/b"]),
        ({3: rows}, "name", ["3"]),
        ([{"eo": rows}, {"eo": rows}], "name", ["eo"]),
        (["eo"], "name", ["eo", "validation"]),
        ({"eo": lambda outputs, targets, columns: "much"}, "type", ["eo", "client 0"]),
        ({"eo": lambda outputs, targets, columns: outputs}, "shape", ["eo", "client 0", "one number"]),
        ({"eo": lambda outputs, targets, columns: None}, "type", ["eo", "client 0"]),
    ],
)
def test_refusals(federation, score, kind, mentions):
    with refused(kind, *mentions):
        train(federation, rounds=1, score=score)


@pytest.mark.parametrize("personal", [None, Ditto()])
def test_an_error_of_its_own_passes_with_its_client(federation, personal):
    def fails(outputs, targets, columns):
        if torch.equal(targets, federation.dataset.targets[federation.test[1]]):
            raise ZeroDivisionError
        return 1.0

    with pytest.raises(ZeroDivisionError) as caught:
        train(federation, rounds=1, score={"mine": fails}, personal=personal)
    assert any("'mine'" in note and "client 1" in note for note in caught.value.__notes__)


def test_equalised_odds_on_adult():
    from fairfl import data

    try:
        federation = partition.by_column(data.load("adult"), "phd", scored_on="official")
    except FileNotFoundError:
        pytest.skip("no Adult")
    history = train(federation, "FedMGDA", rounds=20, local=LocalSGD(lr=0.5), score={"eo": equalised_odds})
    test = federation.test[1]
    guesses = history.model()(federation.dataset.inputs[test]).argmax(1)
    expected = equalised_odds(
        torch.nn.functional.one_hot(guesses, 2),
        federation.dataset.targets[test],
        {"sex": federation.dataset.columns["sex"][test]},
    )
    assert history.metrics["eo"][-1, 1] == pytest.approx(float(expected)) and 0 < float(expected) < 1
