"""``backward``: the rule's direction of K gradients, in ``.grad``, and nothing there if it is refused."""

import copy
from dataclasses import dataclass

import pytest
import torch
from refusals import refused

import fairfl
from fairfl import Updates, backward, rules
from fairfl.errors import Diverged


class Tasks(torch.nn.Module):
    """A trunk, and a head for each of three regressions."""

    def __init__(self, tasks=3):
        super().__init__()
        self.trunk = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh())
        self.unused = torch.nn.Linear(2, 2)
        self.heads = torch.nn.ModuleList(torch.nn.Linear(5, 1) for _ in range(tasks))

    def losses(self, seed=0):
        x = torch.randn(8, 4, generator=torch.Generator().manual_seed(seed))
        shared = self.trunk(x)
        return [((head(shared)[:, 0] - (k - 1) * x.sum(1)) ** 2).mean() for k, head in enumerate(self.heads)]


@pytest.fixture
def model():
    return Tasks()


def jacobian(losses, parameters):
    """The gradients as rows, in PyTorch's own words."""
    parameters = list(parameters)
    rows = [torch.autograd.grad(loss, parameters, retain_graph=True, allow_unused=True) for loss in losses]
    fill = lambda row: [torch.zeros_like(p) if g is None else g for g, p in zip(row, parameters)]
    return torch.stack([torch.cat([g.flatten() for g in fill(row)]) for row in rows])


def in_grad(parameters):
    return torch.cat([p.grad.flatten() for p in parameters])


NEEDS_A_FEDERATION = {"FedFA": "accuracies", "DQNFed": "newton_rates"}


@pytest.mark.parametrize("name", sorted(set(rules.names()) - set(NEEDS_A_FEDERATION)))
def test_grad_is_the_rules_direction_of_the_losses_gradients(model, name):
    losses, parameters = model.losses(), list(model.parameters())
    rows = jacobian(losses, parameters)
    layout = fairfl.Layout(tuple(map(str, range(len(parameters)))), tuple(tuple(p.shape) for p in parameters))
    expected = rules.make(name).direction(
        Updates(rows, losses=[float(loss.detach()) for loss in losses], layout=layout)
    )
    found = backward(losses, model.parameters(), rules.make(name))
    assert torch.equal(found.vector, expected.vector) and torch.equal(in_grad(parameters), expected.vector)
    for what in ("weights", "rates"):
        one, other = getattr(found, what), getattr(expected, what)
        assert (one is None and other is None) or torch.equal(one, other)


@pytest.mark.parametrize("name, lacking", sorted(NEEDS_A_FEDERATION.items()))
def test_what_only_a_federation_has_is_refused_by_name_or_passed(model, name, lacking):
    with refused("missing", rules.make(name).name, lacking, "extras"):
        backward(model.losses(), model.parameters(), rules.make(name))
    assert all(p.grad is None for p in model.parameters())
    backward(model.losses(), model.parameters(), rules.make(name), extras={lacking: [0.1, 0.2, 0.3]})
    assert model.trunk[0].weight.grad.abs().sum() > 0


def test_two_lines_of_a_loop_lower_every_loss(model):
    optimiser = torch.optim.SGD(model.trunk.parameters(), lr=0.01)
    before = torch.stack(model.losses()).detach()
    for _ in range(5):
        optimiser.zero_grad()
        backward(model.losses(), model.trunk.parameters(), "UPGrad")
        optimiser.step()
    assert bool((torch.stack(model.losses()) < before).all())


def test_grads_add_up_and_share_no_memory_with_the_direction(model):
    first = backward(model.losses(), model.trunk.parameters(), "FedMGDA")
    once = in_grad(model.trunk.parameters())
    backward(model.losses(), model.trunk.parameters(), "FedMGDA")
    assert torch.allclose(in_grad(model.trunk.parameters()), 2 * once)
    assert torch.equal(first.vector, once)


def test_heads_get_the_gradient_of_their_own_loss_and_no_part_of_the_direction(model):
    losses = model.losses()
    trunk = jacobian(losses, model.trunk.parameters())
    own = [
        torch.autograd.grad(loss, list(head.parameters()), retain_graph=True) for loss, head in zip(losses, model.heads)
    ]
    found = backward(losses, model.trunk.parameters(), "FedMGDA", heads=[head.parameters() for head in model.heads])
    assert torch.equal(found.vector, rules.FedMGDA().direction(Updates(trunk)).vector)
    for head, gradients in zip(model.heads, own):
        assert all(torch.equal(p.grad, g) for p, g in zip(head.parameters(), gradients))
    with refused("combination", "heads[0]"):
        backward(model.losses(), model.parameters(), heads=[head.parameters() for head in model.heads])
    with refused("shape", "2 lists", "3 lists"):
        backward(model.losses(), model.trunk.parameters(), heads=[[], []])


def test_one_tensor_of_losses_is_the_same(model):
    found = backward(torch.stack(model.losses()), model.parameters())
    assert torch.allclose(found.vector, backward(model.losses(), model.parameters()).vector)


def test_shares_are_a_priori_weights(model):
    found = backward(model.losses(), model.parameters(), "FedAvg", shares=[0.5, 0.25, 0.25])
    assert found.weights.tolist() == [0.5, 0.25, 0.25]


def test_frozen_parameters_are_skipped_and_types_are_kept(model):
    model.trunk[0].bias.requires_grad_(False)
    model.trunk[0].weight.data = model.trunk[0].weight.data.double()
    model.trunk[0].bias.data = model.trunk[0].bias.data.double()
    weight = model.trunk[0].weight
    losses = [(weight * k).sum() + sum(p.sum() for p in model.heads[0].parameters()).double() for k in (1.0, 2.0)]
    found = backward(losses, [*model.trunk.parameters(), *model.heads[0].parameters()])
    assert found.vector.dtype == torch.float64 and len(found.vector) == 20 + 6
    assert model.trunk[0].bias.grad is None and model.heads[0].weight.grad.dtype == torch.float32


def test_the_graph_is_freed_unless_it_is_retained(model):
    losses = model.losses()
    backward(losses, model.parameters(), retain_graph=True)
    backward(losses, model.parameters())
    with pytest.raises(RuntimeError):
        backward(losses, model.parameters())


class Seen(rules.GramRule):
    remembers = ("count",)
    seen: list = []

    def weights(self, gram, updates):
        self._count = (self._count or 0) + 1
        self.seen.append((updates.round, self._count))
        return torch.ones(len(updates))


@dataclass(frozen=True)
class Frozen(rules.GramRule):
    scale: float = 1.0

    def weights(self, gram, updates):
        return self.scale * torch.ones(len(updates))


def test_an_instance_keeps_its_state_and_counts_its_calls(model):
    rule, Seen.seen = Seen(), []
    for _ in range(3):
        backward(model.losses(), model.parameters(), rule)
    backward(model.losses(), model.parameters(), rule, round=7)
    assert Seen.seen == [(0, 1), (1, 2), (2, 3), (7, 4)]
    backward(model.losses(), model.parameters(), copy.deepcopy(rule))
    assert Seen.seen[-1] == (4, 5)
    backward(model.losses(), model.parameters(), Frozen())


def test_a_random_order_is_drawn_anew_in_every_call(model):
    rows = torch.randn(6, 4, generator=torch.Generator().manual_seed(1)) - 0.3
    w, rule = torch.zeros(4, requires_grad=True), rules.PCGrad()
    found = [backward([row @ w for row in rows], [w], rule).vector for _ in range(4)]
    assert any(not torch.allclose(found[0], other) for other in found[1:])


@pytest.mark.parametrize("name", ["AFL", "FedFV", "PCGrad", "FedHEAL"])
def test_a_name_of_a_rule_that_lasts_is_refused(model, name):
    with refused("state", rules.make(name).name, "rules.make"):
        backward(model.losses(), model.parameters(), name)


@pytest.mark.parametrize(
    "change, kind, mentions",
    [
        (dict(losses=[]), "missing", ["losses"]),
        (dict(losses=1.0), "type", ["losses"]),
        (dict(losses=[1.0, 2.0]), "type", ["loss 0", ".item()"]),
        (dict(losses=[torch.ones(2, requires_grad=True)]), "shape", ["loss 0", "mean()"]),
        (dict(losses=[torch.ones((), requires_grad=True)]), "missing", ["loss 0"]),
        (dict(losses=[torch.ones(())]), "missing", ["loss 0"]),
        (dict(parameters=[]), "missing", ["parameters"]),
        (dict(parameters=Tasks()), "type", ["model.parameters()"]),
        (dict(parameters=[1.0]), "type", ["float"]),
        (dict(parameters=[torch.ones(2, requires_grad=True) * 2]), "type", ["leaf"]),
        (dict(parameters=2 * [torch.ones(2, requires_grad=True)]), "value", ["twice"]),
        (dict(rule="FedMGAD"), "name", ["FedMGDA"]),
        (dict(extras=3), "type", ["extras"]),
        (dict(shares=[1.0, 1.0, 1.0]), "value", ["shares"]),
        (dict(round=-1), "value", ["round"]),
    ],
)
def test_refusals_come_before_any_grad_changes(model, change, kind, mentions):
    given = dict(losses=model.losses(), parameters=model.parameters(), rule="FedAvg") | change
    with refused(kind, *mentions):
        backward(given.pop("losses"), given.pop("parameters"), **given)
    assert all(p.grad is None for p in model.parameters())


def test_what_is_not_finite_is_named_and_leaves_grad_alone():
    w = torch.zeros(2, requires_grad=True)
    with pytest.raises(Diverged, match="loss 1 is nan"):
        backward([w.sum(), w.sum() * float("nan")], [w])
    with pytest.raises(Diverged, match="gradient of loss 1"):
        backward([w.sum(), w.sqrt().sum()], [w])
    assert w.grad is None


class Short(rules.Rule):
    def combine(self, updates):
        return rules.Direction(updates.gradients[0, :1])


def test_a_vector_of_the_wrong_length_is_refused(model):
    with refused("shape", "Short"):
        backward(model.losses(), model.parameters(), Short())
