"""Partitioners by class and at random. ``scored_on``, ``test``, ``validation``: see ``fairfl.partition.holdout``."""

from collections.abc import Iterable, Mapping

import torch

from fairfl._randomness import generator, numpy_generator
from fairfl._validation import integer, number
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, refuse
from fairfl.federation import Federation
from fairfl.partition.holdout import Scoring, a_count, enough, finish, put_aside
from fairfl.partition.partitioner import partitioner

# Far above this, the sum of the numbers that NumPy draws for the clients is infinite, and the shares are 0.
FLATTEST = 1e100


@partitioner
def iid(
    dataset: Dataset, clients: int, *, seed: int = 0, scored_on: str = "own", test: float = 0.2, validation: float = 0.0
) -> Federation:
    """Rows shuffled and dealt evenly: every client sees the same distribution of data."""
    clients = a_count(clients)
    scoring = Scoring(seed, scored_on, test, validation)
    rows, pool = put_aside(dataset, scoring)
    enough(clients, len(rows))
    lists = torch.tensor_split(rows[torch.randperm(len(rows), generator=generator(seed, "split"))], clients)
    return finish(dataset, lists, pool, scoring)


@partitioner
def shards(
    dataset: Dataset,
    clients: int,
    per_client: int = 2,
    *,
    seed: int = 0,
    scored_on: str = "own",
    test: float = 0.2,
    validation: float = 0.0,
) -> Federation:
    """Rows sorted by class, cut into ``clients * per_client`` equal shards, dealt at random.

    With two shards per client, most clients hold two classes. Source: McMahan et al. 2017, section 3; FedFV section
    5.1. Rows that do not fill a shard go to the last one, so none is lost.
    """
    clients = a_count(clients)
    per_client = integer("per_client", per_client, 1, "It is the number of shards per client.")
    scoring = Scoring(seed, scored_on, test, validation)
    rows, pool = put_aside(dataset, scoring)
    enough(clients * per_client, len(rows))
    rows = rows[torch.randperm(len(rows), generator=generator(seed, "split"))]
    rows = rows[torch.sort(dataset.class_labels("partition.shards")[rows], stable=True).indices]
    size = len(rows) // (clients * per_client)
    cuts = [size * i for i in range(1, clients * per_client)]
    pieces = torch.tensor_split(rows, cuts)
    deal = torch.randperm(len(pieces), generator=generator(seed, "deal")).reshape(clients, per_client)
    lists = [torch.cat([pieces[int(i)] for i in hand]) for hand in deal]
    return finish(dataset, lists, pool, scoring)


@partitioner
def dirichlet(
    dataset: Dataset,
    clients: int,
    beta: float = 0.5,
    *,
    min_size: int = 10,
    seed: int = 0,
    scored_on: str = "own",
    test: float = 0.2,
    validation: float = 0.0,
) -> Federation:
    """Each class is divided over the clients in proportions drawn from Dir(β·1): the smaller β, the stronger the skew.

    The draw is repeated until every client has ``min_size`` rows, and refused after 1,000 attempts. Source: Hsu et al.
    2019, as used by AdaFed's CIFAR-10 set-up 2 (β = 0.5).

    >>> from fairfl import data, partition
    >>> federation = partition.dirichlet(data.load("digits"), 10, beta=0.5, min_size=20, test=0.5)
    >>> len(federation), bool((federation.sizes >= 10).all())
    (10, True)
    """
    clients = a_count(clients)
    beta = number("beta", beta, 0, FLATTEST, "0.1 is strong skew, 100 is nearly iid.", above=True)
    min_size = integer("min_size", min_size, 1, "It is the smallest number of rows that a client may hold.")
    scoring = Scoring(seed, scored_on, test, validation)
    rows, pool = put_aside(dataset, scoring)
    enough(clients * min_size, len(rows))
    labels = dataset.class_labels("partition.dirichlet")[rows]
    by_class = [rows[labels == c] for c in range(len(dataset.classes))]
    by_class = [r[torch.randperm(len(r), generator=generator(seed, "split", client=c))] for c, r in enumerate(by_class)]
    for attempt in range(1000):
        rng = numpy_generator(seed, "dirichlet", round=attempt)
        hands: list[list[torch.Tensor]] = [[] for _ in range(clients)]
        for r in by_class:
            cuts = (rng.dirichlet([beta] * clients).cumsum()[:-1] * len(r)).astype(int).tolist()
            for hand, piece in zip(hands, torch.tensor_split(r, cuts)):
                hand.append(piece)
        lists = [torch.cat(hand) for hand in hands]
        if min(len(r) for r in lists) >= min_size:
            return finish(dataset, lists, pool, scoring)
    raise Refused(
        f"dirichlet(clients={clients}, beta={beta}) left a client with fewer than {min_size} rows in each of 1,000 "
        f"draws; use a larger beta, fewer clients or a smaller min_size",
        "combination",
    )


@partitioner
def by_class(
    dataset: Dataset,
    groups: list | None = None,
    *,
    seed: int = 0,
    scored_on: str = "own",
    test: float = 0.2,
    validation: float = 0.0,
) -> Federation:
    """Client k holds rows of the classes in ``groups[k]`` (names or numbers; default: one client per class).

    Clients with the same group share its rows evenly; two different groups may not share a class. So
    ``[range(8)] * 9 + [[8, 9]]`` is nine clients with the digits 0 to 7 and one with the rest. Source: FedFV's and
    AdaFed's three-client Fashion-MNIST.
    """
    labels = dataset.class_labels("partition.by_class")
    groups = [[c] for c in range(len(dataset.classes))] if groups is None else groups
    if not _lists(groups):
        remedy = "Name each client's classes: [[0, 1], [2]]."
        raise refuse("groups", groups, "a list of groups, one per client", remedy, "type")
    groups = [tuple(sorted({dataset.class_number(c) for c in (g if _lists(g) else [g])})) for g in groups]
    distinct = list(dict.fromkeys(groups))
    flat = [c for g in distinct for c in g]
    if len(set(flat)) < len(flat):
        raise refuse(
            "groups",
            groups,
            "groups that are equal or have no class in common",
            "A class in two different groups would have two owners.",
            "combination",
        )
    scoring = Scoring(seed, scored_on, test, validation)
    rows, pool = put_aside(dataset, scoring)
    rows = rows[torch.randperm(len(rows), generator=generator(seed, "split"))]
    pieces = {}
    for g in distinct:
        held = rows[torch.isin(labels[rows], torch.tensor(g))]
        enough(groups.count(g), len(held))
        pieces[g] = list(torch.tensor_split(held, groups.count(g)))
    lists = [pieces[g].pop(0) for g in groups]
    return finish(dataset, lists, pool, scoring, facts={"groups": [list(g) for g in groups]})


@partitioner
def some_classes(
    dataset: Dataset,
    clients: int,
    per_client: int = 5,
    *,
    seed: int = 0,
    scored_on: str = "own",
    test: float = 0.2,
    validation: float = 0.0,
) -> Federation:
    """Each client is dealt ``per_client`` classes at random; the clients that hold a class share its rows evenly.

    The draw is repeated until every class has a holder, and refused after 1,000 attempts. Source: FEMNIST-skewed
    (q-FFL, AdaFed): letters a to j, 100 clients, 5 classes each.
    """
    labels, classes = dataset.class_labels("partition.some_classes"), len(dataset.classes)
    clients = a_count(clients)
    per_client = integer("per_client", per_client, 1, "It is the number of classes that a client holds.", high=classes)
    if clients * per_client < classes:
        remedy = "Otherwise some class has no holder."
        raise refuse("clients × per_client", clients * per_client, f"{classes} or more", remedy, "combination")
    scoring = Scoring(seed, scored_on, test, validation)
    rows, pool = put_aside(dataset, scoring)
    enough(clients * per_client, len(rows))  # the classes need this many together; checked before a long draw
    for attempt in range(1000):
        g = generator(seed, "classes", round=attempt)
        hands = torch.stack([torch.randperm(classes, generator=g)[:per_client] for _ in range(clients)])
        if len(hands.unique()) == classes:
            break
    else:
        raise Refused(
            f"{clients} clients with {per_client} classes each left a class without a holder in each of "
            "1,000 draws; use more clients, or more classes per client",
            "combination",
        )
    lists: list[list[torch.Tensor]] = [[] for _ in range(clients)]
    for c in range(classes):
        held = rows[labels[rows] == c]
        held = held[torch.randperm(len(held), generator=generator(seed, "split", client=c))]
        owners = (hands == c).any(1).nonzero().flatten().tolist()
        enough(len(owners), len(held))
        for owner, piece in zip(owners, torch.tensor_split(held, len(owners))):
            lists[owner].append(piece)
    return finish(dataset, [torch.cat(pieces) for pieces in lists], pool, scoring)


def _lists(given: object) -> bool:
    """Whether ``given`` is a collection, and not one class by its name or number."""
    return isinstance(given, Iterable) and not isinstance(given, (str, Mapping)) and getattr(given, "ndim", 1) > 0
