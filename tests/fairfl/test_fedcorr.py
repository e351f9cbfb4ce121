"""FedCorr against its stages as printed (``oracles.fedcorr``), intrinsic dimensions, and odd clients."""

import numpy as np
import pytest
import torch
from oracles import fedcorr as oracle

from fairfl import Dataset, Federation, LocalSGD, attacks, models, partition, train
from fairfl._randomness import generator
from fairfl.clients import Correction, FedCorr, FlatModel
from fairfl.clients.intrinsic_dimension import intrinsic_dimensions
from fairfl.errors import Diverged, Refused


def clusters(rows=240, clients=8, seed=0):
    """Three classes around three corners, split evenly."""
    g = torch.Generator().manual_seed(seed)
    targets = torch.arange(rows) % 3
    inputs = torch.randn(rows, 6, generator=g) + 3 * torch.nn.functional.one_hot(targets, 6)
    return partition.iid(Dataset(inputs, targets, ("a", "b", "c"), name="clusters"), clients, test=0.2, seed=seed)


METHOD = FedCorr(passes=3, finetune=5, local=LocalSGD(lr=0.3, epochs=20), neighbours=8, together=8)


@pytest.mark.parametrize("together", [1, 3, 8])
def test_it_is_the_stages_as_printed(together):
    method = FedCorr(3, 5, LocalSGD(lr=0.3, epochs=20), neighbours=8, proximal=0.1, together=together)
    for seed in range(3):
        federation = attacks.noisy_labels(clusters(seed=seed), range(3), 0.6, seed)
        dataset = federation.dataset
        start = [p.detach().numpy().astype(float) for p in models.build("logistic", dataset, seed=seed).parameters()]
        orders = [torch.randperm(8, generator=generator(seed, "fedcorr", t)).split(together) for t in range(3)]
        settings = dict(steps=20, lr=0.3, beta=0.1, neighbours=8, relabel=0.5, confidence=0.5, clean=0.1, finetune=5)
        labels, suspects, noise, sums = oracle.repair(
            dataset.inputs.numpy().astype(float),
            dataset.targets.numpy(),
            [r.numpy() for r in federation.train],
            tuple(start),
            [[g.tolist() for g in order] for order in orders],
            settings,
        )
        mine = method.repair(federation, seed=seed)
        assert mine.suspects == tuple(suspects) and np.allclose(mine.noise, noise)
        assert np.allclose(mine.dimensions, sums, rtol=1e-3)
        assert (mine.federation.dataset.targets.numpy() == labels).all()
        assert mine.changed.sum() == (labels != dataset.targets.numpy()).sum() > 0


def test_noisy_clients_are_found_and_mended_and_nobody_else_is_touched(digits):
    clean = partition.dirichlet(digits, 20, 1.0, seed=1, scored_on="pool", test=0.4)
    noisy = attacks.noisy_labels(clean, range(6), 0.8, 1)
    work = LocalSGD(lr=0.1, epochs=5, batch_size=10, momentum=0.5)
    repaired = FedCorr(passes=3, finetune=10, local=work, neighbours=10, together=20).repair(noisy, seed=1)
    wrong = lambda f, k: float((f.dataset.targets[f.train[k]] != digits.targets[f.train[k]]).double().mean())
    assert repaired.suspects == (0, 1, 2, 3, 4, 5)
    assert all(wrong(repaired.federation, k) < 0.4 for k in range(6))
    assert not any(wrong(repaired.federation, k) for k in range(6, 20))
    assert (repaired.noise[:6] > 0.2).all() and not repaired.noise[6:].any()
    for part in ("test", "validation", "train"):
        assert all(torch.equal(a, b) for a, b in zip(getattr(noisy, part), getattr(repaired.federation, part)))
    scored = torch.cat(noisy.test)
    assert torch.equal(repaired.federation.dataset.targets[scored], digits.targets[scored])
    assert "replaced by FedCorr" in repaired.federation.dataset.variant
    assert repaired.federation.recipe["fedcorr"]["suspects"] == list(range(6))


def test_stage_3_is_any_training_from_the_model_it_leaves():
    noisy = attacks.noisy_labels(clusters(), [1, 4, 6], 0.6)
    repaired = METHOD.repair(noisy, models.logistic)
    history = train(
        repaired.federation, "FedMGDA", repaired.model, rounds=3, local=LocalSGD(lr=0.3), score=("test", "train")
    )
    plain = train(noisy, "FedMGDA", rounds=3, local=LocalSGD(lr=0.3))
    assert history.accuracy[0].mean() > plain.accuracy[0].mean() and history.accuracy[-1].min() > 0.8


def test_the_same_again_and_what_is_given_stays_as_it_was():
    noisy = attacks.noisy_labels(clusters(), [1, 4, 6], 0.6)
    module, before = models.build("logistic", noisy.dataset, seed=2), noisy.dataset.targets.clone()
    held = FlatModel(models.fresh(module, noisy.dataset, 0)).vector.clone()
    first, second = (METHOD.repair(noisy, module, seed=5) for _ in range(2))
    assert torch.equal(first.federation.dataset.targets, second.federation.dataset.targets)
    assert torch.equal(first.dimensions, second.dimensions) and torch.equal(noisy.dataset.targets, before)
    assert torch.equal(torch.nn.utils.parameters_to_vector(module.parameters()), held)
    assert not torch.equal(torch.nn.utils.parameters_to_vector(first.model.parameters()), held)


def test_dimensions_are_those_of_flat_clouds():
    for m in (1, 2, 5):
        cloud = torch.rand(400, m, generator=torch.Generator().manual_seed(m)).double() @ torch.eye(m, 8).double()
        told = intrinsic_dimensions(cloud, 20)
        assert abs(float(told.mean()) / m - 1) < 0.2
        few = cloud[:100]
        assert np.allclose(intrinsic_dimensions(few, 20), oracle.lid(few.numpy(), 20))
    moved = 7 * cloud @ torch.linalg.qr(torch.randn(8, 8, generator=torch.Generator().manual_seed(0)).double())[0] + 3
    assert torch.allclose(intrinsic_dimensions(moved, 20, slack=0), intrinsic_dimensions(cloud, 20, slack=0))


def test_dimensions_by_hand_and_where_there_are_none():
    line = torch.tensor([[0.0], [1.0], [-2.0], [4.0]])
    assert float(intrinsic_dimensions(line, 3, slack=0)[0]) == pytest.approx(1 / np.log(2))
    assert intrinsic_dimensions(torch.rand(2, 3)).isnan().all() and intrinsic_dimensions(torch.rand(1, 3)).isnan().all()
    same = torch.ones(5, 3)
    assert intrinsic_dimensions(same, slack=0).isnan().all()
    assert 0 < float(intrinsic_dimensions(same).max()) < 0.1
    for arguments, words in (
        ((line, 1), "neighbours is 1"),
        ((line[:, 0],), "shape of points"),
        ((line, 2, -1), "slack"),
        ((None,), "points is None"),
        ((line + 1j,), "torch.complex64"),
        ((line / torch.tensor([1.0, 0, 1, 0])[:, None],), r"non-finite entries is \[1, 3\]"),
    ):
        with pytest.raises(Refused, match=words):
            intrinsic_dimensions(*arguments)


def test_dimensions_of_arrays_lists_and_tensors_with_a_graph_are_those_of_tensors():
    cloud = torch.rand(30, 2, generator=torch.Generator().manual_seed(0))
    told = intrinsic_dimensions(cloud)
    for kind in (cloud.numpy(), cloud.tolist(), cloud.clone().requires_grad_()):
        again = intrinsic_dimensions(kind)
        assert torch.equal(again, told) and not again.requires_grad


@pytest.mark.parametrize("device", ["gpu", "meta", "cuda:99", 5.5])
def test_a_device_that_is_not_here_is_told(device):
    with pytest.raises(Refused, match="device"):
        METHOD.repair(clusters(), device=device)


@pytest.mark.parametrize("given", [None, "clusters"])
def test_what_is_no_federation_is_told(given):
    with pytest.raises(Refused, match="federation is .*; allowed: a Federation"):
        METHOD.repair(given)


def test_one_client_one_row_one_class():
    federation = clusters()
    one = Federation(federation.dataset, [torch.cat(federation.train)], [[]], [torch.cat(federation.test)])
    alone = METHOD.repair(one)
    assert alone.suspects == () and not alone.changed.any()
    rows = [federation.train[0][:1], federation.train[1][:2], *federation.train[2:7]]
    rows.append(federation.train[7][federation.dataset.targets[federation.train[7]] == 0])
    few = METHOD.repair(Federation(federation.dataset, rows, federation.validation, federation.test))
    assert few.dimensions.isnan().tolist() == [True, True] + [False] * 6
    assert not {0, 1} & set(few.suspects) and torch.isfinite(few.dimensions[2:]).all()
    tiny = [rows[:2] for rows in federation.train]
    assert METHOD.repair(Federation(federation.dataset, tiny, federation.validation, federation.test)).suspects == ()
    same = Federation(
        Dataset(torch.zeros(24, 2), [0, 1] * 12), [range(i, i + 5) for i in (0, 5, 10)], [[]] * 3, [[20]] * 3
    )
    assert torch.isfinite(METHOD.repair(same).dimensions).all()


def test_if_nobody_is_clean_the_least_noisy_fine_tune(monkeypatch):
    """A mixture may put everybody into its upper group; stage 2 still has somebody to train on."""
    monkeypatch.setattr("fairfl.clients.fedcorr._upper", lambda values: torch.ones(len(values), dtype=torch.bool))
    work, vector = LocalSGD(lr=0.3, epochs=20), torch.nn.utils.parameters_to_vector
    before, after = (FedCorr(passes=1, finetune=n, local=work, together=8).repair(clusters()) for n in (0, 2))
    assert after.suspects == tuple(range(8)) and (after.noise == 1).all()
    assert not torch.allclose(vector(before.model.parameters()), vector(after.model.parameters()), atol=1e-3)


def test_whose_model_is_not_finite_is_named():
    federation = clusters()
    rows = federation.train[3]
    federation.dataset.inputs[rows] *= 1e30
    with pytest.raises(Diverged, match="client 3's model .*round 0 of FedCorr") as caught:
        METHOD.repair(federation)
    assert set(caught.value.clients) == {3}


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(passes=0), "passes is 0"),
        (dict(neighbours=1), "neighbours is 1"),
        (dict(relabel=1.5), "relabel is 1.5; allowed: 0 to 1"),
        (dict(confidence=-0.1), "confidence is -0.1"),
        (dict(proximal=-1), "proximal is -1"),
        (dict(together=0), "together is 0"),
        (dict(local=0.1), "local is 0.1; allowed: LocalSGD"),
        (dict(local=LocalSGD(proximal=0.1)), "no proximal term and no correction"),
        (dict(local=LocalSGD(correct=Correction())), "no proximal term and no correction"),
    ],
)
def test_settings_out_of_range(settings, words):
    with pytest.raises(Refused, match=words):
        FedCorr(**settings)


def test_numbers_to_predict_have_no_labels_to_correct():
    dataset = Dataset(torch.rand(20, 2), torch.rand(20))
    with pytest.raises(Refused, match="FedCorr"):
        METHOD.repair(partition.iid(dataset, 2))
