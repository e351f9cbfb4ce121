"""``sweep``: every combination of rules, clients' work, server steps, attacks and seeds, as one tidy table."""

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any

import torch

from fairfl._extras import needed_by
from fairfl._validation import integer
from fairfl.clients import LocalSGD, SecondOrder
from fairfl.errors import Diverged, Refused, refuse, unknown
from fairfl.federation import Federation
from fairfl.rules import Rule, as_rule
from fairfl.training.arguments import seeds_of
from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.run_batches import Job, train_jobs
from fairfl.training.server_optimiser import Server

if TYPE_CHECKING:
    import pandas

Local = LocalSGD | SecondOrder | None

INSTEAD = {
    "seed": "give seeds=[0, 1]",
    "rule": "give rules=[…]",
    "checkpoint": "a sweep is many runs: leave it out, or train the long ones alone, with train(checkpoint=…)",
    "personal": "train personal models alone, with train(personal=…)",
}
# What sweep itself gives to train, or has no use for.
OWN = {"federation", "model", "checkpoint_every", *INSTEAD, *(part.name for part in fields(Job))}


def sweep(
    federation: Federation,
    model: str | torch.nn.Module | Callable = "logistic",
    *,
    rules: Rule | str | Sequence[Rule | str] | Mapping[Hashable, Rule | str],
    seeds: int | Sequence[int] = (0,),
    local: Local | Sequence[Local] | Mapping[Hashable, Local] = None,
    server: Server | None | Sequence[Server | None] | Mapping[Hashable, Server | None] = None,
    tamper: Callable | None | Sequence[Callable | None] | Mapping[Hashable, Callable | None] = None,
    last: int = 1,
    together: int | None = None,
    histories: list[History] | None = None,
    **settings: Any,
) -> "pandas.DataFrame":
    """Train ``local`` × ``rules`` × ``server`` × ``tamper`` × ``seeds``, all combinations; one line a run and client.

    >>> from fairfl import LocalSGD, data, partition, sweep
    >>> federation = partition.dirichlet(data.load("digits"), 5, 0.5)
    >>> steps = {"one step": LocalSGD(lr=0.5), "five": LocalSGD(lr=0.1, epochs=5)}
    >>> table = sweep(federation, rules=["FedAvg", "FedMGDA"], local=steps, seeds=[0, 1], rounds=5)
    >>> worst = table.groupby(["rule", "local", "seed"])["accuracy"].min()
    >>> len(table), len(worst)
    (40, 8)

    Each of ``rules``, ``local``, ``server`` and ``tamper`` is one thing, a list, or a dict from label to thing. Without
    a dict a thing's label is its ``repr``, or its name where it is given by name or is a function; no attack is "none".
    ``settings`` go to ``train``: rounds, participation, evaluate_every, device, engine, …

    Columns: ``rule``, ``seed``; ``local``, ``server``, ``tamper`` where several were given; ``client``; ``test_size``,
    its test rows; ``accuracy`` (0 to 1; none where targets are numbers) and ``loss`` on these, each the mean of the
    ``last`` evaluations; the same with ``train_`` or ``validation_`` before it for each part that ``score`` names (to
    choose settings, read validation and not test);
    ``rounds``, how many were finished at the last of them; ``diverged``, why the run ended early
    or "". Lines come in the order of the product above, its first varying slowest. ``histories``: a list, to which
    every run's ``History`` is added in that order. (In the table's ``attrs`` pandas would copy them at every step, and
    could not join two sweeps.) A table written with ``to_csv`` is read back with ``pandas.read_csv(file,
    keep_default_na=False)``: "" stays "".

    Runs whose clients do the same train side by side as one batch, each with its own copy of rule and attack; all of
    their clients' updates are in memory together, so that ``together``, the most runs of a batch, limits what is
    needed. The engine depends on how many there are unless it is named, so that a run's bits may differ from those of
    ``train`` alone, by rounding. If a run diverges, its batch is trained again one run at a time, and the lines of that
    run hold the rounds that it finished.

    Raises ``Refused`` for empty lists, unknown rules and settings, labels and seeds that come twice, settings that
    belong to a single run, and whatever ``train`` refuses; ``NotInstalled`` without pandas. Other exceptions pass as
    they are.
    """
    with needed_by("sweep"):
        import pandas
    for name in INSTEAD.keys() & settings.keys():
        raise Refused(f"sweep takes no {name}=; {INSTEAD[name]}")
    taken = inspect.signature(train).parameters.keys() - OWN
    for name in settings.keys() - taken:
        raise unknown("setting of sweep", name, taken | inspect.signature(sweep).parameters.keys() - {"settings"})
    last = integer("last", last, 1, "It is the number of evaluations that are averaged.")
    if together is not None:
        integer("together", together, 1, "It is the most runs that train as one batch.")
    asked = {
        "local": _labelled("local", local, LocalSGD()),
        "rule": _labelled("rules", rules),
        "server": _labelled("server", server, Server()),
        "tamper": _labelled("tamper", tamper),
    }
    asked["rule"] = [(label, as_rule(rule)) for label, rule in asked["rule"]]
    for _, work in asked["local"]:  # ``train`` would refuse the second when the first has trained
        if not isinstance(work, (LocalSGD, SecondOrder)):
            raise refuse("local", work, "a LocalSGD, a list, or a dict of them", "Give one, such as LocalSGD().")
    numbers, _ = seeds_of(seeds)
    if not numbers or len(set(numbers)) < len(numbers):
        raise refuse("seeds", numbers, "one or more different integers", "Every seed is one run of each combination.")
    shown = [name for name in ("local", "server", "tamper") if len(asked[name]) > 1]
    tables: list = []

    def record(jobs: Sequence[Job], done: list[History] | None, error: Refused | None) -> None:
        if error and not (isinstance(error, Diverged) and (done or len(jobs) > 1)):
            raise error
        for job, history in zip(jobs, done or ()):
            if histories is not None:
                histories.append(history)
            tables.append(
                pandas.DataFrame(
                    {
                        "rule": job.name["rule"],
                        "seed": job.seed,
                        **{name: job.name[name] for name in shown},
                        "client": range(len(federation)),
                        "test_size": history.test_sizes,
                        **_scores(history, last),
                        "rounds": int(history.rounds[-1]),
                        "diverged": str(error or ""),
                    }
                )
            )

    jobs = []
    choices: list[list] = [*asked.values(), numbers]
    for *chosen, seed in product(*choices):
        labels, things = zip(*chosen)
        jobs.append(Job(seed=seed, name=dict(zip(asked, labels)), **dict(zip(asked, things))))
    train_jobs(federation, model, jobs, record, together=together, **settings)
    return pandas.concat(tables, ignore_index=True)


def _scores(history: History, last: int) -> dict[str, Any]:
    """Every accuracy and loss that the run recorded, by column."""
    columns = [f"{part}{what}" for part in ("", "train_", "validation_") for what in ("accuracy", "loss")]
    recorded = {name: getattr(history, name) for name in columns}
    return {name: scores[-last:].mean(0) for name, scores in recorded.items() if scores is not None}


def _labelled(name: str, given: Any, default: object = None) -> list[tuple]:
    """Pairs of label and thing; ``default`` stands where ``None`` does."""
    things = given.values() if isinstance(given, Mapping) else given if isinstance(given, (list, tuple)) else [given]
    things = [default if thing is None else thing for thing in things]
    labels = list(given) if isinstance(given, Mapping) else [_label(thing) for thing in things]
    if not things:
        raise refuse(name, given, "one, a list, or a dict label → thing, not empty", "Without any nothing is trained.")
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise refuse(
            f"a label in {name}, twice,",
            twice[0],
            "labels that differ",
            f"Leave one out, or name them: {name}={{'one': …, 'other': …}}.",
        )
    return list(zip(labels, things))


def _label(thing: object) -> str:
    if thing is None:
        return "none"
    return thing if isinstance(thing, str) else getattr(thing, "__name__", None) or repr(thing)
