"""The identity of a job: the settings that determine its numbers, by their public names.

Module paths and defaults are not part of it. So a file may move, and a class may gain a new setting, without changing the keys of recorded
jobs. Changing a *default* changes numbers under an unchanged key; a test compares the settings that were recorded in full with today's.
"""

import hashlib
import json
from collections.abc import Callable

from fairfl.clients import Ditto, LocalSGD
from fairfl.training.server_optimiser import Server
from reproductions import declared_settings
from reproductions.experiment import Experiment, Row

# An experiment's fields; everything else in a declaration concerns the published table, or how the jobs are run.
DECIDES = (
    "federation",
    "split_seed",
    "split_per_seed",
    "model",
    "model_settings",
    "rounds",
    "participation",
    "always",
    "evaluate_every",
    "training_losses",
)


def identity(experiment: Experiment, row: Row, seed: int) -> dict:
    """The settings of ``row`` under ``seed`` that are not defaults, as plain values."""
    e = experiment
    out = changed(Experiment, {name: getattr(e, name) for name in DECIDES})
    out |= {"rule": [row.rule, changed(e.rule_class(row), row.settings)], "seed": seed}
    out |= {"local": changed(LocalSGD, e.local | row.local), "server": changed(Server, e.server | row.server)}
    if row.tamper:
        out["tamper"] = [
            row.tamper["attack"],
            changed(e.attack_class(row), {k: v for k, v in row.tamper.items() if k != "attack"}),
        ]
    if row.personal:
        out["personal"] = changed(Ditto, row.personal)
    return out


def key(identity: dict) -> str:
    """Twelve hexadecimal digits, equal for equal identities and different for others."""
    return hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=6).hexdigest()


def changed(make: Callable, given: dict) -> dict:
    """The settings in ``given`` that differ from ``make``'s defaults, as plain values."""
    usual = {name: _written(plain(value)) for name, value in declared_settings.defaults(make).items()}
    out = {name: plain(value) for name, value in declared_settings.numbers(given).items()}
    return {name: value for name, value in out.items() if _written(value) != usual.get(name)}


def plain(value: object) -> object:
    """``value`` in a form in which equal values are written the same: 1.0 as 1, a tuple as a list."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return value


def _written(value):
    return json.dumps(value, sort_keys=True, default=repr)
