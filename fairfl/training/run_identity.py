"""A run's identity: everything that determines its numbers, compared when a checkpoint is continued."""

import types
from collections.abc import Sequence

import torch

from fairfl.clients import FlatModel
from fairfl.training.description import code_of, describe, function_code, identify, public


def strict(settings: dict, given: Sequence[dict], listed: bool, flat: FlatModel, **common: object) -> dict:
    """``settings`` as in a history, made strict: equal only for equal runs.

    ``given``: for each run, the objects behind its own settings, including its seed. ``listed``: whether they are
    lists, which are then stored as "batch_group". ``common``: the objects that all runs share. The result also has what
    a model's text leaves out: its plain attributes, its frozen weights and its buffers, and the code of the user's own
    modules with the functions that they hold.

    Raises ``Refused`` for an object that cannot be distinguished from another of its type.
    """
    runs = [{name: identify(name, thing) for name, thing in things.items()} for things in given]
    own = {"batch_group": runs} if listed else {name: value for name, value in runs[0].items() if name != "seed"}
    shared = {name: identify(name, thing) for name, thing in common.items()}
    return settings | own | shared | {"inside the model": _inside(flat)}


def _inside(flat: FlatModel) -> dict:
    attributes = {
        f"{path}.{name}".lstrip("."): value
        for path, module in flat.module.named_modules()
        for name, value in public(module).items()
        if name != "training" and _plain(value)
    }
    frozen = {name: p for name, p in flat.module.named_parameters() if name not in flat.layout.names}
    own: dict = {}
    for path, module in flat.module.named_modules():
        own |= code_of(type(module))
        held = {name: value for name, value in public(module).items() if isinstance(value, types.FunctionType)}
        own |= {f"{path}.{name}".lstrip("."): function_code(value) for name, value in held.items()}
    return describe(attributes | frozen | dict(flat.module.named_buffers())) | own


def _plain(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    return isinstance(value, (bool, int, float, str, torch.Tensor))
