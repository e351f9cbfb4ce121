"""``Experiment``: a published table as a declaration. TOML is its written form; ``catalogue`` reads it."""

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from fairfl import attacks, models, partition, rules
from fairfl.clients import Ditto, LocalSGD
from fairfl.clients.client_statistics import refuse_unprovided
from fairfl.errors import Refused, refuse, unknown
from fairfl.training.server_optimiser import Server
from reproductions import baselines, declared_types, measures, own_code, released_rules
from reproductions.declared_settings import made

RULES = rules.RULES | {
    make.__name__: make for make in (baselines.OneClient, released_rules.QFedAvgAfter, released_rules.UniformFedFA)
}
ATTACKS = {
    "Bias": attacks.Bias,
    "Scaling": attacks.Scaling,
    "TotalLoss": baselines.TotalLoss,
    "UnitRows": baselines.UnitRows,
}
TOGETHER = ("none", "seeds", "rows")
SPREADS = ("population", "sample", "unsaid")
SOURCED = (
    "federation",
    "split_per_seed",
    "model",
    "model_settings",
    "rounds",
    "participation",
    "local",
    "server",
    "spread",
    "seeds",
    "published_seeds",
)
SOURCES = ("paper", "released code", "log's name", "guess")


@dataclass(frozen=True)
class Column:
    """One column: ``metric`` is its name in ``published_results.csv``, ``of`` what is measured (``measures.MEASURES``).

    ``why`` is given where the two are not the same by name: what the paper prints there, and how we know.
    """

    metric: str
    of: str
    why: str = ""


@dataclass(frozen=True)
class Row:
    """One row: a rule and what else it changes.

    ``rule`` is a name of ``RULES`` or ``module:Class``, with ``settings``. ``algorithm`` and ``hyperparameters`` find it in
    the published table; an empty ``algorithm`` is a row of ours that no paper has. ``local``, ``server``: changes to the
    experiment's. ``tamper``: an attack of ``ATTACKS`` or ``module:Class`` with its settings. ``personal``: ``Ditto``'s ``strength``; with 0 each
    client trains alone (``Experiment.alone``).
    ``best``: the row that stands for its method where a table is run in part. ``chosen``: what the paper leaves out here and what
    was taken; ``underspecified``: why no verdict is possible even so. ``source``: where the
    row's own settings are from, one of ``SOURCES`` and after a colon what it says. ``reprints``: "table: row" of another declaration whose
    number this paper prints again; the row is not run, and that one's runs are judged beside it. ``tried``: where a cell of the row is
    *different*, what was tried to change that and what came of it.
    """

    label: str
    rule: str = "FedAvg"
    settings: dict = field(default_factory=dict)
    algorithm: str = ""
    hyperparameters: str = ""
    local: dict = field(default_factory=dict)
    server: dict = field(default_factory=dict)
    tamper: dict = field(default_factory=dict)
    personal: dict = field(default_factory=dict)
    best: bool = False
    source: str = "paper"
    reprints: str = ""
    chosen: str = ""
    underspecified: str = ""
    tried: str = ""

    def __post_init__(self) -> None:
        # "FedMGDA+" and "FedMGDAPlus" are one row, with one key.
        object.__setattr__(self, "rule", rules.class_name(self.rule) if isinstance(self.rule, str) else self.rule)

    @property
    def reprinted(self) -> tuple[str, str]:
        """The table and the row that ``reprints`` names."""
        table, _, label = self.reprints.partition(": ")
        return table, label

    @property
    def shown(self) -> str:
        """What a report calls the row: by the runs that are judged in it, and where these stand under another name, by the printed one as well."""
        ran = self.reprinted[1]
        return f"{ran} (printed as {self.label})" if ran not in ("", self.label) else self.label


@dataclass(frozen=True)
class Experiment:
    """A table: data, split, model, clients, rounds, seeds, rows and columns.

    ``paper``, ``table``, ``dataset`` and ``setup`` (the beginning of the printed set-up) select the published cells; ``spread`` says which
    ± they print, ``published_seeds`` how many runs are behind them. ``federation``: a preset of ``fairfl.partition`` or a
    ``module:function`` of one seed that says ``-> Federation``; ``split_seed`` is that seed, the same for every run; with ``split_per_seed`` each run
    adds its own, and is split as no other; ``split_given``: the data come with their split, so that
    nobody draws one. ``last``: evaluations over which the final
    accuracies are averaged. ``together``: which jobs train as one batch on a CPU ("none", "seeds" of a row, or all "rows" that differ in
    rule, server and attack alone); on CUDA at least the seeds do. ``chosen``: what the paper leaves out, and what was taken.
    ``underspecified``: why no verdict is possible. ``not_run``: why it is not run here. ``reading_of``:
    the table that this is another reading of; its cells are not counted twice. ``sources``: where each setting is from, by the setting's
    name, as a row's ``source`` says it. ``tried``: as a row's, for all rows. Raises ``ValueError`` naming what is wrong.
    """

    name: str
    title: str
    paper: str
    table: str
    federation: str
    model: str
    rounds: int
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    dataset: str = ""
    setup: str = ""
    published_seeds: int = 5
    spread: str = "unsaid"
    split_seed: int = 0
    split_per_seed: bool = False
    split_given: bool = False
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    model_settings: dict = field(default_factory=dict)
    local: dict = field(default_factory=dict)
    server: dict = field(default_factory=dict)
    participation: float = 1.0
    evaluate_every: int = 1
    last: int = 1
    checkpoint_every: int = 20
    together: str = "none"
    chosen: tuple[str, ...] = ()
    underspecified: str = ""
    not_run: str = ""
    reading_of: str = ""
    tried: str = ""
    sources: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9_]+", self.name):
            raise refuse("name", self.name, "small letters, digits and underscores", "It is a file's name.")
        for what, value, allowed in (("together", self.together, TOGETHER), ("spread", self.spread, SPREADS)):
            if value not in allowed:
                raise unknown(what, value, allowed)
        for what in ("rounds", "evaluate_every", "last", "checkpoint_every", "published_seeds"):
            if getattr(self, what) < 1:
                raise refuse(what, getattr(self, what), "1 or more", f"Change it in experiment {self.name!r}.")
        if not 0 < self.participation <= 1:
            raise refuse(
                "participation", self.participation, "above 0, at most 1", "It is the fraction of clients in a round."
            )
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise refuse("seeds", self.seeds, "one integer or several different ones", "Every seed is one run.")
        labels = [row.label for row in self.rows]
        if not labels or len(set(labels)) < len(labels):
            raise refuse(
                "the rows' labels",
                labels,
                "one row or more, each with its own label",
                "A label names its row in the report.",
            )
        if ":" in self.federation:
            split = own_code.function("federation", self.federation, "the split's seed")
            declared_types.refuse_others("federation", self.federation, split)
        elif self.federation not in partition.presets():
            raise unknown(
                "federation", self.federation, partition.presets(), "A module:function of one seed works as well."
            )
        if ":" in self.model:
            model = own_code.function("model", self.model, "shape", "classes", **self.model_settings)
            declared_types.refuse_others("model", self.model, model)
        elif self.model not in models.names():
            raise unknown("model", self.model, models.names(), "A module:function (shape, classes) works as well.")
        for setting, source in self.sources.items():
            if setting not in SOURCED:
                raise unknown("setting with a source", setting, SOURCED)
            _check_source(setting, source)
        for column in self.columns:
            measures.check(column.of)
        for row in self.rows:
            try:
                self._check(row)
            except Refused as error:
                raise Refused(f"experiment {self.name!r}, row {row.label!r}: {error}") from error

    @property
    def unsourced(self) -> list[str]:
        """The settings that decide numbers and have no source."""
        usual = {field.name: field.default for field in dataclasses.fields(self)}
        return [
            name
            for name in SOURCED
            if getattr(self, name) and getattr(self, name) != usual[name] and name not in self.sources
        ]

    def _check(self, row: Row) -> None:
        _check_source("source", row.source)
        rule = self.rule(row)
        refuse_unprovided(rule.name, rule.needs)
        if self.participation < 1 and rule.needs_everyone:
            raise Refused(f"{rule.name} is defined for full participation, and participation is {self.participation}")
        self.local_of(row), self.server_of(row), self.tamper_of(row), self.personal_of(row)

    @property
    def alone(self) -> str | None:
        """The label of the row that trains every client a model of its own: personal models that nothing pulls (``strength`` 0)."""
        return next((row.label for row in self.rows if row.personal and self.personal_of(row).strength == 0), None)

    def row(self, label: str) -> Row:
        """The row of that label."""
        for row in self.rows:
            if row.label == label:
                return row
        raise unknown(f"row of {self.name!r}", label, [row.label for row in self.rows])

    def rule_class(self, row: Row) -> Callable[..., rules.Rule]:
        """What makes ``row``'s rule."""
        if ":" in row.rule:
            found = own_code.find("rule", row.rule)
            declared_types.refuse_others("rule", row.rule, found)
            return found
        if row.rule not in RULES:
            raise unknown("rule", row.rule, {*RULES, *rules.PRINTED}, "A module:Class of your own works as well.")
        return RULES[row.rule]

    def rule(self, row: Row) -> rules.Rule:
        """A fresh rule for ``row``."""
        return made(f"rule {row.rule}", self.rule_class(row), row.settings)

    def local_of(self, row: Row) -> LocalSGD:
        """What the clients of ``row`` do."""
        return made("local", LocalSGD, self.local | row.local)

    def server_of(self, row: Row) -> Server:
        """The server's step in ``row``."""
        return made("server", Server, self.server | row.server)

    def attack_class(self, row: Row) -> Callable:
        """What makes ``row``'s attack."""
        name = row.tamper.get("attack", "")
        if not isinstance(name, str) or name not in ATTACKS and ":" not in name:
            raise unknown("attack", name, ATTACKS, "A module:Class of your own works as well.")
        if name in ATTACKS:
            return ATTACKS[name]
        found = own_code.find("attack", name)
        declared_types.refuse_others("attack", name, found)
        return found

    def tamper_of(self, row: Row) -> Callable | None:
        """``row``'s attack, or ``None``."""
        if not row.tamper:
            return None
        name = row.tamper.get("attack", "")
        return made(f"attack {name}", self.attack_class(row), {k: v for k, v in row.tamper.items() if k != "attack"})

    def personal_of(self, row: Row) -> Ditto | None:
        """``row``'s personal models, trained as its clients train, or ``None``."""
        if not row.personal:
            return None
        return made("personal", Ditto, {"local": dataclasses.replace(self.local_of(row), proximal=0.0)} | row.personal)


def kind(source: str) -> str:
    """Which of ``SOURCES`` a setting's source is, without what it says after the colon."""
    return source.partition(":")[0]


def _check_source(what: str, source: str) -> None:
    if not isinstance(source, str) or kind(source) not in SOURCES:
        raise refuse(
            f"the source of {what!r}" if what != "source" else "source",
            source,
            ", ".join(map(repr, SOURCES)),
            'After a colon it may say more, as in "log\'s name: lr 0.1".',
        )
