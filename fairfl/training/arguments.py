"""Check the arguments of ``train`` before the first round: their types, their ranges, and their combinations."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairfl._validation import instance_of, integer, known, takes
from fairfl.clients import Ditto, SecondOrder
from fairfl.clients.client_statistics import refuse_unprovided
from fairfl.clients.engines import ENGINES, refuse_unstacked
from fairfl.clients.own_metrics import Metric
from fairfl.clients.per_client import Local, methods_of
from fairfl.errors import Kind, Refused, refuse
from fairfl.federation import PARTS, Federation
from fairfl.rules import Rule
from fairfl.training.samplers import Participation, require_everyone, sampler_of
from fairfl.training.server_optimiser import Server

# The parts to score, by name, and own metrics, as dictionaries.
Score = str | Mapping[str, Metric] | Sequence[str | Mapping[str, Metric]]
# Columns of ``History.to_frame`` and ``sweep``, which an own metric cannot be called by.
TAKEN = frozenset(
    {"round", "client", "test_size", "accuracy", "loss", "rule", "seed", "local", "server", "tamper", "rounds"}
    | {"diverged"}
)


def seeds_of(seed: int | Sequence[int]) -> tuple[list[int], bool]:
    """The seeds, and whether ``seed`` was a list (which may have one entry)."""
    plain: Any = seed.tolist() if hasattr(seed, "tolist") else seed
    several = isinstance(plain, Iterable) and not isinstance(plain, (str, bytes))
    remedy = "Every seed is one run: pass an integer, or a list of integers."
    return [integer("seed", s, remedy=remedy) for s in (plain if several else [plain])], several


# How several are applied to one run, in an argument whose list is one per seed.
TOGETHER = {
    "tamper": " To apply several to one run: fairfl.attacks.Chain(first, second).",
    "on_round": " To call several for one run: fairfl.training.Compose(first, second).",
}


def each(name: str, value: Any, seeds: list[int]) -> list:
    """A list with one entry per seed: ``value`` itself if it is a list, otherwise ``value`` repeated."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(seeds)
    if len(value) != len(seeds):
        raise refuse(
            f"the number of entries in {name}",
            len(value),
            f"{len(seeds)}, one per seed",
            f"Pass one for all seeds, or one for each.{TOGETHER.get(name, '')}",
            "shape",
        )
    return list(value)


def parts(score: Score, federation: Federation) -> tuple[str, ...]:
    """The parts to score, as a tuple: the names in ``score``, without own metrics. "test" if there is none."""
    names = tuple(item for item in _items(score) if not isinstance(item, Mapping)) or ("test",)
    for part in names:
        if part not in PARTS:
            allowed = "names among 'test', 'train', 'validation', and dicts of own metrics"
            raise refuse("score", score, allowed, "The test rows are always scored.", "name")
    if "validation" in names and (lacking := [k for k, rows in enumerate(federation.validation) if len(rows) == 0]):
        raise Refused(
            f"score asks for validation rows, and client {lacking[0]} has none; split with validation=0.1, for example",
            "missing",
        )
    return names


def own_metrics(score: Score) -> dict[str, Metric]:
    """The own metrics in ``score``, by name.

    Raises ``Refused`` for one that is no function, and for a name that is a column of a table already, or given twice.
    """
    found: dict[str, Metric] = {}
    for item in _items(score):
        for name, function in item.items() if isinstance(item, Mapping) else ():
            if not callable(function) or isinstance(function, type):
                allowed = "a function (outputs, targets, columns) that gives one number"
                remedy = "An instance with __call__ works as well."
                raise refuse(f"the metric {name!r} in score", function, allowed, remedy, "type")
            takes(f"the metric {name!r} in score", function, "outputs", "targets", "columns")
            if not isinstance(name, str) or not name or "/" in name:
                raise refuse("a metric's name in score", name, "a string without a slash", "Rename it.", "name")
            if name in TAKEN or name in found or name.startswith(("train_", "validation_")):
                allowed = f"a new name, not one of {', '.join(sorted(TAKEN))}, nor train_… or validation_…"
                raise refuse("a metric's name in score", name, allowed, "It names a column. Rename it.", "name")
            found[name] = function
    return found


def _items(score: Score) -> tuple:
    return (score,) if isinstance(score, (str, Mapping)) or not isinstance(score, Iterable) else tuple(score)


def check(
    federation: Federation,
    *,
    rules: list[Rule],
    servers: list[Server],
    tampers: list[Callable | None],
    seeds: list[int],
    repeatable: bool,
    local: Local | SecondOrder,
    personal: Ditto | None,
    participation: Participation,
    loss: Callable,
    engine: str | None,
    checkpoint: str | os.PathLike | None,
) -> None:
    """Raise ``Refused`` for settings of the wrong type, out of range, or that cannot be combined.

    ``repeatable``: whether a seed may occur twice, because rule, server or tamper were given per seed.
    """
    if not seeds or len(set(seeds)) < len(seeds) and not repeatable:
        raise refuse("seed", seeds, "one integer, or several different ones", "Every seed is one run.")
    sampler = sampler_of(participation, len(federation))
    if isinstance(local, SecondOrder):
        require_everyone(type(local).__name__, participation, sampler)
    for rule in rules:
        if rule.needs_everyone:
            require_everyone(rule.name, participation, sampler)
        refuse_unprovided(rule.name, rule.needs)
        if "newton_rates" in rule.needs and (sent := _no_gradients(local)):
            raise Refused(
                f"{rule.name} needs updates that are multiples of a gradient, and those of {sent} are not; "
                f"use LocalSGD(optimiser='sgd') without clip",
                "combination",
            )
        if "accuracies" in rule.needs:
            federation.dataset.check_classes(f"{rule.name}, which reads accuracies,")
    kinds = [("personal", personal, Ditto), *(("server", s, Server) for s in servers)]
    for name, value, kind in kinds:
        if value is not None:
            instance_of(name, value, kind)
    for name, function in (("loss", loss), *(("tamper", t) for t in tampers if t is not None)):
        if not callable(function) or isinstance(function, type):
            raise refuse(name, function, "a function", "An instance with __call__ works as well.", "type")
        takes(name, function, *(("outputs", "targets") if name == "loss" else ("updates",)))
    if engine is not None:
        known("engine", engine, ENGINES)
    if engine is not None and not isinstance(local, SecondOrder):
        refuse_unstacked(engine, local)
    if checkpoint is not None and (
        not isinstance(checkpoint, (str, os.PathLike)) or "\0" in str(checkpoint) or os.path.isdir(checkpoint)
    ):
        fault: Kind = "file" if isinstance(checkpoint, (str, os.PathLike)) else "type"
        raise refuse("checkpoint", checkpoint, "the path of a file", "Name a file in a folder, such as run.pt.", fault)


def _no_gradients(local: Local | SecondOrder) -> str:
    """The name of local work in ``local`` whose rows are not multiples of a gradient; empty if all are."""
    if isinstance(local, SecondOrder):
        return type(local).__name__
    for method in methods_of(local):
        if not method.sends_gradients:
            adam = getattr(method, "optimiser", "sgd")
            clip = "" if method.clip is None else f" with clip={method.clip}"
            return f"local {type(method).__name__ if adam == 'sgd' else adam}{clip}"
    return ""
