"""``partition.split``: a reader's own lists, in every form that they come in, scored as the partitioners score."""

import pydoc
from dataclasses import replace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import partition

THIRDS = [list(range(20)), list(range(20, 40)), list(range(40, 60))]


def mask(rows):
    held = np.zeros(60, dtype=bool)
    held[rows] = True
    return held


FORMS = {
    "lists": list,
    "ranges": lambda rows: range(rows[0], rows[-1] + 1),
    "arrays": np.array,
    "short integers": lambda rows: np.array(rows, dtype=np.uint8),
    "tensors": torch.tensor,
    "masks": mask,
    "lists of truth values": lambda rows: mask(rows).tolist(),
    "tensor masks": lambda rows: torch.tensor(mask(rows)),
}


def sets(lists):
    return [set(rows.tolist()) for rows in lists]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_rows_makes_the_same_federation(small, form):
    given = [FORMS[form](rows) for rows in THIRDS]
    cut = partition.split(small, given, test=0.25, validation=0.1, seed=4)
    assert cut.digest == partition.split(small, THIRDS, test=0.25, validation=0.1, seed=4).digest
    assert [len(part[0]) for part in (cut.train, cut.validation, cut.test)] == [13, 2, 5]
    assert [a | b | c for a, b, c in zip(*map(sets, (cut.train, cut.validation, cut.test)))] == [set(r) for r in THIRDS]
    asked = partition.split(small, given[:1], validation=given[1:2], test=given[2:])
    assert [part[0].tolist() for part in (asked.train, asked.validation, asked.test)] == THIRDS


def test_rows_are_cut_as_the_laws_cut_them_and_by_the_seed(small):
    dealt = partition.by_class(small, seed=2, test=0.3, validation=0.1)
    classes = [small.targets == c for c in range(3)]
    first, again, other = (partition.split(small, classes, seed=s, test=0.3, validation=0.1) for s in (2, 2, 3))
    assert first.digest == again.digest != other.digest
    for part in ("train", "validation", "test"):
        assert (first.class_counts(part) == dealt.class_counts(part)).all()


@pytest.mark.parametrize("scored_on", ["own", "pool", "official"])
def test_a_laws_own_rows_given_as_lists_are_that_laws_federation(small, scored_on):
    dataset = replace(small, test_from=45)
    dealt = partition.dirichlet(dataset, 3, 1.0, min_size=3, scored_on=scored_on, test=0.4, seed=5)
    how = {"test": dealt.test} if scored_on == "own" else {"scored_on": scored_on, "test": 0.4}
    assert partition.split(dataset, dealt.train, seed=5, **how).digest == dealt.digest


def test_where_nothing_is_cut_rows_keep_the_readers_order(small):
    federation = partition.split(small, [[9, 3, 7], [5, 1]], test=[[12, 10], [10]], seed=1)
    assert [rows.tolist() for rows in federation.train] == [[9, 3, 7], [5, 1]]
    assert [rows.tolist() for rows in federation.test] == [[12, 10], [10]]
    assert [rows.tolist() for rows in federation.validation] == [[], []]


def test_one_fraction_beside_lists_of_ones_own(small):
    asked = partition.split(small, [THIRDS[0]], test=[THIRDS[1]], validation=0.25)
    assert [len(asked.train[0]), len(asked.validation[0])] == [15, 5] and asked.test[0].tolist() == THIRDS[1]
    assert set(asked.train[0].tolist()) | set(asked.validation[0].tolist()) == set(THIRDS[0])
    asked = partition.split(small, [THIRDS[0]], validation=[THIRDS[1]], test=0.25)
    assert [len(asked.train[0]), len(asked.test[0])] == [15, 5] and asked.validation[0].tolist() == THIRDS[1]


def test_the_pool_is_that_of_the_laws_and_leaves_the_lists(small):
    """The pool that one client with all classes is scored on is the whole pool."""
    pool = set(partition.iid(small, 1, scored_on="pool", test=0.3, seed=6).test[0].tolist())
    assert len(pool) == 18
    lists, held = [list(range(30)), list(range(30, 50))], list(range(50, 60))
    federation = partition.split(small, lists, scored_on="pool", test=0.3, validation=[held, []], seed=6)
    assert [rows.tolist() for rows in federation.train] == [[r for r in rows if r not in pool] for rows in lists]
    assert federation.validation[0].tolist() == [r for r in held if r not in pool]
    assert all(rows and rows <= pool for rows in sets(federation.test))
    assert federation.recipe["rows_in_pool"] == 18
    short = partition.split(small, lists, scored_on="pool", test=0.3, seed=6)
    assert short.recipe["rows_in_pool"] == len(pool & set(range(50)))


def test_official_rows_score_and_are_not_split(small):
    dataset = replace(small, test_from=40)
    federation = partition.split(dataset, THIRDS[:2], scored_on="official", validation=0.1)
    assert all(rows and min(rows) >= 40 for rows in sets(federation.test))
    assert "test" not in federation.recipe
    assert partition.split(dataset, THIRDS[:1], test=THIRDS[2:]).test[0].tolist() == THIRDS[2]
    for how in ({"lists": THIRDS}, {"lists": THIRDS[:1], "validation": THIRDS[2:]}):
        with refused("value", "40", "test_from=len(dataset)"):
            partition.split(dataset, **how)


def test_the_recipe_says_own_lists_and_the_digest_covers_the_rows(small):
    federation = partition.split(small, THIRDS, test=0.25, seed=np.int64(4))
    assert federation.recipe == {"law": "own lists", "scored_on": "own", "test": 0.25, "validation": 0.0, "seed": 4}
    asked = partition.split(small, THIRDS[:1], test=THIRDS[1:2], validation=THIRDS[2:])
    assert asked.recipe["test"] == asked.recipe["validation"] == "own lists"
    assert "law=own lists" in asked.passport()
    other = partition.split(small, [THIRDS[0][:-1]], test=THIRDS[1:2], validation=THIRDS[2:])
    assert other.recipe == asked.recipe and other.digest != asked.digest


WRONG = [
    ({"lists": [THIRDS[0], THIRDS[1], [40, 19]]}, "combination", ["row 19", "lists[0]", "lists[2]"]),
    ({"lists": [[0, 1], [2, 3, 3]]}, "combination", ["row 3", "lists[1]"]),
    ({"lists": THIRDS[:1], "test": [[41, 41]]}, "combination", ["row 41", "test[0]"]),
    ({"lists": THIRDS[:1], "test": [[41, 5]]}, "combination", ["row 5", "lists", "test"]),
    ({"lists": THIRDS[:1], "validation": [[6]]}, "combination", ["row 6", "lists", "validation"]),
    ({"lists": THIRDS[:1], "test": [[30]], "validation": [[30]]}, "combination", ["row 30", "validation", "test"]),
    ({"lists": [[1, 2], [5, 60]]}, "value", ["lists[1]", "(5, 60)", "0 to 59"]),
    ({"lists": [[-1, 2]]}, "value", ["lists[0]", "(-1, 2)", "0 to 59", "from 0"]),
    ({"lists": [[1, 2]], "test": [[60]]}, "value", ["test[0]", "(60, 60)"]),
    ({"lists": [[1, 2], []]}, "missing", ["lists[1] is 0"]),
    ({"lists": [np.zeros(60, dtype=bool)]}, "missing", ["lists[0] is 0"]),
    ({"lists": [[1, 2]], "test": [[]]}, "missing", ["test[0] is 0"]),
    ({"lists": THIRDS, "test": [[1]]}, "shape", ["length of test is 1", "3"]),
    ({"lists": THIRDS, "validation": [[]] * 4}, "shape", ["length of validation is 4", "3"]),
    ({"lists": []}, "shape", ["length of lists is 0", "1 or more"]),
    ({"lists": [[0.0, 1.0]]}, "type", ["lists[0]", "float64", "(2,)"]),
    ({"lists": [[0, 1]], "test": [torch.tensor([2.0])]}, "type", ["test[0]", "float32"]),
    ({"lists": [0, 1, 2]}, "shape", ["lists[0]", "int64", "()"]),
    ({"lists": [["a", "b"]]}, "type", ["lists[0] is 'list'"]),
    ({"lists": [{1, 2}]}, "type", ["lists[0] is 'set'", "sorted(rows)"]),
    ({"lists": [mask(THIRDS[0])[:59]]}, "shape", ["lists[0]", "(59,)", "(60,)"]),
    ({"lists": {"a": [1, 2]}}, "type", ["lists is 'dict'", "groups.values()"]),
    ({"lists": THIRDS, "test": None}, "type", ["test is 'NoneType'", "fraction"]),
    ({"lists": THIRDS[:1], "test": THIRDS[1:2], "scored_on": "pool"}, "combination", ["scored_on is 'pool'", "test"]),
    (
        {"lists": THIRDS[:1], "test": THIRDS[1:2], "scored_on": "official"},
        "combination",
        ["scored_on is 'official'", "test"],
    ),
    ({"lists": THIRDS, "scored_on": "pol"}, "name", ["scored_on", "'pol'", "Did you mean 'pool'?"]),
    ({"lists": THIRDS, "test": 1.5}, "value", ["test is 1.5"]),
    ({"lists": THIRDS, "tset": 0.1}, "name", ["partition.split", "'tset'", "Did you mean 'test'?"]),
]


@pytest.mark.parametrize("given, kind, mentions", WRONG)
def test_every_refusal_says_what_and_where(small, given, kind, mentions):
    with refused(kind, *mentions):
        partition.split(small, **given)


def test_a_client_that_the_pool_empties_is_named(small):
    pool = partition.iid(small, 1, scored_on="pool", test=0.3).test[0]
    others = ~torch.isin(torch.arange(60), pool)
    with refused("missing", "lists[1]", "0.3"):
        partition.split(small, [others, pool[-2:]], scored_on="pool", test=0.3)


def test_help_shows_all_keywords():
    first = pydoc.plain(pydoc.render_doc(partition.split)).split(" Client k holds")[0]
    for keyword in ("scored_on: str = 'own'", "test: float", "= 0.2", "validation: float", "= 0.0", "seed: int = 0"):
        assert keyword in first
