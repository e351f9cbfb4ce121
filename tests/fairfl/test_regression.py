"""Targets that are numbers: trained to the closed-form solution, scored by their losses, refused where classes are needed."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Dataset, LocalSGD, Server, attacks, metrics, partition, sweep, train
from fairfl.errors import Refused
from fairfl.training import History

ENGINES = ("sequential", "batched")


def made(noise=0.0, outputs=None, rows=240, features=3) -> Dataset:
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(rows, features))
    truth = rng.normal(size=(features, outputs or 1))
    targets = inputs @ truth + 0.7 + noise * rng.normal(size=(rows, outputs or 1))
    return Dataset(inputs, targets if outputs else targets[:, 0])


def solution(federation, rows) -> np.ndarray:
    """Least squares over ``rows``, as the model's flat vector: weights (m, features), then biases (m,)."""
    x = np.c_[federation.dataset.inputs[rows].numpy(), np.ones(len(rows))]
    y = federation.dataset.targets[rows].reshape(len(rows), -1).numpy()
    w = np.linalg.lstsq(x, y, rcond=None)[0]
    return np.concatenate([w[:-1].T.ravel(), w[-1]])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("outputs", [None, 2])
def test_fedavg_finds_the_least_squares_of_all_training_rows(engine, outputs):
    federation = partition.iid(made(0.5, outputs), 5)
    history = train(federation, rounds=100, local=LocalSGD(lr=0.4), engine=engine, evaluate_every=100)
    assert np.allclose(history.parameters, solution(federation, torch.cat(federation.train)), atol=1e-5)
    x, y = federation.dataset.inputs, federation.dataset.targets.reshape(240, -1)
    w, m = torch.tensor(history.parameters), outputs or 1
    errors = (x @ w[:-m].reshape(m, 3).T + w[-m:] - y).square().mean(1)
    assert np.allclose(history.loss[-1], [float(errors[rows].mean()) for rows in federation.test], atol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_fedmgda_plus_finds_what_is_best_for_every_client(engine):
    """Without noise one model solves every client's problem: the only Pareto-optimal one."""
    lists = np.array_split(np.argsort(made().targets.numpy()), 4)
    federation = partition.split(made(), lists)
    history = train(
        federation,
        "FedMGDAPlus",
        rounds=400,
        local=LocalSGD(lr=0.2),
        server=Server(lr=0.2, decay=1e-5),
        engine=engine,
        evaluate_every=400,
    )
    assert np.allclose(history.parameters, solution(federation, torch.cat(federation.train)), atol=1e-3)


def test_a_run_without_accuracies_says_so_everywhere(tmp_path):
    federation = partition.iid(made(0.5), 5, scored_on="pool", validation=0.1)
    history = train(federation, rounds=3, score=("test", "validation"))
    assert history.accuracy is None and history.validation_accuracy is None and history.validation_loss.shape == (4, 5)
    assert "accuracy" not in repr(history) and f"worst client {history.loss[-1].max():.4g}" in repr(history)
    row = history.summary(20)
    assert row == metrics.loss_summary(history.loss[-1], 20)
    assert row["worst 20 % by loss"] == history.loss[-1].max() and row["best 20 % by loss"] == history.loss[-1].min()
    history.save(tmp_path / "h.npz")
    assert History.load(tmp_path / "h.npz").accuracy is None
    assert "numbers to predict: 1 per row" in federation.passport()
    pytest.importorskip("pandas")
    table = sweep(federation, rules=["FedAvg", "AFL"], rounds=1)
    assert "accuracy" not in table and np.isfinite(table.loss).all()


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(
    "call, words",
    [
        (lambda d, f: partition.dirichlet(d, 3), "partition.dirichlet needs classes.*partition.iid"),
        (lambda d, f: partition.shards(d, 3), "partition.shards needs classes"),
        (lambda d, f: partition.by_class(d), "partition.by_class needs classes"),
        (lambda d, f: partition.some_classes(d, 3), "partition.some_classes needs classes"),
        (lambda d, f: d.only(1), "only needs classes"),
        (lambda d, f: f.class_counts(), "class_counts needs classes"),
        (lambda d, f: attacks.noisy_labels(f, 0, 0.5), "noisy_labels needs classes"),
        (lambda d, f: train(f, "FedFA"), "FedFA, which reads accuracies, needs classes"),
        (lambda d, f: train(f, loss="cross_entropy"), "the loss is 'squared'"),
        (lambda d, f: train(f, loss="sqared"), "unknown loss 'sqared'.*Did you mean 'squared'"),
        (lambda d, f: train(f, loss=torch.nn.functional.mse_loss), r"shape of loss.*loss='squared'"),
        (lambda d, f: Dataset(d.inputs, [np.inf] * len(d)), "row 0 of the dataset has a non-finite target"),
        (lambda d, f: Dataset(d.inputs, 1000 * torch.arange(len(d))), "range of targets.*as floats"),
        (lambda d, f: metrics.sampling_std([2.0, 0.5], [5, 5]), "range of accuracies"),
    ],
)
def test_what_needs_classes_is_refused_by_name(call, words):
    dataset = made()
    with pytest.raises(Refused, match=words):
        call(dataset, partition.iid(dataset, 4))


def test_squared_error_is_refused_for_classes(small):
    with refused("combination", "'cross_entropy'"):
        train(partition.iid(small, 3), loss="squared")
