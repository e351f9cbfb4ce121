"""What a job is: equal where the numbers must be equal, and unmoved by where code stands."""

import dataclasses
import inspect

import own
import pytest

from fairfl import rules
from fairfl.clients import LocalSGD
from reproductions import catalogue, experiment, job_identity, result_folders, results
from reproductions.jobs import Job, select

RECORDS = result_folders.find()
RECORDED = [name for name in catalogue.names() if (RECORDS.results / f"{name}.csv").exists()]


def keys(name_or_path):
    return {job.key for job in select(catalogue.load(name_or_path))}


def elsewhere(cls, **more):
    """``cls`` as if it stood in another module, with further settings that have defaults."""
    moved = type(cls.__name__, (cls,), {"__module__": "fairfl.somewhere.else_entirely"})
    signature = inspect.signature(cls)
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in more.items()]
    moved.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *added])
    return moved


def test_recorded_jobs_stay_declared_when_rules_move_and_learn_settings(monkeypatch):
    for name, cls in experiment.RULES.items():
        monkeypatch.setitem(experiment.RULES, name, elsewhere(cls, patience=3))
    for name, cls in experiment.ATTACKS.items():
        monkeypatch.setitem(experiment.ATTACKS, name, elsewhere(cls, patience=3))
    fields = [(f.name, f.type, dataclasses.field(default=f.default)) for f in dataclasses.fields(LocalSGD)]
    grown = dataclasses.make_dataclass(
        "LocalSGD", [*fields, ("patience", int, dataclasses.field(default=3))], frozen=True
    )
    monkeypatch.setattr(job_identity, "LocalSGD", grown)
    for name in RECORDED:
        recorded = [
            line["key"] for line in results._read((RECORDS.results / f"{name}.csv").read_text(encoding="utf-8"))
        ]
        assert recorded and set(recorded) <= keys(name), name


@pytest.mark.parametrize("name", RECORDED)
def test_no_default_has_changed_under_a_recorded_job(name):
    """A key leaves defaults out, and so cannot notice; what was recorded in full can."""
    told = results.provenance(catalogue.load(name), RECORDS.results)
    seen = 0
    for job in select(catalogue.load(name)):
        if job.key in told:
            seen += 1
            assert not list(_different(told[job.key]["job"], job.settings)), job.title
    assert seen == len(told)


def _different(then, now, path=""):
    for name in then:
        # What a rule reads ("needs") is no setting: DQN-Fed asks for more since it measures its cap on longer rows.
        if name in ("class", "needs") or name not in (now or {}):
            continue
        here = list(now[name]) if isinstance(now[name], tuple) else now[name]
        if isinstance(then[name], dict):
            yield from _different(then[name], here, f"{path}{name}.")
        elif then[name] != here:
            yield f"{path}{name}", then[name], here


@pytest.mark.parametrize(
    "old, new",
    [
        ("settings = { factor = 0.5 }", "settings = { factor = 0.50 }"),
        ("rounds = 6", "rounds = 6\nparticipation = 1.0\nevaluate_every = 1\nsplit_seed = 0\nmodel_settings = {}"),
        ("constant = 10.0", "constant = 10"),
        ("lr = 0.1, batch_size = 20", "batch_size = 20, epochs = 1, momentum = 0"),  # the defaults
        ('alpha = "1/3"', 'alpha = "2/6", tau = 0'),
        ('label = "First"', 'label = "The first"\nserver = { lr = 1 }'),
        ("seeds = 2", "seeds = [1, 0]"),
        ("checkpoint_every = 1", "checkpoint_every = 7\nlast = 3"),
    ],
)
def test_what_is_set_as_it_would_be_anyhow_changes_no_key(tmp_path, old, new):
    assert old in own.TOML
    assert keys(own.declared(tmp_path, own.TOML.replace(old, new))) == keys(own.declared(tmp_path))


@pytest.mark.parametrize(
    "old, new",
    [
        ("rounds = 6", "rounds = 7"),
        ("rounds = 6", "rounds = 6\nparticipation = 0.5"),
        ("rounds = 6", "rounds = 6\nevaluate_every = 2"),
        ("rounds = 6", "rounds = 6\ntraining_losses = true"),
        ("rounds = 6", "rounds = 6\nsplit_seed = 1"),
        ("rounds = 6", "rounds = 6\nmodel_settings = { softmax = true }"),
        ("rounds = 6", "rounds = 6\nserver = { lr = 0.5 }"),
        ("lr = 0.1", "lr = 0.2"),
        ("own:offices", "fedfv_cifar10"),
        ('model = "logistic"', 'model = "mlp"'),
        ("seeds = 2", "seeds = [5, 6]"),
    ],
)
def test_what_changes_the_numbers_changes_every_key(tmp_path, old, new):
    assert old in own.TOML
    assert not keys(own.declared(tmp_path, own.TOML.replace(old, new))) & keys(own.declared(tmp_path))


@pytest.mark.parametrize(
    "given",
    [
        'rule = "FedAvg"',
        'rule = "FedFV"',
        'rule = "FedFV"\nsettings = { alpha = 0.5 }',
        'rule = "own:First"',
        'tamper = { attack = "Bias", client = 0, constant = 2.0 }',
        'tamper = { attack = "Scaling", client = 0, factor = 2.0 }',
        "personal = { strength = 0.1 }",
        "personal = { strength = 0.2 }",
    ],
)
def test_a_row_is_told_from_every_other(tmp_path, given):
    plain = own.TOML.split("[[rows]]")[0] + '[[rows]]\nlabel = "one"\n'
    told = 'rule = "FedAvg"\nserver = { momentum = 0.5 }'
    assert not keys(own.declared(tmp_path, plain + given)) & keys(own.declared(tmp_path, plain + told))
    one, same = (Job(e, e.rows[0], 0).key for e in [own.small(tmp_path, plain + given)] * 2)
    assert one == same


def test_the_rows_above_all_differ(tmp_path):
    plain = own.TOML.split("[[rows]]")[0] + '[[rows]]\nlabel = "one"\n'
    rows = test_a_row_is_told_from_every_other.pytestmark[0].args[1]
    found = [next(iter(keys(own.declared(tmp_path, plain.replace("seeds = 2", "seeds = 1") + row)))) for row in rows]
    assert len(set(found)) == len(rows)


def test_an_attack_is_named_not_described_by_its_numbers_alone(tmp_path, monkeypatch):
    monkeypatch.setitem(experiment.ATTACKS, "Prejudice", elsewhere(experiment.ATTACKS["Bias"]))
    assert keys(own.declared(tmp_path, own.TOML.replace('"Bias"', '"Prejudice"'))) != keys(own.declared(tmp_path))


def test_no_key_of_the_packages_own_tables_names_a_module():
    for name in catalogue.names():
        for job in select(catalogue.load(name), seeds=[0]):
            assert "fairfl" not in repr(job.identity) and ":" not in job.row.rule, job.title
    assert rules.RULES.items() <= experiment.RULES.items()
