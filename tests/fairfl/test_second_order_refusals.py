"""What FedNL and FedNew are given by hand: numbers of any kind, or a refusal that says what is wrong with them."""

import pytest
import torch
from refusals import refused

from fairfl import partition, train
from fairfl.clients import FedNew, FedNL
from fairfl.errors import Diverged, Refused

G, H = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]), torch.diag(torch.tensor([1.0, 2.0, 4.0])).repeat(2, 1, 1)
BOTH = pytest.mark.parametrize("method", [FedNL(), FedNew()])


@pytest.mark.parametrize("name", ["project", "warm"])
def test_yes_and_no_are_no_words(name):
    with pytest.raises(Refused, match=f"{name} is 'no'; allowed: True or False"):
        FedNL(**{name: "no"})


@BOTH
def test_arrays_lists_and_tensors_with_a_graph_give_the_rows_of_tensors(method):
    shares = [0.25, 0.75]
    rows = method.rows(G, H, {}, torch.tensor(shares))
    for kind in (lambda t: t.numpy(), lambda t: t.tolist(), lambda t: t.clone().requires_grad_()):
        again = method.rows(kind(G), kind(H), {}, shares)
        assert torch.equal(again, rows) and not again.requires_grad


@BOTH
@pytest.mark.parametrize(
    "given, words",
    [
        ((G + 1j, H), "gradients .*complex"),
        ((G, H + 1j), "hessians .*complex"),
        ((None, H), "gradients is .*None"),
        (([[1.0], [1.0, 2.0]], H), "lists of one length"),
        ((G, "H"), "hessians is '"),
        ((G, H, {}, torch.tensor([torch.nan, 1.0])), r"shares is \[nan, 1.0\]; allowed"),
        ((G, H, {}, "half"), "shares is '"),
    ],
)
def test_what_is_no_real_numbers_is_refused(method, given, words):
    with pytest.raises(Refused, match=words):
        method.rows(*given, **({} if len(given) > 2 else {"kept": {}}))


@BOTH
def test_another_problem_begins_with_nothing_kept(method):
    kept: dict = {}
    method.rows(G, H, kept)
    for other in ((G[:1], H[:1]), (G[:, :2], H[:, :2, :2])):
        with refused("shape", "gradients is", "(2, 3", "kept"):
            method.rows(*other, kept)


def test_a_direction_that_cannot_be_used_is_not_kept():
    method, kept = FedNew(), {}
    rows = method.rows(G, H, kept)
    for bad, error in (
        (torch.full((3,), torch.nan), Diverged),
        (torch.tensor([torch.inf, 0, 0]), Diverged),
        (torch.ones(2), Refused),
        (torch.ones(2, 3), Refused),
        ("d", Refused),
    ):
        with pytest.raises(error, match="direction"):
            method.heard(bad, kept)
    method.heard(rows.mean(0).tolist(), kept)
    assert torch.isfinite(method.rows(G, H, kept)).all()


def test_a_matrix_whose_size_overflows_is_told():
    with pytest.raises(Diverged, match="FedNL's matrix.*ridge"):
        FedNL().rows(G, H.double() * 1e200, {})


class Casting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 3)

    def forward(self, x):
        return self.layer(x.float())


@pytest.mark.parametrize("every", [1, None])
def test_a_model_that_casts_its_numbers_is_told(small, every):
    with refused("type", "float64", "forward"):
        train(partition.iid(small, 3), model=Casting(), rounds=2, local=FedNew(every=every))
