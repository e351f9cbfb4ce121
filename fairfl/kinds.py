"""Arguments that are objects. In: what was given for a rule, a model, a federation, a device. Out: it, or a refusal."""

from typing import TypeVar

import torch

from fairfl.errors import refuse, unknown
from fairfl.federation import Federation
from fairfl.rules import Rule, make

Kind = TypeVar("Kind")


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


def one_of_kind(name: str, value: object, kind: type[Kind]) -> Kind:
    """``value``, an instance of ``kind``, which can be made without arguments."""
    if not isinstance(value, kind):
        raise refuse(name, value, f"a {kind.__name__}", f"Give one, such as {kind.__name__}().")
    return value


def a_module(model: torch.nn.Module) -> torch.nn.Module:
    """``model`` itself, where a module is needed and no dataset says how to build one."""
    if not isinstance(model, torch.nn.Module):
        remedy = "Of a name or a function models.build(model, dataset, seed=0) makes one."
        raise refuse("model", model, "a torch.nn.Module", remedy)
    return model


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
