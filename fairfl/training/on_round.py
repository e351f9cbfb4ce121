"""``Round`` and ``STOP``: what ``train(on_round=f)`` gives to ``f`` after each round, and how ``f`` ends a run."""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np
import torch

from fairfl._validation import takes
from fairfl.clients import FlatModel
from fairfl.errors import Refused, refuse
from fairfl.rules import Direction
from fairfl.training import user_objects
from fairfl.training.arguments import each
from fairfl.training.public_names import public_name
from fairfl.training.rule_memory import readable_back
from fairfl.training.user_objects import saves_its_state
from fairfl.updates import Updates


class _Stop(Enum):
    STOP = "stop"


STOP: Final = _Stop.STOP


@dataclass(frozen=True, kw_only=True)
class Round:
    """One finished round of one run, as a callback sees it.

    - ``round``: the number of the round, from 0. ``seed``: the seed of the run.
    - ``updates``: the ``Updates`` as the rule saw them, after a tamper. Their K rows are freed after the call unless
      the callback keeps them.
    - ``direction``: the rule's ``Direction``.
    - ``model``: a copy of the model with the new reported parameters, in evaluation mode. The callback may change it.
    - ``parameters`` (d,): the trainable parameters of ``model`` as one vector, in the same memory.
    - ``scores``: if the round was evaluated, the clients' scores, such as ``scores["test"]["accuracy"]`` (N,), with an
      entry for each part that ``train(score=…)`` names. In regression there is only "loss". Otherwise ``None``.
    - ``personal`` (N, d): with Ditto, the clients' personal models, which the ``scores`` belong to. Otherwise ``None``.

    The tensors of ``updates`` and ``direction`` are the rule's own, which may remember them: clone them before you
    keep or change them.
    """

    round: int
    seed: int
    updates: Updates
    direction: Direction
    model: torch.nn.Module
    parameters: torch.Tensor
    scores: Mapping[str, Mapping[str, np.ndarray]] | None = None
    personal: torch.Tensor | None = None


Callback = Callable[[Round], Any]


def callbacks_of(on_round: Callback | Sequence[Callback | None] | None, seeds: list[int]) -> list[Callback | None]:
    """One callback per run. Raises ``Refused`` for what cannot be called, and for one state shared by several runs."""
    for callback in on_round if isinstance(on_round, (list, tuple)) else [on_round]:
        if callback is not None and (not callable(callback) or isinstance(callback, type)):
            raise refuse("on_round", callback, "a function", "An instance with __call__ works as well.", "type")
        if callback is not None:
            takes("on_round", callback, "round")
    callbacks = each("on_round", on_round, seeds)
    keeping = [user_objects.holder(callback) for callback in callbacks if saves_its_state(callback)]
    if len({id(owner) for owner in keeping}) < len(keeping):
        name = type(keeping[0]).__name__
        raise Refused(
            f"on_round is one {name} for {len(seeds)} runs, and its state belongs to one run; pass one per seed, such "
            f"as on_round=[{name}(...) for _ in seeds]",
            "combination",
        )
    return callbacks


def a_round(
    flat: FlatModel, reported: torch.Tensor, scores: Mapping[str, Mapping[str, np.ndarray]] | None, **given: Any
) -> Round:
    """A ``Round`` whose ``model`` is a copy of ``flat``'s module with the parameters ``reported`` (d,)."""
    parameters, module = reported.clone(), copy.deepcopy(flat.module).eval()
    torch.nn.utils.vector_to_parameters(parameters, [p for p in module.parameters() if p.requires_grad])
    return Round(model=module, parameters=parameters, scores=scores, **given)


def state(callback: Any) -> dict:
    """The part of a run's checkpoint for its ``callback``: its class, settings and state, or nothing without state."""
    if not saves_its_state(callback):
        return {}
    return {"callback": named(callback) | {"state": user_objects.state("state", callback)["state"]}}


def restore(callback: Any, kept: dict) -> None:
    """Restore what ``kept`` saved of ``callback``.

    Without a callback, and for one without state, the saved state is not used. A callback with state starts anew if the
    checkpoint has none. Raises ``Refused`` if the checkpoint has the state of another class, or of other settings.
    """
    saved = kept.get("callback")
    if saved is None or not saves_its_state(callback):
        return
    given = named(callback)
    # Checkpoints of earlier editions have no settings.
    there = {"class": saved["class"], "settings": saved.get("settings", given["settings"])}
    if there != given:
        raise Refused(
            f"on_round is {shown(given)}, and the checkpoint has the state of {shown(there)}. A resumed run needs the "
            f"same callback with the same settings. Pass that one, leave on_round out, or pass another path",
            "state",
        )
    user_objects.restore("state", callback, saved)


def check_readable(callback: Any) -> None:
    """Raise ``Refused`` if a checkpoint could not give back the state of ``callback``."""
    for name, value in user_objects.state("state_dict()", callback).items():
        readable_back(f"on_round {type(user_objects.holder(callback)).__name__}", name, value)


def named(callback: object) -> dict[str, Any]:
    """The class of a callback that keeps a state, and its settings.

    Settings are the arguments of the constructor that are plain values and attributes of the same names. What the
    ``state_dict`` holds is not among them.
    """
    owner: Any = user_objects.holder(callback)
    state, settings = owner.state_dict(), {}
    for name in inspect.signature(type(owner)).parameters:
        value = getattr(owner, name, ...)
        if name not in state and isinstance(value, (bool, int, float, str, type(None))):
            settings[name] = value
    return {"class": public_name(type(owner).__module__, type(owner).__qualname__), "settings": settings}


def shown(named: dict[str, Any]) -> str:
    """What ``named`` or a checkpoint has of a callback, as in code."""
    settings = ", ".join(f"{name}={value!r}" for name, value in named.get("settings", {}).items())
    return f"{named['class'].rpartition(':')[2]}({settings})"
