"""Who gets which rows: the laws by which a dataset becomes a federation.

Every law takes the same three words about scoring. ``scored_on="own"`` keeps a fraction ``test`` of each
client's own rows aside. ``"pool"`` puts a fraction ``test`` of the whole dataset aside first, class by class, and scores
each client on the largest part of that pool that has the client's own mix of classes: many test rows a
client, so that the spread between clients is not the spread of a few images. ``"official"`` does the same
with the dataset's official test rows.
"""

import torch

from fairfl.data.dataset import Dataset
from fairfl.errors import refuse, unknown
from fairfl.federation import Federation
from fairfl.randomness import generator, numpy_generator

SCORED = ("own", "pool", "official")


def iid(dataset: Dataset, clients: int, *, seed: int = 0, **scoring) -> Federation:
    """Rows shuffled and dealt evenly: every client sees the same law of data.

    ``scoring``: ``scored_on``, ``test``, ``validation`` as this module's docstring says.
    """
    rows, pool = _put_aside(dataset, seed, **scoring)
    _enough(clients, len(rows))
    lists = torch.tensor_split(rows[torch.randperm(len(rows), generator=generator(seed, "split"))], clients)
    return _finish(dataset, lists, pool, seed, {"law": "iid", "seed": seed}, **scoring)


def shards(dataset: Dataset, clients: int, per_client: int = 2, *, seed: int = 0, **scoring) -> Federation:
    """Rows sorted by class, cut into ``clients * per_client`` equal shards, dealt at random.

    With two shards a client, most clients hold two classes. Source: McMahan et al. 2017, section 3; FedFV section 5.1.
    Rows that do not fill a shard go to the last one, so that none is lost.
    """
    rows, pool = _put_aside(dataset, seed, **scoring)
    if per_client < 1:
        raise refuse("per_client", per_client, "1 or more", "It is the number of shards a client gets.")
    _enough(clients * per_client, len(rows))
    rows = rows[torch.randperm(len(rows), generator=generator(seed, "split"))]
    rows = rows[torch.sort(dataset.targets[rows], stable=True).indices]
    size = len(rows) // (clients * per_client)
    cuts = [size * i for i in range(1, clients * per_client)]
    pieces = torch.tensor_split(rows, cuts)
    deal = torch.randperm(len(pieces), generator=generator(seed, "deal")).reshape(clients, per_client)
    lists = [torch.cat([pieces[int(i)] for i in hand]) for hand in deal]
    return _finish(dataset, lists, pool, seed, {"law": "shards", "per_client": per_client, "seed": seed}, **scoring)


def dirichlet(dataset: Dataset, clients: int, beta: float = 0.5, *, min_size: int = 10, seed: int = 0,
              **scoring) -> Federation:
    """Class by class, shares over the clients drawn from Dir(β·1): small β, strong skew.

    Drawn again until every client has ``min_size`` rows; after 1,000 draws it is refused. Source: Hsu et al. 2019 as
    used by AdaFed's CIFAR-10 set-up 2 (β = 0.5).
    """
    if not beta > 0:
        raise refuse("beta", beta, "a positive number", "0.1 is strong skew, 100 is nearly iid.")
    rows, pool = _put_aside(dataset, seed, **scoring)
    _enough(clients * min_size, len(rows))
    by_class = [rows[dataset.targets[rows] == c] for c in range(len(dataset.classes))]
    by_class = [r[torch.randperm(len(r), generator=generator(seed, "split", client=c))] for c, r in enumerate(by_class)]
    for attempt in range(1000):
        rng = numpy_generator(seed, "dirichlet", round=attempt)
        hands = [[] for _ in range(clients)]
        for r in by_class:
            cuts = (rng.dirichlet([beta] * clients).cumsum()[:-1] * len(r)).astype(int).tolist()
            for hand, piece in zip(hands, torch.tensor_split(r, cuts)):
                hand.append(piece)
        lists = [torch.cat(hand) for hand in hands]
        if min(len(r) for r in lists) >= min_size:
            recipe = {"law": "dirichlet", "beta": beta, "seed": seed}
            return _finish(dataset, lists, pool, seed, recipe, **scoring)
    raise ValueError(f"dirichlet(clients={clients}, beta={beta}) left somebody with fewer than {min_size} rows in 1,000 "
                     f"draws; use a larger beta, fewer clients or a smaller min_size")


def by_class(dataset: Dataset, groups: list | None = None, *, seed: int = 0, **scoring) -> Federation:
    """Client k holds rows of the classes in ``groups[k]`` (names or numbers; default: one client per class).

    Clients with the same group share its rows evenly; two different groups may not share a class. So
    ``[range(8)] * 9 + [[8, 9]]`` is nine clients with the digits 0 to 7 and one with the rest. Source: FedFV's and AdaFed's
    three-client Fashion-MNIST.
    """
    groups = [[c] for c in range(len(dataset.classes))] if groups is None else groups
    groups = [tuple(sorted({_class_number(dataset, c) for c in ([g] if isinstance(g, (str, int)) else g)})) for g in groups]
    distinct = list(dict.fromkeys(groups))
    flat = [c for g in distinct for c in g]
    if len(set(flat)) < len(flat):
        raise refuse("groups", groups, "groups that are equal or have no class in common",
                     "A class in two different groups would have two owners.")
    rows, pool = _put_aside(dataset, seed, **scoring)
    rows = rows[torch.randperm(len(rows), generator=generator(seed, "split"))]
    pieces = {}
    for g in distinct:
        held = rows[torch.isin(dataset.targets[rows], torch.tensor(g))]
        _enough(groups.count(g), len(held))
        pieces[g] = list(torch.tensor_split(held, groups.count(g)))
    lists = [pieces[g].pop(0) for g in groups]
    recipe = {"law": "by_class", "groups": [list(g) for g in groups], "seed": seed}
    return _finish(dataset, lists, pool, seed, recipe, **scoring)


def by_column(dataset: Dataset, column: str, *, min_size: int = 2, max_clients: int | None = None, seed: int = 0,
              **scoring) -> Federation:
    """One client for each value of ``column``: a writer, a speaking role, a domain.

    Values with fewer than ``min_size`` training rows are left out, and the recipe counts them. Of more than
    ``max_clients`` values, that many are drawn by ``seed``. With ``scored_on="official"`` a client is scored on the
    official test rows of its own value. With ``in_order=True`` a client's last rows are held out instead of random ones
    (text, where neighbouring windows overlap).
    """
    if column not in dataset.columns:
        raise unknown("column", column, dataset.columns, f"Dataset {dataset.name!r} can be split by these.")
    official = scoring.get("scored_on") == "official"
    rows, _ = _put_aside(dataset, seed, **scoring)
    values = dataset.columns[column]
    present, counts = values[rows].unique(return_counts=True)
    kept = present[counts >= min_size]
    if official:
        kept = kept[torch.isin(kept, values[dataset.test_from:])]
    dropped = len(present) - len(kept)
    if max_clients is not None and len(kept) > max_clients:
        chosen = torch.randperm(len(kept), generator=generator(seed, "columns"))[:max_clients]
        kept = kept[chosen.sort().values]
    lists = [rows[values[rows] == v] for v in kept]
    tests = None
    if official:
        test_rows = torch.arange(dataset.test_from, len(dataset))
        tests = [test_rows[values[test_rows] == v] for v in kept]
    recipe = {"law": "by_column", "column": column, "left_out": dropped, "seed": seed}
    return _finish(dataset, lists, None, seed, recipe, tests=tests, **scoring)


def _class_number(dataset: Dataset, c) -> int:
    if isinstance(c, str):
        if c not in dataset.classes:
            raise unknown("class", c, dataset.classes)
        return dataset.classes.index(c)
    if not 0 <= c < len(dataset.classes):
        raise refuse("class", c, f"0 to {len(dataset.classes) - 1}, or a name", "Look at dataset.classes.")
    return int(c)


def _enough(wanted: int, rows: int) -> None:
    if wanted < 1:
        raise refuse("the number of clients", wanted, "1 or more", "Give at least one client.")
    if wanted > rows:
        raise ValueError(f"{wanted} rows are needed to give every client its share and {rows} are there to split; "
                         f"use fewer clients or hold out less")


def _put_aside(dataset, seed, *, scored_on="own", test=0.2, validation=0.0, in_order=False):
    """Rows to split, and the rows of the held-out pool (or None)."""
    if scored_on not in SCORED:
        raise unknown("scored_on", scored_on, SCORED)
    for what, share in {"test": test, "validation": validation}.items():
        if not 0 <= share < 1:
            raise refuse(what, share, "a fraction from 0 to below 1", "It is the share of rows held out.")
    if test + validation >= 1:
        raise refuse("test + validation", test + validation, "below 1", "Leave rows to train on.")
    rows = torch.arange(dataset.test_from)
    if scored_on == "official":
        if dataset.test_from == len(dataset):
            raise ValueError(f"dataset {dataset.name!r} has no official test rows; use scored_on='own' or 'pool'")
        return rows, torch.arange(dataset.test_from, len(dataset))
    if scored_on == "own":
        return rows, None
    aside = []
    for c in range(len(dataset.classes)):
        of_class = rows[dataset.targets[rows] == c]
        order = torch.randperm(len(of_class), generator=generator(seed, "pool", client=c))
        aside.append(of_class[order[:round(test * len(of_class))]])
    pool = torch.cat(aside).sort().values
    return rows[~torch.isin(rows, pool)], pool


def _finish(dataset, lists, pool, seed, recipe, *, scored_on="own", test=0.2, validation=0.0, in_order=False, tests=None):
    """Cut every client's rows into train, validation and test, and check the result."""
    parts = {"train": [], "validation": [], "test": []}
    for client, rows in enumerate(lists):
        order = rows if in_order else rows[torch.randperm(len(rows), generator=generator(seed, "holdout", client=client))]
        n_test = round(test * len(rows)) if pool is None and tests is None else 0
        n_validation = round(validation * len(rows))
        n_train = len(rows) - n_test - n_validation
        parts["train"].append(order[:n_train])
        parts["validation"].append(order[n_train:n_train + n_validation])
        if tests is not None:
            parts["test"].append(tests[client])
        elif pool is None:
            parts["test"].append(order[n_train + n_validation:])
        else:
            parts["test"].append(_own_mix(dataset, rows, pool, seed, client))
    told = {"scored_on": scored_on} | ({} if scored_on == "official" else {"test": test})
    told |= {"validation": validation} if validation else {}
    return Federation(dataset, *(tuple(parts[p]) for p in ("train", "validation", "test")), recipe | told)


def _own_mix(dataset, rows, pool, seed, client):
    """The largest part of the pool whose classes are mixed as in ``rows``."""
    classes = len(dataset.classes)
    mix = torch.bincount(dataset.targets[rows], minlength=classes).double() / max(len(rows), 1)
    stock = torch.bincount(dataset.targets[pool], minlength=classes).double()
    held = mix > 0
    if not bool(held.any()):
        return pool[:0]
    size = float((stock[held] / mix[held]).min())
    take = torch.minimum((mix * size).round(), stock).long()
    chosen = []
    for c in held.nonzero().flatten().tolist():
        of_class = pool[dataset.targets[pool] == c]
        order = torch.randperm(len(of_class), generator=generator(seed, "score", round=c, client=client))
        chosen.append(of_class[order[:int(take[c])]])
    return torch.cat(chosen).sort().values
