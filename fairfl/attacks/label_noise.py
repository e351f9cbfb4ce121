"""``noisy_labels``: clients with wrong training labels."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, number
from fairfl.errors import Refused, refuse
from fairfl.federation import Federation, check_federation


def noisy_labels(federation: Federation, clients: int | Iterable[int], fraction: float, seed: int = 0) -> Federation:
    """A copy of ``federation`` in which ``fraction`` of the training labels of ``clients`` are wrong.

    Of each named client's n training rows, ``round(fraction · n)`` get another class, each of the other classes with
    equal probability (symmetric noise). The draw of rows and classes is keyed by (seed, client), so a client's noise
    does not depend on which other clients are named. Test and validation labels stay correct. Training rows have one
    owner, so no other client is affected.

    Raises ``Refused`` for clients that are not in the federation or named twice, a fraction out of range, and a dataset
    with fewer than two classes.

    Source: classification noise of Angluin and Laird 1988, for more than two classes. (The label-noise tables of AdaFed
    and DQN-Fed use Clothing1M, whose own labels are noisy.)
    """
    check_federation(federation)
    given: Any = clients.tolist() if hasattr(clients, "tolist") else clients
    given = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    last, remedy = len(federation) - 1, "Name clients of the federation."
    named = [integer("a client with noisy labels", client, 0, remedy, high=last) for client in given]
    if len(set(named)) < len(named):
        remedy = "Name each client once; fraction sets how much noise it gets."
        raise refuse("clients", named, "each client once", remedy, "combination")
    number("fraction", fraction, 0, 1, "It is the fraction of a client's training labels that become wrong.")
    dataset, classes = federation.dataset, len(federation.dataset.classes)
    if classes == 1:
        raise Refused("noisy labels need two classes or more: the dataset has 1, so there is no other label", "missing")
    targets = dataset.class_labels("attacks.noisy_labels").clone()
    for client in named:
        rows, chance = federation.train[client], generator(seed, "label noise", client=client)
        wrong = rows[torch.randperm(len(rows), generator=chance)[: round(fraction * len(rows))]]
        shift = torch.randint(1, classes, (len(wrong),), generator=chance)
        targets[wrong] = (targets[wrong] + shift) % classes
    done = f"{fraction:g} of the training labels of clients {', '.join(map(str, sorted(named)))} wrong (seed {seed})"
    dataset = replace(dataset, targets=targets, variant="; ".join(filter(None, (dataset.variant, done))))
    recipe = federation.recipe | {"noisy_labels": {"clients": sorted(named), "fraction": fraction, "seed": seed}}
    return replace(federation, dataset=dataset, recipe=recipe)
