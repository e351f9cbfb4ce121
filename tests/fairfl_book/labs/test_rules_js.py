"""The rules in JavaScript give the directions of ``fairfl.rules``: random rounds, degenerate ones among them."""

from dataclasses import replace

import numpy as np
import pytest
from fairfl_book.build import node
from fairfl_book.labs.all_rules import FAMILIES, NEED_A_MAJORITY, RULES

from fairfl import rules
from fairfl.updates import Layout, Updates

pytestmark = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
ROUNDS = 200  # 20 of each degenerate kind
IN_A_PLANE, FOR_TWO = ("NashMTL", "FairGrad"), ("PCGrad",)  # which the JavaScript computes there only


def rounds(seed, clients=4, dimensions=5):
    """Gradients G (K, d), losses, Newton falls, accuracies, and how often the round is shown; rows may be parallel, opposite, equal,
    zero or long, and losses or falls equal. K is at most ``clients``, d at most ``dimensions``."""
    rng = np.random.default_rng(seed)
    for n in range(ROUNDS):
        K, d = rng.integers(1, clients + 1), rng.integers(2, dimensions + 1)
        G = rng.normal(size=(K, d)) * rng.uniform(0.1, 2, size=(K, 1))
        losses, falls = rng.uniform(0.2, 4, size=(2, K))
        j, k = rng.integers(K, size=2)
        match n % 10:
            case 1:
                G[j] = G[k]
            case 2:
                G[j] = -rng.uniform(0.2, 3) * G[k]
            case 3:
                G[j] = 0
            case 4:
                G[:, 2:] = 0
            case 5:
                G[j] *= 100
            case 6:
                losses[:], falls[:] = losses[0], falls[0]
            case 7:
                G[j] = rng.uniform(0.2, 3) * G[k]
                losses[j] = losses[k]
            case 8:
                G[:] = rng.choice([-1, 0, 1, 2], size=(K, 1)) * G[0]  # all on one line, some opposite and as long
        yield G, losses, falls, rng.uniform(0.01, 1, K), int(rng.integers(1, 4))


def decided(name, G, losses, falls, accuracies, times):
    """The direction of the package's rule, shown this round ``times`` times."""
    updates = Updates(
        G,
        losses=losses,
        shares=np.full(len(G), 1 / len(G)),
        layout=Layout(("w",), ((G.shape[1],),)),
        extras={"newton_rates": falls, "accuracies": accuracies},
    )
    rule = rules.make(name)
    for t in range(times):
        answer = rule.direction(replace(updates, round=t))
    return answer.vector.numpy()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_rules_direction(name):
    clients, dimensions = 2 if name in FOR_TWO else 4, 2 if name in IN_A_PLANE else 5
    given = list(rounds(list(FAMILIES).index(name), clients, dimensions))
    if not rules.make(name).remembers or name in ("FedFV", "FedLF", "FedMDFG"):  # these remember absent clients
        given = [(*one[:-1], 1) for one in given]
    function = "(name, G, losses, falls, accuracies, times) => EVERY.find((rule) => rule.name === name).direction({ G, losses, falls, accuracies }, times)"
    calls = [[rules.make(name).name, *(v if isinstance(v, int) else v.tolist() for v in one)] for one in given]
    for one, theirs in zip(given, node.each(function, calls, {"{ EVERY }": "rules"})):
        ours = decided(name, *one)
        size = max(np.linalg.norm(one[0], axis=1).max(), np.linalg.norm(ours))
        if name in ("FedFV", "FedLF", "FedMDFG") and np.linalg.norm(one[0].mean(0)) < 1e-7 * size:
            continue  # they give their answer the length of the mean, here the root of a rounding error
        assert np.abs(ours - theirs).max() < 1e-9 * max(size, 1), (one, ours, theirs)


def test_the_drawing_knows_the_packages_rules_and_what_they_fix():
    [known] = node.each(
        "() => EVERY.map(({ name, kind, source }) => [name, kind, source])", [[]], {"{ EVERY }": "rules"}
    )
    assert known == [
        [rules.make(name).name, kind, source] for source, some in RULES.items() for name, kind in some.items()
    ]
    assert [*FAMILIES, *NEED_A_MAJORITY] == rules.names()
