"""``Experiment``: the declaration of a published table. It is written in TOML, which ``catalogue`` reads."""

import dataclasses
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from fairfl import attacks, models, partition, rules
from fairfl._validation import integer, number, one_of
from fairfl.clients import Ditto, LocalSGD
from fairfl.clients.client_statistics import refuse_unprovided
from fairfl.errors import Refused, refuse, unknown
from fairfl.training.server_optimiser import Server
from reproductions import baselines, declared_types, measures, released_rules
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
MOST = 10**6  # rounds, or units of a layer: far beyond any table, and short of a machine's memory
SPREADS = ("population", "sample", "unsaid")
PUBLISHED_SPLITS = ("per run", "one")
MARGIN_RULES = ("rows", "fixed")
SOURCED = (
    "federation",
    "split_per_seed",
    "model",
    "model_settings",
    "rounds",
    "participation",
    "always",
    "local",
    "server",
    "spread",
    "seeds",
    "published_seeds",
)
SOURCES = ("paper", "released code", "log's name", "guess")


@dataclass(frozen=True)
class Column:
    """One column of a table.

    ``metric`` is its name in ``published_results.csv``, ``of`` the measure (``measures.MEASURES``). Where the two have different
    names, ``why`` says what the paper prints there, and how we know.
    """

    metric: str
    of: str
    why: str = ""


@dataclass(frozen=True)
class Row:
    """One row of a table: a rule, and the settings in which the row differs from the experiment.

    - ``label``: the row's name in reports.
    - ``rule``: a name in ``RULES`` or ``module:Class``, with its ``settings``.
    - ``algorithm``, ``hyperparameters``: the row's entries in the published table; no ``algorithm`` if no paper has this row.
    - ``local``, ``server``: changes to the experiment's.
    - ``tamper``: an attack in ``ATTACKS`` or ``module:Class``, with its settings.
    - ``personal``: ``Ditto``'s ``strength``; with 0, each client trains alone (``Experiment.alone``).
    - ``best``: this row represents its method if a table is run in part.
    - ``source``: the source of the row's own settings, one of ``SOURCES``, with details after a colon.
    - ``reprints``: "table: row" of another declaration whose number this paper prints again. The row is not run; the runs of the
      other row are judged in its place.
    - ``chosen``: what the paper leaves out here, and what was used.
    - ``underspecified``: why no verdict is possible even so.
    - ``tried``: if a cell of the row is *different*, what was tried to change that, and the outcome.
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
        # "FedMGDA+" and "FedMGDAPlus" are the same row and have the same key.
        object.__setattr__(self, "rule", rules.class_name(self.rule) if isinstance(self.rule, str) else self.rule)

    @property
    def reprinted(self) -> tuple[str, str]:
        """The table and the row named in ``reprints``."""
        table, _, label = self.reprints.partition(": ")
        return table, label

    @property
    def shown(self) -> str:
        """The row's name in a report: that of the runs judged in it, followed by the printed one if that is different."""
        ran = self.reprinted[1]
        return f"{ran} (printed as {self.label})" if ran not in ("", self.label) else self.label


@dataclass(frozen=True)
class Experiment:
    """A published table: data, split, model, clients, rounds, seeds, rows and columns.

    - ``paper``, ``table``, ``dataset``, ``setup``: these select the published cells; ``setup`` is the beginning of the printed set-up.
    - ``spread``: the kind of ± that is printed, one of ``SPREADS``; ``published_seeds``: the number of runs behind it.
    - ``federation``: a preset of ``fairfl.partition``, or a ``module:function`` that takes a seed and is annotated ``-> Federation``.
    - ``split_seed``: that seed, the same for every run. With ``split_per_seed``, each run's seed is added to it, so each run has its own
      split. ``split_given``: the data come with their split, so nothing is drawn.
    - ``last``: the number of evaluations over which the final accuracies are averaged.
    - ``together``: the jobs that train as one batch on a CPU: "none", "seeds" (of a row), or "rows" (all that differ only in rule,
      server and attack). On CUDA at least the seeds do.
    - ``chosen``: what the paper leaves out, and what was used.
    - ``underspecified``: why no verdict is possible. ``not_run``: why the table is not run here. ``tried``: as a row's, for all rows.
    - ``reading_of``: the table that this is another reading of; its cells are not counted twice. With ``fills_in``, its runs are counted
      for the cells of that table that have none.
    - ``published_split``: "one" if the paper's runs share one split, so that their ± does not contain what a split adds; "per run" if
      each has its own.
    - ``margins``: "rows" if a column's margin follows the spread between the printed rows (``equivalence.margin_between``), "fixed" if it
      is its measure's (``equivalence.margin_of``), as in the tables declared before there was a choice.
    - ``training_losses``: whether clients' training losses are scored after every round. A column ``of`` "losses that rose" needs them.
    - ``always``: clients that take part in every round, as an attacker may; the others are drawn.
    - ``sources``: the source of each setting, by the setting's name, written as a row's ``source``.

    Raises ``Refused`` naming what is wrong.
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
    training_losses: bool = False
    last: int = 1
    checkpoint_every: int = 20
    together: str = "none"
    chosen: tuple[str, ...] = ()
    underspecified: str = ""
    not_run: str = ""
    reading_of: str = ""
    fills_in: bool = False
    published_split: str = "per run"
    margins: str = "rows"
    always: tuple[int, ...] = ()
    tried: str = ""
    sources: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9_]+", self.name):
            raise refuse("name", self.name, "lowercase letters, digits and underscores", "It is used as a file name.")
        one_of("together", self.together, *TOGETHER)
        one_of("spread", self.spread, *SPREADS)
        one_of("published_split", self.published_split, *PUBLISHED_SPLITS)
        one_of("margins", self.margins, *MARGIN_RULES)
        if self.fills_in and not self.reading_of:
            raise Refused(
                "fills_in is for a reading of another table; give reading_of, or leave fills_in out", "combination"
            )
        for what in ("rounds", "evaluate_every", "last", "checkpoint_every", "published_seeds"):
            integer(what, getattr(self, what), 1, f"Change it in experiment {self.name!r}.", high=MOST)
        for what, value in self.model_settings.items():
            for size in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(size, int) and abs(size) > MOST:
                    remedy = f"Change it in experiment {self.name!r}."
                    raise refuse(f"{what} in model_settings", size, f"integers up to {MOST}", remedy)
        number("participation", self.participation, 0, 1, "It is the fraction of clients in a round.", above=True)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise refuse("seeds", self.seeds, "one integer or several different ones", "Every seed is one run.")
        labels = [row.label for row in self.rows]
        if not labels or len(set(labels)) < len(labels):
            allowed = "one row or more, each with its own label"
            raise refuse("the rows' labels", labels, allowed, "A label names its row in the report.")
        own_split = "A module:function that takes a seed works as well."
        own_model = "A module:function (shape, classes) works as well."
        _own("federation", self.federation, partition.presets(), own_split, "the split's seed")
        _own("model", self.model, models.names(), own_model, "shape", "classes", **self.model_settings)
        for setting, source in self.sources.items():
            if setting not in SOURCED:
                raise unknown("setting with a source", setting, SOURCED)
            _check_source(f"the source of {setting!r}", source)
        for column in self.columns:
            measures.check(column.of)
            if column.of == measures.ROSE and not self.training_losses:
                raise Refused(
                    f"column {column.metric!r} is of {column.of!r}; give training_losses = true", "combination"
                )
        if self.training_losses and self.evaluate_every > 1:
            given = f"evaluate_every is {self.evaluate_every}"
            raise Refused(f"training_losses are compared round by round, and {given}; leave it out", "combination")
        for row in self.rows:
            try:
                self._check(row)
            except Refused as error:
                raise Refused(f"experiment {self.name!r}, row {row.label!r}: {error}", error.kind) from error

    @property
    def unsourced(self) -> list[str]:
        """The settings that determine the numbers and have no source."""
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
            allowed = f"1, since {rule.name} is defined for full participation"
            raise refuse("participation", self.participation, allowed, "Choose another rule, or 1.", "combination")
        self.local_of(row), self.server_of(row), self.tamper_of(row), self.personal_of(row)

    @property
    def alone(self) -> str | None:
        """The label of the row in which every client trains alone: personal models with ``strength`` 0."""
        return next((row.label for row in self.rows if row.personal and self.personal_of(row).strength == 0), None)

    def row(self, label: str) -> Row:
        """The row with this label. Raises ``Refused`` if there is none."""
        for row in self.rows:
            if row.label == label:
                return row
        raise unknown(f"row of {self.name!r}", label, [row.label for row in self.rows])

    def rule_class(self, row: Row) -> Callable[..., rules.Rule]:
        """The class or function that makes ``row``'s rule."""
        known, remedy = {*RULES, *rules.PRINTED}, "A module:Class of your own works as well."
        return _own("rule", row.rule, known, remedy) or RULES[row.rule]

    def rule(self, row: Row) -> rules.Rule:
        """A fresh rule for ``row``."""
        return made(f"rule {row.rule}", self.rule_class(row), row.settings)

    def local_of(self, row: Row) -> LocalSGD:
        """The local training of ``row``'s clients."""
        return made("local", LocalSGD, self.local | row.local)

    def server_of(self, row: Row) -> Server:
        """The server's optimiser in ``row``."""
        return made("server", Server, self.server | row.server)

    def attack_class(self, row: Row) -> Callable:
        """The class of ``row``'s attack."""
        name = str(row.tamper.get("attack", ""))
        return _own("attack", name, ATTACKS, "A module:Class of your own works as well.") or ATTACKS[name]

    def tamper_of(self, row: Row) -> Callable | None:
        """``row``'s attack, or ``None``."""
        if not row.tamper:
            return None
        name = row.tamper.get("attack", "")
        return made(f"attack {name}", self.attack_class(row), {k: v for k, v in row.tamper.items() if k != "attack"})

    def personal_of(self, row: Row) -> Ditto | None:
        """``row``'s personal models, trained like its clients, or ``None``."""
        if not row.personal:
            return None
        return made("personal", Ditto, {"local": dataclasses.replace(self.local_of(row), proximal=0.0)} | row.personal)


def kind(source: str) -> str:
    """Which of ``SOURCES`` a setting's source is, without the details after the colon."""
    return source.partition(":")[0]


def _own(
    what: str, given: str, known: Collection[str], remedy: str, *arguments: str, **settings: object
) -> Callable | None:
    """The reader's own code for "module:name" (``declared_types.find``); ``None`` for a ``known`` name."""
    if ":" in given:
        return declared_types.find(what, given, *arguments, **settings)
    if given not in known:
        raise unknown(what, given, known, remedy)
    return None


def _check_source(what: str, source: str) -> None:
    if not isinstance(source, str) or kind(source) not in SOURCES:
        allowed, remedy = ", ".join(map(repr, SOURCES)), 'Add details after a colon, as in "log\'s name: lr 0.1".'
        raise refuse(what, source, allowed, remedy, "name")
