"""``train``: rounds of sampling, local training, rule, server step and evaluation, for one or several seeds."""

import os
import time
from collections.abc import Callable, Iterable, Sequence

import torch

from fairfl import models
from fairfl._validation import as_device, integer
from fairfl.clients import Ditto, FlatModel, LocalSGD, RoundWork, SecondOrder, choose, train_slots
from fairfl.clients.losses import Loss, loss_of
from fairfl.clients.model_checks import tried
from fairfl.clients.slots import Examples
from fairfl.clients.uint8_images import resident
from fairfl.errors import refuse
from fairfl.federation import Federation, check_federation
from fairfl.rules import Rule, as_rule
from fairfl.training import checkpoint as checkpoints
from fairfl.training import reported_model
from fairfl.training.arguments import Score, check, each, own_metrics, parts, seeds_of
from fairfl.training.attack_copies import TamperMemory, own_copies, restore
from fairfl.training.attack_copies import state as tamper_state
from fairfl.training.description import describe, describe_federation, describe_machine, describe_rule
from fairfl.training.float_precision import a_precision, arithmetic
from fairfl.training.history import History
from fairfl.training.rule_memory import Memory
from fairfl.training.run import Run
from fairfl.training.run_identity import strict
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep


def train(
    federation: Federation,
    rule: Rule | str | Sequence[Rule | str] = "FedAvg",
    model: str | torch.nn.Module | Callable = "logistic",
    *,
    rounds: int = 50,
    local: LocalSGD | SecondOrder | None = None,
    server: Server | Sequence[Server] | None = None,
    participation: float = 1.0,
    seed: int | Sequence[int] = 0,
    evaluate_every: int = 1,
    score: Score = ("test",),
    tamper: Callable | Sequence[Callable | None] | None = None,
    personal: Ditto | None = None,
    loss: Loss | str | None = None,
    device: str | torch.device | None = None,
    engine: str | None = None,
    precision: str = "float32",
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int = 20,
    progress: bool | None = None,
) -> History | list[History]:
    """Train one model in federated rounds and return the record of the run.

    Parameters:

    - ``federation``: the clients' data.
    - ``rule``: a ``Rule``, or its name. A copy is used, so the rule can be used again.
    - ``model``: a name of ``fairfl.models``; a function ``(shape, classes) → module``, such as
      ``functools.partial(models.mlp, hidden=(64,))`` or your own (in both cases the seed determines the initial
      weights, see ``models.build``); or a module, from whose weights every seed starts.
    - ``rounds``: the number of rounds.
    - ``local``: what clients do in a round. The default is one full-batch step of size 0.1. ``FedNL(...)`` and
      ``FedNew(...)`` of ``fairfl.clients`` are for models with few parameters.
    - ``server``: the server's step along the rule's direction. The default is ``w ← w − dir``.
    - ``participation``: the fraction of clients drawn each round, uniformly and without replacement.
    - ``seed``: an integer, or a list. The runs of several seeds train side by side as one batch and give a list of
      histories. ``rule``, ``server`` and ``tamper`` may then be lists as well, with one entry per seed, and seeds may
      repeat: a whole table whose clients all do the same trains as one batch.
    - ``evaluate_every``: the number of rounds between evaluations. The first and the last model are always evaluated.
    - ``score``: the parts to score: "test", "train", "validation", or a list of them. Own metrics are given as a dict,
      alone or in that list, ``score=["validation", {"name": f}]``: ``f(outputs, targets, columns)`` gives one number
      for a client, on every part that is scored. ``outputs`` (n, …) are the model's for the client's n rows,
      ``targets`` theirs, and ``columns`` their values in each of the dataset's columns, by name; all are on the CPU.
    - ``tamper``: a function ``updates → updates`` that is applied before the rule sees a round, such as an attack or
      noise. A function is used as it is, an object is copied for every seed. To use a checkpoint, an object with state
      needs ``state_dict`` and ``load_state_dict``.
    - ``personal``: ``Ditto(...)`` also trains a personal model per client, and these models are scored.
    - ``loss``: a function ``(outputs, targets)`` that gives one loss per row, or a name in ``fairfl.clients.losses``.
      The default is "cross_entropy" for classes and "squared" for numbers. A regression has no accuracies; its losses
      are its scores.
    - ``device``: the default is CUDA if present, otherwise the CPU.
    - ``engine``: "sequential" or "batched". The default is a fixed function of the settings.
    - ``precision``: "float32", or on CUDA "tf32", whose products have ten bits of mantissa. The rules' own sums stay
      float64.
    - ``checkpoint``: a file. A run that finds its own checkpoint there continues from it and ends with the same bits.
      Settings that cannot be compared are refused with it, such as lambdas, and so is a rule or a tamper with
      undeclared state.
    - ``checkpoint_every``: the number of rounds between checkpoints; more if writing one takes long.
    - ``progress``: whether to show a progress bar. The default is yes, unless the environment variable FAIRFL_PROGRESS
      is 0.

    Returns a ``History``, or a list of them if ``seed`` is a list.

    Raises:

    - ``Refused`` for settings out of range, for rules that need numbers that nothing provides, and for a checkpoint
      with other settings.
    - ``Diverged`` (a ``Refused``) if numbers of the run stop being finite, including the final losses.
    - ``OSError`` if a checkpoint cannot be written.

    Any exception between the first and the last round, also an error in a rule or an interrupt, keeps its class and
    carries the finished rounds as ``error.history``.

    >>> from fairfl import LocalSGD, data, partition, train
    >>> federation = partition.iid(data.load("digits"), 5)
    >>> history = train(federation, "FedMGDA", "logistic", rounds=3, local=LocalSGD(lr=0.5))
    >>> history.accuracy.shape, bool((history.loss[-1] < history.loss[0]).all())
    ((4, 5), True)
    """
    check_federation(federation)
    loss = loss_of(loss, federation.dataset)
    local, server = LocalSGD() if local is None else local, Server() if server is None else server
    seeds, several = seeds_of(seed)
    rounds = integer("rounds", rounds, 1, "A round is one exchange between server and clients.")
    evaluate_every = integer("evaluate_every", evaluate_every, 1, "It is the number of rounds between evaluations.")
    checkpoint_every = integer(
        "checkpoint_every", checkpoint_every, 1, "It is the number of rounds between checkpoints."
    )
    metrics, score, device = own_metrics(score), parts(score, federation), as_device(device)
    precision = a_precision(precision, device)
    asked = {"rule": rule, "server": server, "tamper": tamper}
    listed = any(isinstance(value, (list, tuple)) for value in asked.values())
    rules, servers, tampers = (each(name, value, seeds) for name, value in asked.items())
    rules = [as_rule(r) for r in rules]
    check(
        federation,
        rules=rules,
        servers=servers,
        tampers=tampers,
        seeds=seeds,
        repeatable=listed,
        local=local,
        personal=personal,
        participation=participation,
        loss=loss,
        engine=engine,
        checkpoint=checkpoint,
    )
    tampers = own_copies(tampers)
    dataset = federation.dataset
    flats = [FlatModel(models.fresh(model, dataset, s), device) for s in seeds]
    flat = flats[0]
    examples = Examples(resident(dataset.inputs, device), dataset.targets.to(device))
    few = torch.cat(federation.train)[:2].to(device)
    flat.draws = tried(flat, examples.inputs[few], examples.targets[few], loss)
    slots_a_round = len(seeds) * max(1, round(participation * len(federation)))
    engine = engine or choose(flat, slots_a_round)
    newton = local if isinstance(local, SecondOrder) else None
    # For a rule, a Newton step counts as one step of size 1.
    descent = LocalSGD(lr=1.0) if isinstance(local, SecondOrder) else local
    if newton is not None:
        newton.check(flat, slots_a_round)
    if engine == "batched" and flat.has_dropout:
        raise refuse(
            "engine",
            engine,
            "'sequential' for a model with dropout",
            "Stacked clients would share their random numbers; leave engine out to get one that fits.",
            "combination",
        )
    own = [
        {"seed": s, "rule": describe_rule(r), "server": describe(v), "tamper": describe(a)}
        for s, r, v, a in zip(seeds, rules, servers, tampers)
    ]
    settings = {
        "federation": describe_federation(federation, tensors=checkpoint is not None),
        "model": describe(flat.module),
        "initial": [describe(f.vector) for f in flats],
        "rounds": rounds,
        "local": describe(local),
        "participation": describe(participation),
        "batch_group": own if listed else seeds,
        "evaluate_every": evaluate_every,
        "score": list(score),
        "personal": describe(personal),
        "loss": describe(loss),
        "device": device.type,
        "engine": engine,
        **({"precision": precision} if precision != "float32" else {}),
        **({"metrics": describe(metrics)} if metrics else {}),
    }
    runs = [
        Run(
            federation,
            index=i,
            seed=s,
            server=ServerStep(r, f.vector, rounds, v, undo=False),
            data=examples,
            participation=participation,
            score=score,
            metrics=metrics,
            loss=loss,
            personal=personal,
            engine=engine,
        )
        for i, (s, r, v, f) in enumerate(zip(seeds, rules, servers, flats))
    ]
    begun, first, spent = time.perf_counter(), 0, 0.0

    def state(done: int) -> dict:
        seconds = spent + time.perf_counter() - begun
        held = [run.state_dict() | tamper_state(attack) for run, attack in zip(runs, tampers)]
        return {"round": done, "seconds": seconds, "runs": held}

    if checkpoint is not None:
        given = [{"seed": s, "rule": r, "server": v, "tamper": a} for s, r, v, a in zip(seeds, rules, servers, tampers)]
        # A metric does not change the run, but a record with two metrics of one name would be wrong.
        shared = {"local": local, "personal": personal, "loss": loss} | ({"metrics": metrics} if metrics else {})
        compared = strict(settings, given, listed, flat, **shared)
        if (held := checkpoints.load(checkpoint, compared, state(0))) is not None:
            first, spent = held["round"], held["seconds"]
            for run, attack, kept in zip(runs, tampers, held["runs"]):
                run.load_state_dict(kept)
                restore(attack, kept)
    del flats
    memories: list[Memory | TamperMemory] = []
    if checkpoint is not None:
        memories = [*(Memory(run.server.rule) for run in runs), *map(TamperMemory, tampers)]
    if first == 0:
        with arithmetic(precision, device):
            for run in runs:
                run.evaluate(flat, 0)

    def histories() -> History | list[History]:
        made_by = reported_model.recipe(model, dataset)
        common = settings | {"machine": describe_machine(device)} | ({"architecture": made_by} if made_by else {})
        seconds = spent + time.perf_counter() - begun
        out = [run.history(common | single, seconds, federation) for run, single in zip(runs, own)]
        for history in out if made_by is None else ():
            flat.module.zero_grad(set_to_none=True)
            history._module = flat.module
        return out if several else out[0]

    def save(path: str | os.PathLike, done: int) -> None:
        with pace.writing():
            checkpoints.save(path, compared, state(done))

    done, pace = first, checkpoints.Pace()
    try:
        name = rules[0].name if len({r.name for r in rules}) == 1 else f"{len(rules)} runs"
        with arithmetic(precision, device):
            for t in _progress(range(first, rounds), name, progress):
                slots = [slot for run in runs for slot in run.sample(t)]
                starts = torch.stack([run.server.w for run in runs])
                work = RoundWork(examples, slots, starts, descent, t, loss)
                if newton is not None:
                    rows = newton.work(flat, work, [run.curvature for run in runs])
                else:
                    rows = train_slots(flat, work, engine, [run.kept(descent) for run in runs])
                for run, attack, part in zip(runs, tampers, rows.split([len(run.slots) for run in runs])):
                    direction = run.step(flat, work, part, attack)
                    if newton is not None:
                        newton.heard(direction, run.curvature)
                # All clients' updates, (K, d), would otherwise stay in memory beside those of the next round.
                del rows, part, direction
                done = t + 1
                if done % evaluate_every == 0 or done == rounds:
                    for run in runs:
                        run.evaluate(flat, done)
                saving = done % checkpoint_every == 0 or done == rounds
                for memory in memories if saving or t == first else ():
                    memory.check(readable=t == first)
                if checkpoint is not None and saving and (pace.due() or done == rounds):
                    save(checkpoint, done)
        for run in runs:
            run.judge()
    except BaseException as error:
        _keep(error, histories, done)
        raise
    return histories()


def _keep(error: BaseException, histories: Callable, done: int) -> None:
    """Attach the finished rounds to ``error``, which keeps its class."""
    try:
        error.history = histories()  # type: ignore[attr-defined]
    except Exception as lost:  # the first error is the one to report
        error.add_note(f"{done} rounds were finished, but their results could not be collected ({lost})")
    else:
        error.add_note(f"{done} rounds were finished; their results are in this error's .history")


def _progress(rounds: range, name: str, wanted: bool | None) -> Iterable[int]:
    if wanted is None:
        wanted = os.environ.get("FAIRFL_PROGRESS", "1") != "0"
    if not wanted:
        return rounds
    from tqdm.auto import tqdm

    return tqdm(rounds, desc=name, unit="round", leave=False)
