"""``Claim``: what a paper says of its method, as a declaration: its words, what would refute them, and contrasts of recorded rows."""

from dataclasses import dataclass
from pathlib import Path

from fairfl.errors import Refused, refuse, unknown
from reproductions import catalogue, declaration, measures
from reproductions.declared_settings import made
from reproductions.experiment import Experiment

FOLDER = Path(__file__).parent / "claims"
EXPECTED = ("greater", "smaller", "equal")
WORDS = 35  # of a quotation, at most


@dataclass(frozen=True)
class Contrast:
    """What a claim says of recorded rows, in a measure ``of`` their clients' final accuracies (``measures.MEASURES``).

    Either ``row`` minus each row of ``against``; or, over three ``rows`` or more, Spearman's rank correlation of the measure with
    the rule's setting ``over``. ``tables``: declared tables, of which the first where both rows are recorded is taken; a row of another
    table is written "table: row". ``expect``: the effect is "greater" or "smaller" than 0, or "equal" to it. ``margin``: how far beyond 0 an
    effect may lie and still be as claimed; it is ours, and the claim's ``where`` says so. ``reading``: what these tables take for granted, where
    a claim is judged under several readings.
    """

    tables: tuple[str, ...]
    of: str
    expect: str
    row: str = ""
    against: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    over: str = ""
    margin: float = 0.0
    reading: str = ""

    def __post_init__(self) -> None:
        if self.expect not in EXPECTED:
            raise unknown("expect", self.expect, EXPECTED)
        if self.margin < 0 or self.expect == "equal" and not self.margin:
            raise refuse(
                "margin",
                self.margin,
                "0 or more, and above 0 where an equal effect is expected",
                "State how much is no difference.",
            )
        measures.check(self.of)
        if not self.tables:
            raise refuse(
                "tables", self.tables, "one declared table or more", "The first where both rows are recorded is taken."
            )
        if (
            bool(self.over) == bool(self.row)
            or bool(self.row) != bool(self.against)
            or self.over
            and len(self.rows) < 3
        ):
            raise Refused(
                "a contrast is one row and those it stands against, or three rows or more and the setting over which they change; "
                "give row and against, or rows and over"
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """All rows that it names."""
        return self.rows if self.over else (self.row, *self.against)


@dataclass(frozen=True)
class Claim:
    """A paper's claim: ``quote``, verbatim ("[…]" where words are left out), ``where`` it stands, the one sentence ``refuted_by``.

    ``tests``: the contrasts that all hold where the claim does. ``depends_on``: what their readings disagree about. ``by_construction``: why
    it cannot fail; ``not_run``: why our records cannot tell.
    """

    id: str
    quote: str
    where: str
    refuted_by: str
    tests: tuple[Contrast, ...] = ()
    depends_on: str = ""
    by_construction: str = ""
    not_run: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.tests, self.by_construction, self.not_run))) != 1:
            raise Refused(
                "a claim has tests, or says why it is true by_construction, or why it is not_run; give one of the three"
            )
        if len(self.quote.split()) > WORDS:
            raise refuse(
                "the quote's length", len(self.quote.split()), f"at most {WORDS} words", "Leave words out as […]."
            )
        readings = {test.reading for test in self.tests}
        if bool(self.depends_on) != (len(readings) > 1) or len(readings) > 1 and "" in readings:
            raise Refused(
                "where a claim depends on something, its tests name two readings of it or more; give depends_on and each test's reading"
            )


def papers() -> list[str]:
    """The papers with declared claims."""
    return catalogue.stems(FOLDER)


def load(paper: str | Path) -> list[Claim]:
    """The claims of ``paper``, or those in the TOML file at that path.

    Raises ``Refused`` for an unknown paper, unreadable TOML, an unknown or missing key, and a table or row that is not declared.
    """
    path = catalogue.named(paper, "paper", FOLDER)
    given = declaration.read(path, "claims", papers())
    if set(given) != {"claims"} or not isinstance(given["claims"], list):
        raise Refused(
            f"{path.name}: it has {', '.join(given) or 'nothing'}; allowed: claims alone. Write [[claims]] before every claim"
        )
    claims: list[Claim] = []
    experiments: dict[str, Experiment] = {}
    for one in given["claims"]:
        label = one.get("id", f"number {len(claims) + 1}")
        try:
            tests = [made("test", Contrast, test, "key of") for test in one.get("tests", [])]
            for test in tests:
                _declared(test, experiments)
            claims.append(made("claim", Claim, one | {"tests": tests}, "key of"))
        except Refused as error:
            raise Refused(f"{path.name}, claim {label!r}: {error}") from error
    if len({claim.id for claim in claims}) < len(claims):
        raise refuse("the claims' ids", [claim.id for claim in claims], "each once", f"Change {path.name}.")
    return claims


def address(label: str) -> tuple[str, str]:
    """(table, row) of "table: row"; the table is "" where ``label`` names a row alone."""
    table, mark, row = label.partition(": ")
    return (table, row) if mark and table in catalogue.names() else ("", label)


def _declared(test: Contrast, experiments: dict[str, Experiment]) -> None:
    """Refuse tables and rows that are not declared. ``experiments``: those read before, by name."""
    for table in test.tables:
        for label in test.labels:
            other, row = address(label)
            name = other or table
            if name not in experiments:
                experiments[name] = catalogue.load(name)
            found = experiments[name].row(row)
            if test.over and test.over not in found.settings:
                raise unknown(f"setting of {row!r} in {name}", test.over, found.settings)
