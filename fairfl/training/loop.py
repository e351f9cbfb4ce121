"""``train``: rounds of sampling, local training, rule, server step and evaluation, for one or several seeds."""

import os
import time
from collections.abc import Callable, Iterable, Sequence

import torch

from fairfl import models
from fairfl._keywords import teaches_keywords
from fairfl._torch_modes import in_plain_modes
from fairfl._validation import as_device, boolean, integer
from fairfl.clients import Ditto, FlatModel, LocalSGD, RoundWork, SecondOrder, choose, train_slots
from fairfl.clients.float_precision import a_precision, arithmetic
from fairfl.clients.given_local import local_of
from fairfl.clients.losses import Loss, loss_of
from fairfl.clients.model_checks import tried
from fairfl.clients.per_client import Given
from fairfl.clients.round_updates import check_engine
from fairfl.clients.slots import Examples
from fairfl.clients.uint8_images import resident
from fairfl.errors import Refused
from fairfl.federation import Federation, check_federation
from fairfl.rules import Rule, as_rule
from fairfl.training import checkpoint as checkpoints
from fairfl.training import reported_model
from fairfl.training.arguments import Score, check, each, own_metrics, parts, seeds_of
from fairfl.training.description import describe, describe_federation, describe_machine, describe_rule, describe_sampler
from fairfl.training.history import History
from fairfl.training.on_round import Callback, callbacks_of, check_readable
from fairfl.training.on_round import restore as restore_callback
from fairfl.training.on_round import state as callback_state
from fairfl.training.rule_memory import Memory
from fairfl.training.run import Run
from fairfl.training.run_identity import strict
from fairfl.training.samplers import Participation, expected_count, sampler_of
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep
from fairfl.training.user_objects import ObjectMemory, own_copies, restore
from fairfl.training.user_objects import state as state_of


@teaches_keywords
@in_plain_modes
def train(
    federation: Federation,
    rule: Rule | str | Sequence[Rule | str] = "FedAvg",
    model: str | torch.nn.Module | Callable = "logistic",
    *,
    rounds: int = 50,
    local: Given | SecondOrder | None = None,
    server: Server | Sequence[Server] | None = None,
    participation: Participation = 1.0,
    seed: int | Sequence[int] = 0,
    evaluate_every: int = 1,
    score: Score = ("test",),
    tamper: Callable | Sequence[Callable | None] | None = None,
    on_round: Callback | Sequence[Callback | None] | None = None,
    personal: Ditto | None = None,
    loss: Loss | str | None = None,
    device: str | torch.device | None = None,
    engine: str | None = None,
    precision: str = "float32",
    checkpoint: str | os.PathLike | None = None,
    checkpoint_every: int = 20,
    record_rates: bool = True,
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
    - ``local``: what clients do in a round: ``LocalSGD(...)``, or ``LocalOptimiser(...)`` or a ``LocalMethod`` of your
      own, both of ``fairfl.clients``. The default is one full-batch step of size 0.1. For unequal work, give a list
      with one per client (whatever the number of seeds), or a mapping or a function from a client's number to its
      ``LocalSGD``. ``FedNL(...)`` and ``FedNew(...)`` of ``fairfl.clients`` are for models with few parameters.
    - ``server``: the server's step along the rule's direction. The default is ``w ← w − dir``.
    - ``participation``: who takes part in a round. A fraction up to 1, or a whole number of clients above 1, drawn
      uniformly and without replacement (1 and 1.0 both mean everybody); or a sampler with
      ``sample(round, generator)``, see ``fairfl.training.Sampler``. If it draws nobody, the model stays as it was.
    - ``seed``: an integer, or a list. The runs of several seeds train side by side as one batch and give a list of
      histories. ``rule``, ``server`` and ``tamper`` may then be lists as well, with one entry per seed, and seeds may
      repeat: a whole table whose clients all do the same trains as one batch.
    - ``evaluate_every``: the number of rounds between evaluations. The first and the last model are always evaluated.
    - ``score``: the parts to score: "test", "train", "validation", or a list of them. Own metrics are given as a dict,
      alone or in that list, ``score=["validation", {"name": f}]``: ``f(outputs, targets, columns)`` gives one number
      for a client, on every part that is scored. ``outputs`` (n, …) are the model's for the client's n rows,
      ``targets`` theirs, and ``columns`` their values in each of the dataset's columns, by name; all are on the CPU.
    - ``tamper``: a function ``updates → updates`` that is applied before the rule sees a round: an attack, clipping,
      noise or compression of ``fairfl.attacks``, or your own. Every run uses a copy of its own, so no state passes
      between seeds or calls; only a plain function is used as it is. An object that keeps state between rounds declares
      it by ``state_dict()`` and ``load_state_dict(state)``, as a rule does, and is refused with ``checkpoint`` if it
      does not.
    - ``on_round``: a function that is called after each round, and after its evaluation if there is one, with a
      ``fairfl.training.Round``: the updates, the rule's direction, the new model and its scores. To look into a run,
      use this and not a tamper. It is not part of the run, whose numbers are the same without it. If it returns
      ``fairfl.training.STOP``, this round is the run's last: its model is evaluated, and the other seeds go on as a
      smaller batch, which may change their last digits. The object that you pass is called, not a copy; give a list
      with one per seed if it keeps state. A checkpoint holds its state if it has ``state_dict`` and
      ``load_state_dict``, and gives it back to a callback of the same class and settings only. Another one with a state
      is refused. Without a state, a resumed run calls it as it is.
      ``fairfl.training`` has ``BestModel``, ``EarlyStop`` and ``TensorBoard``, and ``Compose`` to combine them.
    - ``personal``: ``Ditto(...)`` also trains a personal model per client, and these models are scored.
    - ``loss``: a function ``(outputs, targets)`` that gives one loss per row, or a name in ``fairfl.clients.losses``.
      The default is "cross_entropy" for classes and "squared" for numbers. A regression has no accuracies; its losses
      are its scores.
    - ``device``: the default is CUDA if present, otherwise the CPU.
    - ``engine``: "sequential" or "batched". The default is a fixed function of the settings.
    - ``precision``: "float32", or on CUDA "tf32", whose products have ten bits of mantissa. The rules' own sums stay
      float64.
    - ``checkpoint``: a file. A run that finds its own checkpoint there continues from it and ends with the same bits.
      Settings that cannot be compared are refused with it, such as lambdas, and so is a rule, a tamper or a sampler
      with undeclared state. With more ``rounds``, a finished run goes on, and ends with the bits of a run of that
      length; this is refused if the server's step size decays, because its decay depends on ``rounds``. A run that
      ``on_round`` has stopped stays stopped, unless ``on_round`` is left out.
    - ``checkpoint_every``: the number of rounds between checkpoints; more if writing one takes long.
    - ``record_rates``: whether the histories have every round's ``weights`` and ``rates``. With very many clients,
      ``False`` saves memory.
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
    method = local_of(local, LocalSGD(), len(federation))
    server = Server() if server is None else server
    seeds, several = seeds_of(seed)
    rounds = integer("rounds", rounds, 1, "A round is one exchange between server and clients.")
    evaluate_every = integer("evaluate_every", evaluate_every, 1, "It is the number of rounds between evaluations.")
    checkpoint_every = integer(
        "checkpoint_every", checkpoint_every, 1, "It is the number of rounds between checkpoints."
    )
    metrics, score, device = own_metrics(score), parts(score, federation), as_device(device)
    precision = a_precision(precision, device)
    record_rates = boolean("record_rates", record_rates)
    asked = {"rule": rule, "server": server, "tamper": tamper}
    listed = any(isinstance(value, (list, tuple)) for value in asked.values())
    rules, servers, tampers = (each(name, value, seeds) for name, value in asked.items())
    rules = [as_rule(r) for r in rules]
    callbacks = callbacks_of(on_round, seeds)
    check(
        federation,
        rules=rules,
        servers=servers,
        tampers=tampers,
        seeds=seeds,
        repeatable=listed,
        local=method,
        personal=personal,
        participation=participation,
        loss=loss,
        engine=engine,
        checkpoint=checkpoint,
    )
    tampers = own_copies("tamper", tampers)
    sampler = sampler_of(participation, len(federation))
    samplers = own_copies("participation", [sampler] * len(seeds))
    dataset = federation.dataset
    flats = [FlatModel(models.fresh(model, dataset, s), device) for s in seeds]
    flat = flats[0]
    examples = Examples(resident(dataset.inputs, device), dataset.targets.to(device))
    few = torch.cat(federation.train)[:2].to(device)
    flat.draws = tried(flat, examples.inputs[few], examples.targets[few], loss, len(dataset.classes))
    slots_a_round = len(seeds) * expected_count(sampler, len(federation))
    newton = method if isinstance(method, SecondOrder) else None
    # For a rule, a Newton step counts as one step of size 1.
    descent = LocalSGD(lr=1.0) if isinstance(method, SecondOrder) else method
    engine = engine or choose(flat, slots_a_round, descent)
    if newton is not None:
        newton.check(flat, slots_a_round)
    check_engine(engine, flat)
    own = [
        {"seed": s, "rule": describe_rule(r), "server": describe(v), "tamper": describe(a)}
        for s, r, v, a in zip(seeds, rules, servers, tampers)
    ]
    settings = {
        "federation": describe_federation(federation, tensors=checkpoint is not None),
        "model": describe(flat.module),
        "initial": [describe(f.vector) for f in flats],
        "rounds": rounds,
        "local": describe(method),
        "participation": describe_sampler(participation),
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
            sampler=chooser,
            score=score,
            metrics=metrics,
            loss=loss,
            personal=personal,
            engine=engine,
            on_round=c,
            record_rates=record_rates,
        )
        for i, (s, r, v, f, c, chooser) in enumerate(zip(seeds, rules, servers, flats, callbacks, samplers))
    ]
    begun, first, spent = time.perf_counter(), 0, 0.0

    def state(done: int) -> dict:
        seconds = spent + time.perf_counter() - begun
        held = [
            run.state_dict()
            | state_of("tamper", attack)
            | state_of("participation", run.sampler)
            | callback_state(run.on_round)
            for run, attack in zip(runs, tampers)
        ]
        return {"round": done, "seconds": seconds, "runs": held}

    if checkpoint is not None:
        given = [{"seed": s, "rule": r, "server": v, "tamper": a} for s, r, v, a in zip(seeds, rules, servers, tampers)]
        shared = {"local": method, "personal": personal, "loss": loss, "participation": participation}
        # A metric does not change the run, but a record with two metrics of one name would be wrong.
        compared = strict(settings, given, listed, flat, **shared, **({"metrics": metrics} if metrics else {}))
        schedule = "server.decay" if any(v.depends_on_rounds for v in servers) else ""
        if (held := checkpoints.load(checkpoint, compared, state(0), schedule)) is not None:
            first, spent = held["round"], held["seconds"]
            for run, attack, kept in zip(runs, tampers, held["runs"]):
                run.load_state_dict(kept)
                restore("tamper", attack, kept)
                restore("participation", run.sampler, kept)
                restore_callback(run.on_round, kept)
            if on_round is None:
                _go_on(runs, first)
            for run in runs:
                if not run.stopped and first < rounds and first % evaluate_every:
                    run.continues(first)
    del flats
    memories: list[Memory | ObjectMemory] = []
    if checkpoint is not None:
        memories = [
            *(Memory(run.server.rule) for run in runs),
            *(ObjectMemory("tamper", attack) for attack in tampers),
            *(ObjectMemory("participation", chooser) for chooser in samplers),
        ]
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
                active = [run for run in runs if not run.stopped]
                if not active:
                    break
                slots = [slot for run in active for slot in run.sample(t)]
                # A view for a single run: one model less in memory.
                starts = torch.stack([run.server.w for run in runs]) if len(runs) > 1 else runs[0].server.w[None]
                work = RoundWork(examples, slots, starts, descent, t, loss)
                if newton is not None:
                    rows = newton.work(flat, work, [run.curvature for run in runs])
                else:
                    vectors = [run.kept(descent) for run in runs]
                    rows = train_slots(flat, work, engine, vectors) if slots else starts[:0]
                for run, part in zip(active, rows.split([len(run.slots) for run in active])):
                    direction = run.step(flat, work, part, tampers[run.index])
                    if newton is not None:
                        newton.heard(direction, run.curvature)
                # All clients' updates, (K, d), would otherwise stay in memory beside those of the next round.
                del rows, part, direction
                done = t + 1
                evaluated = done % evaluate_every == 0 or done == rounds
                for run in active if evaluated else ():
                    run.evaluate(flat, done)
                for run in active:
                    run.tell(flat, done)
                    if run.stopped and not evaluated:
                        run.evaluate(flat, done)
                last = done == rounds or all(run.stopped for run in runs)
                saving = done % checkpoint_every == 0 or last
                for memory in memories if saving or t == first else ():
                    memory.check(readable=t == first)
                if checkpoint is not None:
                    for run in runs if t == first else ():
                        check_readable(run.on_round)
                    if saving and (pace.due() or last):
                        save(checkpoint, done)
        for run in runs:
            run.judge()
    except BaseException as error:
        _keep(error, histories, done)
        raise
    return histories()


def _go_on(runs: Sequence[Run], done: int) -> None:
    """Continue runs that ``on_round`` had stopped after ``done`` rounds. Raises ``Refused`` if one stopped earlier."""
    lengths = [len(run.record["participants"]) for run in runs]
    if min(lengths) < done:
        raise Refused(
            f"checkpoint holds a run that on_round stopped after {min(lengths)} rounds, and others with {done}; pass "
            f"on_round to continue only the others, or another path",
            "combination",
        )
    for run in runs:
        run.stopped = False


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
