"""``recut``: who holds what stays, which rows are held out is drawn anew."""

import torch
from refusals import refused

from fairfl import partition


def held(federation, client):
    return set(torch.cat([getattr(federation, part)[client] for part in ("train", "validation", "test")]).tolist())


def test_clients_keep_their_rows_and_the_cut_follows_the_seed(small):
    dealt = partition.shards(small, 4, 2, test=0.2)
    first, again, other = (partition.recut(dealt, seed=s, test=0.25, validation=0.25) for s in (1, 1, 2))
    assert first.digest == again.digest != other.digest
    for client in range(4):
        rows = len(held(dealt, client))
        assert held(first, client) == held(other, client) == held(dealt, client)
        assert len(first.test[client]) == len(first.validation[client]) == round(rows / 4)
        assert set(first.test[client].tolist()) != set(other.test[client].tolist())


def test_a_recut_does_not_depend_on_the_cut_before_it(small):
    dealt = partition.shards(small, 4, 2, test=0.2)
    before = partition.recut(dealt, seed=5, test=0.1)
    assert torch.equal(partition.recut(dealt, seed=1).test[0], partition.recut(before, seed=1).test[0])


def test_the_recipe_says_both(small):
    recipe = partition.recut(partition.shards(small, 4, 2, seed=3), seed=1).recipe
    assert recipe["law"] == "shards" and recipe["seed"] == 3 and recipe["recut"]["seed"] == 1


def test_a_common_pool_is_refused(small):
    pooled = partition.iid(small, 4, scored_on="pool", test=0.2)
    with refused("combination", "scored_on='own'"):
        partition.recut(pooled)
