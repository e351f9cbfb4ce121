"""Replies of any content at all: each is used or refused by name, and none stops the server. Needs no Flower."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from fairfl import Server, rules
from fairfl.deployment import Coordinator, Reply, collect

pytest.importorskip("hypothesis", reason="hypothesis is not installed: make test installs it and runs this")
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

N = 4
LARGEST = float(np.finfo(np.float64).max)
SHAPES = {"weight": (2, 3), "bias": (2,)}
NAMES = ("losses", "losses_after", "accuracies", "newton_rates")

odd_text = st.sampled_from(["\x1b[31mred\x1b[0m", "two\nlines", "\u202eback", "x" * 500, "\ud800"])
text = st.text(st.characters(), max_size=8) | odd_text
odd_numbers = st.sampled_from(
    [0, -1, True, 1.7e308, -1e100, 1e100, 5e-324, 2**53 + 1, 10**400, float("nan"), float("inf")]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | text | odd_numbers
anything = scalars | st.lists(scalars, max_size=3) | st.dictionaries(text, scalars, max_size=2) | st.builds(object)
any_array = hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
odd_tensors = st.sampled_from(
    [
        torch.ones(2, 3, dtype=torch.bfloat16),
        torch.ones(2, 3, requires_grad=True),
        torch.ones(2, 3).to_sparse(),
        torch.ones(2, 3, device="meta"),
        torch.ones(2, 3, dtype=torch.complex64),
        np.ones((2, 3))[::-1],
        np.ones((2, 3), dtype=object),
    ]
)


def small_arrays(shape):
    return hnp.arrays(np.float32, shape, elements=st.floats(-2, 2, width=32))


def arrays_of(shape):
    wide = hnp.arrays(st.sampled_from([np.float16, np.float32, np.float64]), shape)
    return small_arrays(shape) | wide | any_array | odd_tensors | anything


models = st.fixed_dictionaries({name: arrays_of(shape) for name, shape in SHAPES.items()})
sound_models = st.fixed_dictionaries({name: small_arrays(shape) for name, shape in SHAPES.items()})
sound_numbers = st.fixed_dictionaries({name: st.floats(0.1, 3) for name in NAMES})
wild_numbers = st.fixed_dictionaries(
    {name: st.floats(0.1, 3) | odd_numbers | scalars for name in NAMES}, optional={"more": anything}
)
# Each field of a reply: what is sound, and what comes instead, all as likely.
FIELDS = {
    "client": (st.none(), [st.integers(0, N - 1), anything]),
    "size": (st.integers(1, 50), [odd_numbers, anything]),
    "arrays": (sound_models, [models, st.dictionaries(text, any_array, max_size=2), anything]),
    "numbers": (sound_numbers, [wild_numbers, wild_numbers, anything]),
    "error": (st.just(""), [text]),
}


@st.composite
def replies(draw, client):
    """A reply of ``client``, at most two of whose fields are anything at all."""
    wild = draw(st.sets(st.sampled_from(sorted(FIELDS)), max_size=2))
    reply = Reply(draw(text), client, **{name: draw(FIELDS[name][0]) for name in FIELDS if name != "client"})
    return replace(reply, **{name: draw(draw(st.sampled_from(FIELDS[name][1]))) for name in sorted(wild)})


one_round = st.integers(N, N + 1).flatmap(lambda count: st.tuples(*(replies(k % N) for k in range(count))))
many = settings(max_examples=120, deadline=None, derandomize=True)


def number(value):
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST


def usable(array, shape):
    """Whether an array is one that a float32 model can be made of; asked of what numpy holds, not of torch."""
    if isinstance(array, torch.Tensor):
        if array.is_sparse or array.is_meta or not array.is_floating_point():
            return False
        array = array.detach().double().numpy()
    if not isinstance(array, (np.ndarray, np.generic)) or array.dtype.type not in (np.float16, np.float32, np.float64):
        return False
    with np.errstate(over="ignore"):
        native = array.dtype.isnative and all(stride >= 0 for stride in array.strides)
        return native and array.shape == shape and bool(np.isfinite(np.asarray(array).astype(np.float32)).all())


def sound(reply, names):
    if reply.error or type(reply.client) is not int or not 0 <= reply.client < N or names[reply.client] > 1:
        return False
    if not number(reply.size) or not 0 < reply.size <= 2**53:
        return False
    if not isinstance(reply.numbers, dict) or not number(reply.numbers.get("losses")):
        return False
    return (
        isinstance(reply.arrays, dict)
        and set(reply.arrays) == set(SHAPES)
        and all(usable(reply.arrays[name], shape) for name, shape in SHAPES.items())
    )


def readable(words):
    return isinstance(words, str) and words.strip() and words.isprintable() and len(words) < 2000


@many
@given(one_round)
def test_every_reply_is_used_or_refused_with_a_sentence(sent):
    layout = Coordinator("FedAvg", torch.nn.Linear(3, 2), N, 1).layout
    start = torch.zeros(layout.dimension)
    names = Counter(r.client for r in sent if not r.error and type(r.client) is int)
    good = sorted((r for r in sent if sound(r, names)), key=lambda r: r.client)
    updates, refused = collect(sent, start, layout, N, needs=["losses"])
    assert len(refused) == len(sent) - len(good) and all(readable(r.who) and readable(r.reason) for r in refused)
    assert (updates is None) == (not good)
    if good:
        pieces = [[torch.as_tensor(r.arrays[name]).detach().float().reshape(-1) for name in layout.names] for r in good]
        assert updates.clients.tolist() == [r.client for r in good]
        assert torch.equal(updates.gradients, start - torch.stack([torch.cat(row) for row in pieces]))
        assert updates.losses.tolist() == [float(r.numbers["losses"]) for r in good]
        assert math.isclose(float(updates.shares.sum()), 1)


RULES = [
    rules.FedAvg(),
    rules.QFedAvg(0.1),
    rules.TERM(0),
    rules.AFL(10),
    rules.FedFA(),
    rules.FedMGDAPlus(),
    rules.AdaFed(5),
    rules.AdaFed(losses="after"),
    rules.DQNFed(),
    rules.FedFV(tau=1),
    rules.FedLF(),
    rules.FedHEAL(),
]
SERVERS = [Server(), Server(optimiser="adagrad"), Server(momentum=0.9)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@settings(max_examples=80, deadline=None, derandomize=True)
@given(rule=st.sampled_from(RULES), server=st.sampled_from(SERVERS), rounds=st.tuples(one_round, one_round))
def test_no_reply_gets_an_exception_out_of_a_rule(dtype, rule, server, rounds):
    c = Coordinator(rule, torch.nn.Linear(3, 2).to(dtype), N, 2, server=server)
    for sent in rounds:
        record = c.receive(sent)
        assert len(record.clients) + len(record.refused) == len(sent)
        assert all(readable(line) for line in record.lines())
        assert bool(torch.isfinite(c.w).all()) and bool(torch.isfinite(c.reported).all())
    assert c.round == 2
