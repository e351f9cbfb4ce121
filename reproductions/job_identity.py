"""What a job is: the settings that decide its numbers, by their public names.

No module's path and no default is part of it, so that a file may move and a class may learn a new setting, and every recorded job is
still the one that is declared. Who changes a *default* changes numbers under an unchanged key; a test compares what was recorded in full
with what is set today.
"""

import hashlib
import json
from collections.abc import Callable

from fairfl.clients import Ditto, LocalSGD
from fairfl.training.server_optimiser import Server
from reproductions import declared_settings
from reproductions.experiment import Experiment, Row

# Of an experiment; all else in a declaration is about the published table or the way it is run.
DECIDES = (
    "federation",
    "split_seed",
    "split_per_seed",
    "model",
    "model_settings",
    "rounds",
    "participation",
    "evaluate_every",
)


def identity(experiment: Experiment, row: Row, seed: int) -> dict:
    """What decides the numbers of ``row`` under ``seed``, as plain values: what was set and is not the default anyhow."""
    e = experiment
    told = changed(Experiment, {name: getattr(e, name) for name in DECIDES})
    told |= {"rule": [row.rule, changed(e.rule_class(row), row.settings)], "seed": seed}
    told |= {"local": changed(LocalSGD, e.local | row.local), "server": changed(Server, e.server | row.server)}
    if row.tamper:
        told["tamper"] = [
            row.tamper["attack"],
            changed(e.attack_class(row), {k: v for k, v in row.tamper.items() if k != "attack"}),
        ]
    if row.personal:
        told["personal"] = changed(Ditto, row.personal)
    return told


def key(told: dict) -> str:
    """Twelve hexadecimal digits that equal identities, and no others, share."""
    return hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=6).hexdigest()


def changed(make: Callable, given: dict) -> dict:
    """Those of the settings ``given`` to ``make`` that are not its defaults, as plain values."""
    usual = {name: _told(plain(value)) for name, value in declared_settings.defaults(make).items()}
    out = {name: plain(value) for name, value in declared_settings.numbers(given).items()}
    return {name: value for name, value in out.items() if _told(value) != usual.get(name)}


def plain(value: object) -> object:
    """``value`` such that equal values are written alike: 1.0 as 1, a tuple as a list."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return value


def _told(value):
    return json.dumps(value, sort_keys=True, default=repr)
