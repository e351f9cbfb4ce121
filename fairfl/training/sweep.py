"""``sweep``: train all combinations of rules, local training, server steps, attacks and seeds, as one tidy table."""

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
    "seed": "pass seeds=[0, 1]",
    "rule": "pass rules=[…]",
    "checkpoint": "a sweep is many runs: leave it out, or train the long ones alone with train(checkpoint=…)",
    "personal": "train personal models alone with train(personal=…)",
}
# Arguments of train that sweep sets itself, or does not support.
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
    """Train all combinations of ``local``, ``rules``, ``server``, ``tamper`` and ``seeds``; one row per run and client.

    >>> from fairfl import LocalSGD, data, partition, sweep
    >>> federation = partition.dirichlet(data.load("digits"), 5, 0.5)
    >>> steps = {"one step": LocalSGD(lr=0.5), "five": LocalSGD(lr=0.1, epochs=5)}
    >>> table = sweep(federation, rules=["FedAvg", "FedMGDA"], local=steps, seeds=[0, 1], rounds=5)
    >>> worst = table.groupby(["rule", "local", "seed"])["accuracy"].min()
    >>> len(table), len(worst)
    (40, 8)

    Each of ``rules``, ``local``, ``server`` and ``tamper`` is a single value, a list, or a dict from label to value.
    Without a dict, the label of a value is its ``repr``, or its name if it is given by name or is a function; no attack
    has the label "none". ``settings`` go to ``train``: rounds, participation, evaluate_every, device, engine, …

    Columns:

    - ``rule``, ``seed``; and ``local``, ``server``, ``tamper`` if several were given.
    - ``client``; ``test_size``: its number of test rows.
    - ``accuracy`` (0 to 1; absent in regression) and ``loss`` on the test rows, each the mean of the ``last``
      evaluations; the same with the prefix ``train_`` or ``validation_`` for each part that ``score`` names. Choose
      settings by the validation rows, not the test rows.
    - ``rounds``: the number of finished rounds at the last evaluation; ``diverged``: why the run ended early, or "".

    Rows come in the order of the combinations above, in which ``local`` varies slowest. ``histories``: a list, to which
    every run's ``History`` is appended in that order. (In the table's ``attrs``, pandas would copy them at every step
    and could not join two sweeps.) Read a table written with ``to_csv`` by ``pandas.read_csv(file,
    keep_default_na=False)``, so that "" stays "".

    Runs whose clients do the same train side by side as one batch, each with its own copy of rule and attack. All of
    their clients' updates are in memory together; ``together``, the maximum number of runs per batch, limits this. The
    engine depends on the size of the batch unless it is named, so a run can differ by rounding from the same run of
    ``train``. If a run diverges, its batch is trained again one run at a time, and that run's rows hold the rounds that
    it finished.

    Raises ``Refused`` for empty lists, unknown rules and settings, repeated labels and seeds, settings that belong to a
    single run, and whatever ``train`` refuses; ``NotInstalled`` without pandas. Other exceptions pass through.
    """
    with needed_by("sweep"):
        import pandas
    for name in INSTEAD.keys() & settings.keys():
        raise Refused(f"sweep has no argument {name}; {INSTEAD[name]}", "name")
    taken = inspect.signature(train).parameters.keys() - OWN
    for name in settings.keys() - taken:
        raise unknown("setting of sweep", name, taken | inspect.signature(sweep).parameters.keys() - {"settings"})
    last = integer("last", last, 1, "It is the number of evaluations that are averaged.")
    if together is not None:
        integer("together", together, 1, "It is the maximum number of runs in a batch.")
    asked = {
        "local": _labelled("local", local, LocalSGD()),
        "rule": _labelled("rules", rules),
        "server": _labelled("server", server, Server()),
        "tamper": _labelled("tamper", tamper),
    }
    asked["rule"] = [(label, as_rule(rule)) for label, rule in asked["rule"]]
    for _, work in asked["local"]:  # ``train`` would refuse the second one only after the first has trained
        if not isinstance(work, (LocalSGD, SecondOrder)):
            allowed = "a LocalSGD, or a list or dict of them"
            raise refuse("local", work, allowed, "Pass an instance, such as LocalSGD().", "type")
    numbers, _ = seeds_of(seeds)
    if not numbers or len(set(numbers)) < len(numbers):
        raise refuse("seeds", numbers, "one or more different integers", "Every seed is one run per combination.")
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
                        **{name: scores[-last:].mean(0) for name, scores in history.scores().items()},
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


def _labelled(name: str, given: Any, default: object = None) -> list[tuple]:
    """Pairs of label and value; ``default`` replaces ``None``."""
    things = given.values() if isinstance(given, Mapping) else given if isinstance(given, (list, tuple)) else [given]
    things = [default if thing is None else thing for thing in things]
    labels = list(given) if isinstance(given, Mapping) else [_label(thing) for thing in things]
    if not things:
        allowed = "a value, or a non-empty list or dict label → value"
        raise refuse(name, given, allowed, "Leave it out, or pass at least one.", "missing")
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise refuse(
            f"a repeated label in {name}",
            twice[0],
            "different labels",
            f"Remove one, or name them: {name}={{'one': …, 'other': …}}.",
        )
    return list(zip(labels, things))


def _label(thing: object) -> str:
    if thing is None:
        return "none"
    return thing if isinstance(thing, str) else getattr(thing, "__name__", None) or repr(thing)
