"""``train``: rounds of sample → clients → rule → server step → evaluate, for one seed or several at once."""

import copy
import os
import time
from collections.abc import Callable, Sequence
from functools import partial

import torch
import torch.nn.functional as F

from fairfl import models
from fairfl.clients import Ditto, FlatModel, LocalSGD, choose, train_slots
from fairfl.errors import Refused, refuse
from fairfl.federation import Federation
from fairfl.rules import Rule, make
from fairfl.training import checkpoint as checkpoints
from fairfl.training.history import History
from fairfl.training.provide import refuse_unprovided
from fairfl.training.run import Run
from fairfl.training.server import Server
from fairfl.training.settings import describe, describe_federation, describe_machine, describe_rule

cross_entropy = partial(F.cross_entropy, reduction="none")
PARTS = ("train", "validation", "test")


def train(
    federation: Federation,
    rule: Rule | str | Sequence[Rule | str] = "FedAvg",
    model: str | torch.nn.Module | Callable = "logistic",
    *,
    rounds: int = 50,
    local: LocalSGD | None = None,
    server: Server | Sequence[Server] | None = None,
    participation: float = 1.0,
    seed: int | Sequence[int] = 0,
    evaluate_every: int = 1,
    score: Sequence[str] = ("test",),
    tamper: Callable | Sequence[Callable | None] | None = None,
    personal: Ditto | None = None,
    loss: Callable = cross_entropy,
    device: str | torch.device | None = None,
    engine: str | None = None,
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int = 20,
    progress: bool | None = None,
) -> History | list[History]:
    """Train one model by federated rounds and return what happened.

    ``rule``: a ``Rule`` (a copy of it is used, so that it can be used again) or its name. ``model``: a name of
    ``fairfl.models``, a function ``(shape, classes) → module`` such as ``functools.partial(models.mlp, hidden=(64,))`` or your own (either
    way with initial weights keyed by the seed, see ``models.build``), or a module (its weights are where every seed starts). ``local``: what clients do (default one full-batch step of size 0.1). ``server``: the
    step on the rule's direction (default ``w ← w − dir``). ``participation``: the fraction of clients drawn each round, without
    replacement and uniformly. ``seed``: one, or several that train side by side as one batch and give a list of histories;
    ``rule``, ``server`` and ``tamper`` may then be lists as well, one entry a seed, and seeds may repeat: a whole table whose clients
    all do the same trains as one batch.
    ``evaluate_every``: rounds between evaluations (the first and the last model are always evaluated). ``score``: parts to
    score, of "test", "train", "validation". ``tamper(updates) → updates`` is applied before the rule sees a round: an attack, or
    noise. ``personal``: ``Ditto(...)`` trains a personal model per client as well, and it is these that are scored. ``loss(outputs, targets)`` gives one loss a row. ``device``: CUDA where present unless named. ``engine``: "sequential"
    or "batched"; by default a fixed function of the settings. ``checkpoint``: a file; a run that finds its own checkpoint
    there continues from it and ends with the same bits. ``progress``: a bar (default: unless FAIRFL_PROGRESS is 0).

    Raises ``ValueError`` for settings out of range, rules that need what nobody provides, checkpoints of other settings, and
    non-finite updates; the last carries the rounds so far as ``error.history``.
    """
    local, server = local or LocalSGD(), server or Server()
    seeds = [seed] if isinstance(seed, int) else list(seed)
    given = {"rule": rule, "server": server, "tamper": tamper}
    rules, servers, tampers = (_each(name, value, seeds) for name, value in given.items())
    rules = [make(r) if isinstance(r, str) else r for r in rules]
    listed = any(isinstance(value, (list, tuple)) for value in given.values())
    _check(federation, rules, rounds, participation, seeds, evaluate_every, score, repeatable=listed)
    device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    dataset = federation.dataset
    flats = [FlatModel(_build(model, dataset, s), device) for s in seeds]
    flat = flats[0]
    slots_a_round = len(seeds) * max(1, round(participation * len(federation)))
    engine = engine or choose(flat, slots_a_round)
    own = [{"seed": s, "rule": describe_rule(r), "server": describe(v), "tamper": describe(a)}
           for s, r, v, a in zip(seeds, rules, servers, tampers)]
    settings = {
        "federation": describe_federation(federation), "model": describe(flat.module),
        "initial": [describe(f.vector) for f in flats], "rounds": rounds, "local": describe(local),
        "participation": participation, "batch_group": own if listed else seeds, "evaluate_every": evaluate_every,
        "score": list(score), "personal": describe(personal), "loss": describe(loss), "device": device.type, "engine": engine,
    }
    compared = settings if listed else settings | {name: own[0][name] for name in given}
    resident = _Resident(dataset.inputs.to(device), dataset.targets.to(device))
    runs = [Run(i, s, copy.deepcopy(r), f.vector, federation, resident, v, rounds, participation, score, loss, personal, engine)
            for i, (s, r, v, f) in enumerate(zip(seeds, rules, servers, flats))]
    del flats
    begun, first, spent = time.perf_counter(), 0, 0.0
    if checkpoint is not None and (held := checkpoints.load(checkpoint, compared)) is not None:
        first, spent = held["round"], held["seconds"]
        for run, state in zip(runs, held["runs"]):
            run.load_state_dict(state)
    if first == 0:
        for run in runs:
            run.evaluate(flat, 0)

    def histories():
        told = settings | {"machine": describe_machine(device)}
        seconds = spent + time.perf_counter() - begun
        out = [run.history(told | mine, seconds, federation) for run, mine in zip(runs, own)]
        return out[0] if isinstance(seed, int) else out

    def save(done):
        state = {"round": done, "seconds": spent + time.perf_counter() - begun, "runs": [r.state_dict() for r in runs]}
        checkpoints.save(checkpoint, compared, state)

    done = first
    try:
        name = rules[0].name if len({r.name for r in rules}) == 1 else f"{len(rules)} runs"
        for t in _progress(range(first, rounds), name, progress):
            slots = [slot for run in runs for slot in run.sample(t)]
            starts = torch.stack([run.state.w for run in runs])
            deltas = train_slots(flat, resident, slots, starts, local, t, loss, engine)
            for run, attack, gradients in zip(runs, tampers, deltas.split([len(run.slots) for run in runs])):
                run.step(flat, gradients, t, local, attack)
            done = t + 1
            if done % evaluate_every == 0 or done == rounds:
                for run in runs:
                    run.evaluate(flat, done)
            if checkpoint is not None and (done % checkpoint_every == 0 or done == rounds):
                save(done)
    except (ValueError, KeyboardInterrupt) as error:
        error.history = histories()
        error.add_note(f"{done} rounds were finished; their results are in this error's .history")
        raise
    return histories()


class _Resident:
    """The dataset's tensors where the model is."""

    def __init__(self, inputs, targets):
        self.inputs, self.targets = inputs, targets


def _each(name, value, seeds):
    """One entry of ``value`` for every seed."""
    if not isinstance(value, (list, tuple)):
        return [value] * len(seeds)
    if len(value) != len(seeds):
        raise refuse(f"the number of entries in {name}", len(value), f"{len(seeds)}, one a seed", "Give one for all, or one for each.")
    return list(value)


def _build(model, dataset, seed):
    return copy.deepcopy(model) if isinstance(model, torch.nn.Module) else models.build(model, dataset, seed=seed)


def _progress(rounds, name, wanted):
    if wanted is None:
        wanted = os.environ.get("FAIRFL_PROGRESS", "1") != "0"
    if not wanted:
        return rounds
    from tqdm.auto import tqdm

    return tqdm(rounds, desc=name, unit="round", leave=False)


def _check(federation, rules, rounds, participation, seeds, evaluate_every, score, repeatable):
    if rounds < 1:
        raise refuse("rounds", rounds, "1 or more", "A round is one exchange between server and clients.")
    if not 0 < participation <= 1:
        raise refuse("participation", participation, "above 0, at most 1", "It is the fraction of clients in a round.")
    for rule in rules:
        if participation < 1 and rule.needs_everyone:
            raise Refused(f"{rule.name} is defined for full participation, and participation is {participation}; use 1.0")
        refuse_unprovided(rule)
    if not seeds or len(set(seeds)) < len(seeds) and not repeatable:
        raise refuse("seed", seeds, "one integer, or several different ones", "Every seed is one run.")
    if evaluate_every < 1:
        raise refuse("evaluate_every", evaluate_every, "1 or more", "It is the number of rounds between evaluations.")
    for part in score:
        if part not in PARTS:
            raise refuse("score", tuple(score), "parts of 'test', 'train', 'validation'", "Test accuracies are always there.")
    if "validation" in score and any(len(rows) == 0 for rows in federation.validation):
        raise Refused("score asks for validation rows, and some client has none; split with validation=0.1 or so")
