"""What ``train`` refuses before the first round: arguments of the wrong kind, out of range, or at odds with others."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairfl._validation import instance_of, integer, number
from fairfl.clients import Ditto, LocalSGD, SecondOrder
from fairfl.clients.client_statistics import refuse_unprovided
from fairfl.clients.engines import ENGINES
from fairfl.errors import Refused, refuse, unknown
from fairfl.federation import PARTS, Federation
from fairfl.rules import Rule
from fairfl.training.server_optimiser import Server


def seeds_of(seed: int | Sequence[int]) -> tuple[list[int], bool]:
    """The seeds, and whether several runs were asked for (a list, even of one)."""
    plain: Any = seed.tolist() if hasattr(seed, "tolist") else seed
    several = isinstance(plain, Iterable) and not isinstance(plain, (str, bytes))
    told = "Every seed is one run: give an integer, or a list of them."
    return [integer("seed", s, remedy=told) for s in (plain if several else [plain])], several


def each(name: str, value: Any, seeds: list[int]) -> list:
    """One entry of ``value`` for every seed."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(seeds)
    if len(value) != len(seeds):
        raise refuse(
            f"the number of entries in {name}",
            len(value),
            f"{len(seeds)}, one a seed",
            "Give one for all, or one for each.",
        )
    return list(value)


def parts(score: str | Sequence[str], federation: Federation) -> tuple[str, ...]:
    """The parts to score; one name alone is a list of one."""
    names = (score,) if isinstance(score, str) else tuple(score) if isinstance(score, Iterable) else (score,)
    for part in names:
        if part not in PARTS:
            raise refuse("score", score, "parts of 'test', 'train', 'validation'", "Test accuracies are always there.")
    if "validation" in names and any(len(rows) == 0 for rows in federation.validation):
        raise Refused("score asks for validation rows, and some client has none; split with validation=0.1 or so")
    return names


def check(
    federation: Federation,
    rules: list[Rule],
    servers: list[Server],
    tampers: list[Callable | None],
    seeds: list[int],
    repeatable: bool,
    local: LocalSGD | SecondOrder,
    personal: Ditto | None,
    participation: float,
    loss: Callable,
    engine: str | None,
    checkpoint: str | os.PathLike | None,
) -> None:
    """Refuse settings of the wrong kind, out of range, or that cannot go together."""
    if not seeds or len(set(seeds)) < len(seeds) and not repeatable:
        raise refuse("seed", seeds, "one integer, or several different ones", "Every seed is one run.")
    number("participation", participation, 0, 1, "It is the fraction of clients in a round.", above=True)
    if participation < 1 and isinstance(local, SecondOrder):
        raise Refused(
            f"{type(local).__name__} is defined for full participation, and participation is {participation}; use 1.0"
        )
    for rule in rules:
        if participation < 1 and rule.needs_everyone:
            raise Refused(
                f"{rule.name} is defined for full participation, and participation is {participation}; use 1.0"
            )
        refuse_unprovided(rule.name, rule.needs)
        sent = type(local).__name__ if isinstance(local, SecondOrder) else f"local {getattr(local, 'optimiser', 'sgd')}"
        if "newton_rates" in rule.needs and sent != "local sgd":
            raise Refused(
                f"{rule.name} reads an update as a multiple of a gradient, which {sent} "
                f"does not send; use LocalSGD(optimiser='sgd')"
            )
        if "accuracies" in rule.needs:
            federation.dataset.class_labels(f"{rule.name}, which reads accuracies,")
    plain = [] if isinstance(local, SecondOrder) else [("local", local, LocalSGD)]
    kinds = [*plain, ("personal", personal, Ditto), *(("server", s, Server) for s in servers)]
    for name, value, kind in kinds:
        if value is not None:
            instance_of(name, value, kind)
    for name, function in (("loss", loss), *(("tamper", t) for t in tampers if t is not None)):
        if not callable(function) or isinstance(function, type):
            raise refuse(name, function, "a function", "An object with __call__ will do as well.")
    if engine is not None and engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if checkpoint is not None and (not isinstance(checkpoint, (str, os.PathLike)) or os.path.isdir(checkpoint)):
        raise refuse("checkpoint", checkpoint, "the path of a file", "Name a file in that folder, such as run.pt.")
