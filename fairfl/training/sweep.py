"""``sweep``: train all combinations of rules, local training, server steps, attacks and seeds, as one tidy table."""

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any

import torch

from fairfl._extras import needed_by
from fairfl._validation import instance_of, integer, takes
from fairfl.clients import Ditto, LocalMethod, LocalSGD, PerClient, SecondOrder
from fairfl.errors import Diverged, Refused, refuse, unknown
from fairfl.federation import Federation, check_federation
from fairfl.rules import Rule, as_rule
from fairfl.training.arguments import seeds_of
from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.run_batches import Job, train_jobs
from fairfl.training.server_optimiser import Server

if TYPE_CHECKING:
    import pandas

Local = LocalMethod | PerClient | SecondOrder | None

INSTEAD = {
    "seed": "pass seeds=[0, 1]",
    "rule": "pass rules=[…]",
    "checkpoint": "a sweep is many runs: leave it out, or train the long ones alone with train(checkpoint=…)",
    "on_round": "look into single runs with train(on_round=…)",
}
# Arguments of train that sweep sets itself, or does not support.
OWN = {"federation", "model", "checkpoint_every", *INSTEAD, *(part.name for part in fields(Job))}


def sweep(
    federation: Federation | Callable[[int], Federation],
    model: str | torch.nn.Module | Callable = "logistic",
    *,
    rules: Rule | str | Sequence[Rule | str] | Mapping[Hashable, Rule | str],
    seeds: int | Sequence[int] = (0,),
    local: Local | Sequence[Local] | Mapping[Hashable, Local] = None,
    server: Server | None | Sequence[Server | None] | Mapping[Hashable, Server | None] = None,
    tamper: Callable | None | Sequence[Callable | None] | Mapping[Hashable, Callable | None] = None,
    personal: Ditto | None = None,
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
    has the label "none". ``personal`` is one ``Ditto`` for all runs, whose personal models are then scored.
    ``settings`` go to ``train``: rounds, participation, evaluate_every, device, engine, …

    ``server`` and ``local`` can also be given per rule: a dict whose keys are exactly the labels of ``rules``, such as
    ``server={"FedAvg": Server(), "AdaFed": Server(lr=0.1)}``. Each rule is then combined with its own value only, and
    there is no column for it.

    ``federation``: one split for all runs, or a function from a seed to a split, such as ``lambda seed:
    partition.dirichlet(dataset, 10, 0.5, seed=seed)``. The spread over seeds then includes that of the split. Runs with
    different splits are different batches.

    Columns:

    - ``rule``, ``seed``; and ``local``, ``server``, ``tamper`` if several were given, and not one for each rule.
    - ``client``; ``test_size``: its number of test rows.
    - ``accuracy`` (0 to 1; absent in regression) and ``loss`` on the test rows, each the mean of the ``last``
      evaluations; the same with the prefix ``train_`` or ``validation_`` for each part that ``score`` names, and a
      column for each own metric in it. Choose settings by the validation rows, not the test rows.
    - ``rounds``: the number of finished rounds at the last evaluation; ``diverged``: why the run ended early, or "".

    Rows come in the order of the combinations above, in which ``local`` varies slowest. ``histories``: a list, to which
    every run's ``History`` is appended in that order. (In the table's ``attrs``, pandas would copy them at every step
    and could not join two sweeps.) ``fairfl.training.summary`` condenses the table over seeds. Read a table written
    with ``to_csv`` by ``pandas.read_csv(file, keep_default_na=False)``, so that "" stays "".

    Runs whose clients do the same train side by side as one batch, each with its own copy of rule and attack. All of
    their clients' updates are in memory together; ``together``, the maximum number of runs per batch, limits this. The
    engine depends on the size of the batch unless it is named, so a run can differ by rounding from the same run of
    ``train``. If a run diverges, its batch is trained again one run at a time, and that run's rows hold the rounds that
    it finished.

    Raises ``Refused`` for empty lists, unknown rules and settings, repeated labels and seeds, a dict in which only some
    keys are rules' labels, settings that belong to a single run, and whatever ``train`` refuses; ``NotInstalled``
    without pandas. Other exceptions pass through.
    """
    with needed_by("sweep"):
        import pandas
    for name in INSTEAD.keys() & settings.keys():
        raise Refused(f"sweep has no argument {name}; {INSTEAD[name]}", "name")
    taken = inspect.signature(train).parameters.keys() - OWN
    for name in settings.keys() - taken:
        raise unknown("setting of sweep", name, taken | inspect.signature(sweep).parameters.keys() - {"settings"})
    integer("last", last, 1, "It is the number of evaluations that are averaged.", high=_evaluations(settings))
    if histories is not None and not isinstance(histories, list):
        raise refuse("histories", histories, "a list", "Pass an empty list, to which every History is added.", "type")
    if together is not None:
        integer("together", together, 1, "It is the maximum number of runs in a batch.")
    if personal is not None:  # a list is not several choices
        instance_of("personal", personal, Ditto)
    asked = {
        "local": _labelled("local", local, LocalSGD()),
        "rule": _labelled("rules", rules),
        "server": _labelled("server", server, Server()),
        "tamper": _labelled("tamper", tamper),
    }
    asked["rule"] = [(label, as_rule(rule)) for label, rule in asked["rule"]]
    for _, work in asked["local"]:  # ``train`` would refuse the second one only after the first has trained
        if not isinstance(work, (LocalMethod, PerClient, SecondOrder)):
            allowed = "a LocalSGD, or a list or dict of them; for unequal clients, PerClient.of([...], clients)"
            raise refuse("local", work, allowed, "Pass an instance, such as LocalSGD().", "type")
    numbers, _ = seeds_of(seeds)
    if not numbers or len(set(numbers)) < len(numbers):
        raise refuse("seeds", numbers, "one or more different integers", "Every seed is one run per combination.")
    pairs = {"local": local, "server": server}
    own = {name: dict(asked[name]) for name, given in pairs.items() if _per_rule(name, given, asked["rule"])}
    factors = {name: choices for name, choices in asked.items() if name not in own}
    shown = [name for name in ("local", "server", "tamper") if name in factors and len(factors[name]) > 1]
    splits = {seed: _split(federation, seed) for seed in numbers}
    results: dict[int, tuple[Job, History, str]] = {}

    def record(jobs: Sequence[Job], done: list[History] | None, error: Refused | None) -> None:
        if error and not (isinstance(error, Diverged) and (done or len(jobs) > 1)):
            raise error
        for job, history in zip(jobs, done or ()):
            results[job.name["place"]] = job, history, str(error or "")

    jobs: list[Job] = []
    choices: list[list] = [*factors.values(), numbers]
    for *chosen, seed in product(*choices):
        labels, things = zip(*chosen)
        called: dict[str, Any] = dict(zip(factors, labels)) | {"place": len(jobs)}
        alone = {what: of[called["rule"]] for what, of in own.items()}
        jobs.append(Job(seed=seed, name=called, personal=personal, **dict(zip(factors, things)), **alone))
    batches = [jobs] if isinstance(federation, Federation) else [[j for j in jobs if j.seed == s] for s in numbers]
    try:
        for batch in batches:
            train_jobs(splits[batch[0].seed], model, batch, record, together=together, **settings)
    finally:
        if histories is not None:
            histories.extend(results[place][1] for place in sorted(results))
    tables = []
    for _, (job, history, error) in sorted(results.items()):
        columns: dict[str, Any] = {"rule": job.name["rule"], "seed": job.seed}
        columns |= {name: job.name[name] for name in shown}
        columns |= {"client": range(len(history.test_sizes)), "test_size": history.test_sizes}
        columns |= {name: scores[-last:].mean(0) for name, scores in history.scores().items()}
        tables.append(pandas.DataFrame(columns | {"rounds": int(history.rounds[-1]), "diverged": error}))
    return pandas.concat(tables, ignore_index=True)


def _evaluations(settings: Mapping[str, Any]) -> int | None:
    """The number of evaluations of a run, with the initial model's; ``None`` if ``train`` will refuse the settings."""
    usual = inspect.signature(train).parameters
    rounds, every = (settings.get(name, usual[name].default) for name in ("rounds", "evaluate_every"))
    try:
        return 1 + -(-integer("rounds", rounds, 1) // integer("evaluate_every", every, 1))
    except Refused:
        return None


def _per_rule(name: str, given: Any, rules: list[tuple]) -> bool:
    """Whether ``given`` has one value for each rule. Raises ``Refused`` if only some of its keys are rules' labels."""
    labels = {label for label, _ in rules}
    keys = set(given) if isinstance(given, Mapping) else set()
    if keys & labels and keys != labels:
        raise refuse(
            f"the list of keys of {name}",
            list(given),
            f"exactly the labels of rules ({', '.join(map(str, labels))}), for one value per rule, or none of them",
            f"Add or remove keys, or rename those that are labels of {name}.",
            "combination",
        )
    return bool(keys) and keys == labels


def _split(federation: Federation | Callable[[int], Federation], seed: int) -> Federation:
    if callable(federation):
        takes("federation", federation, "seed")
    split = federation(seed) if callable(federation) else federation
    check_federation(split)
    return split


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
