"""Faults in clients' replies, for testing a server. ``FAULTS``: name → a function that spoils a reply."""

from dataclasses import replace

import torch

from fairfl.deployment.reply import Reply
from fairfl.errors import unknown


class Crash(RuntimeError):
    """The client's program crashes in the middle of a round."""


def _first(reply: Reply, change) -> Reply:
    """``reply`` with its first array changed."""
    name = next(iter(reply.arrays))
    return replace(reply, arrays={**reply.arrays, name: change(torch.as_tensor(reply.arrays[name]).clone())})


def _not_a_number(reply: Reply) -> Reply:
    def change(array):
        array.view(-1)[0] = float("nan")
        return array

    return _first(reply, change)


def _other_names(reply: Reply) -> Reply:
    return replace(reply, arrays={f"layer.{name}": array for name, array in reply.arrays.items()})


def _crash(reply: Reply) -> Reply:
    raise Crash("the client's program stopped")


FAULTS = {
    "not a number": _not_a_number,
    "wrong shape": lambda reply: _first(reply, lambda array: array[:-1]),
    "other names": _other_names,
    "no size": lambda reply: replace(reply, size=None),
    "poses as client 0": lambda reply: replace(reply, client=0),
    "crash": _crash,
}


def spoil(reply: Reply, fault: str) -> Reply:
    """``reply`` after ``fault``, one of ``FAULTS``. "crash" raises ``Crash`` instead."""
    if fault not in FAULTS:
        raise unknown("fault", fault, FAULTS)
    return FAULTS[fault](reply)
