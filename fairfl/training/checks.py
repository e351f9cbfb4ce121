"""What ``train`` refuses before the first round: arguments of the wrong kind, out of range, or at odds with others."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from fairfl.clients import Ditto, LocalSGD, SecondOrder
from fairfl.clients.engines import ENGINES
from fairfl.clients.provide import refuse_unprovided
from fairfl.errors import Refused, refuse, unknown
from fairfl.federation import PARTS, Federation
from fairfl.numbers import number, whole
from fairfl.rules import Rule, make
from fairfl.server.step import Server


def seeds_of(seed: int | Sequence[int]) -> tuple[list[int], bool]:
    """The seeds, and whether several runs were asked for (a list, even of one)."""
    plain: Any = seed.tolist() if hasattr(seed, "tolist") else seed
    several = isinstance(plain, Iterable) and not isinstance(plain, (str, bytes))
    told = "Every seed is one run: give an integer, or a list of them."
    return [whole("seed", s, remedy=told) for s in (plain if several else [plain])], several


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


def a_rule(rule: Rule | str) -> Rule:
    """``rule`` itself, or the rule of that name."""
    if isinstance(rule, str):
        return make(rule)
    if isinstance(rule, type) and issubclass(rule, Rule):
        raise refuse("rule", rule, "a rule's name or a Rule", f"This is the class; make one of it: {rule.__name__}().")
    if not isinstance(rule, Rule):
        raise refuse(
            "rule",
            rule,
            "a rule's name or a Rule",
            "Derive your class from fairfl.rules.Rule or GramRule, and pass an instance.",
        )
    return rule


def parts(score: str | Sequence[str], federation: Federation) -> tuple[str, ...]:
    """The parts to score; one name alone is a list of one."""
    names = (score,) if isinstance(score, str) else tuple(score) if isinstance(score, Iterable) else (score,)
    for part in names:
        if part not in PARTS:
            raise refuse("score", score, "parts of 'test', 'train', 'validation'", "Test accuracies are always there.")
    if "validation" in names and any(len(rows) == 0 for rows in federation.validation):
        raise Refused("score asks for validation rows, and some client has none; split with validation=0.1 or so")
    return names


def a_device(device: str | torch.device | None, here: bool = True) -> torch.device:
    """The device; CUDA where present unless named. It exists on this machine if it is to be used ``here``."""
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise unknown("device", device, ("cpu", "cuda")) from error
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found.type == "meta" or here and found.type == "cuda" and not (found.index or 0) < count:
        have = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        raise refuse(
            "device", str(found), f"a device that computes and is here: {have}", "Leave device out to take the fastest."
        )
    return found


def a_federation(federation: Federation) -> None:
    """Refuse what is no ``Federation``, saying how to make one of it."""
    if not isinstance(federation, Federation):
        remedy = (
            f"For a preset of that name: partition.preset({federation!r})."
            if isinstance(federation, str)
            else "Split a dataset first, for instance partition.iid(dataset, 10)."
        )
        given = federation if isinstance(federation, str) else type(federation).__name__
        raise refuse("federation", given, "a Federation", remedy)


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
        if value is not None and not isinstance(value, kind):
            raise refuse(name, value, f"a {kind.__name__}", f"Give one, such as {kind.__name__}().")
    for name, function in (("loss", loss), *(("tamper", t) for t in tampers if t is not None)):
        if not callable(function) or isinstance(function, type):
            raise refuse(name, function, "a function", "An object with __call__ will do as well.")
    if engine is not None and engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if checkpoint is not None and (not isinstance(checkpoint, (str, os.PathLike)) or os.path.isdir(checkpoint)):
        raise refuse("checkpoint", checkpoint, "the path of a file", "Name a file in that folder, such as run.pt.")
