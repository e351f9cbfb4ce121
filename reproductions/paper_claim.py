"""``Claim``: a declaration of what a paper claims: its words, what would refute them, and contrasts of recorded rows."""

from dataclasses import dataclass
from pathlib import Path

from fairfl._validation import number, one_of
from fairfl.errors import Refused, refuse, unknown
from reproductions import catalogue, declaration, measures
from reproductions.declared_settings import made
from reproductions.experiment import Experiment

FOLDER = Path(__file__).parent / "claims"
EXPECTED = ("greater", "smaller", "equal")
WORDS = 35  # of a quotation, at most
LETTERS = 41  # of ``decided_by``, at most: so many fit in a claim's line
NEEDS = ("runs", "seeds", "settings", "data", "nothing")


@dataclass(frozen=True)
class Contrast:
    """What a claim says about recorded rows, in a measure ``of`` their clients' final accuracies or of their training losses (``measures``).

    Either ``row`` minus each row in ``against``; or, over three ``rows`` or more, Spearman's rank correlation of the measure with the
    rule's setting ``over``; or, of "losses that rose", ``row`` alone.

    - ``tables``: declared tables; the first in which both rows are recorded is used. A row of another table is written "table: row".
    - ``expect``: the effect is "greater" or "smaller" than 0, or "equal" to it.
    - ``margin``: how far an effect may lie on the wrong side of 0 (or, for "equal", from 0) and still be as claimed. It is our choice,
      and the claim's ``where`` says so.
    - ``reading``: what these tables assume, if a claim is judged under several readings.
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
        one_of("expect", self.expect, *EXPECTED)
        number("margin", self.margin, 0, remedy="Give the largest negligible effect.", above=self.expect == "equal")
        measures.check(self.of)
        if not self.tables:
            raise refuse(
                "tables", self.tables, "one declared table or more", "The first with records of both rows is used."
            )
        alone = self.of == measures.ROSE and not self.against
        if (
            bool(self.over) == bool(self.row)
            or bool(self.row) != bool(self.against)
            and not (self.row and alone)
            or self.over
            and len(self.rows) < 3
        ):
            raise Refused(
                "a contrast compares one row with others, or three rows or more over a setting; give row and against, or rows and over. "
                f"Only of {measures.ROSE!r} may a row be compared with 0, without against",
                "combination",
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """All rows that the contrast names."""
        return self.rows if self.over else (self.row, *self.against)


@dataclass(frozen=True)
class Claim:
    """A paper's claim: the verbatim ``quote`` ("[…]" for omitted words), ``where`` it is in the paper, and what would refute it.

    - ``tests``: contrasts, all of which hold if the claim does. ``depends_on``: what their readings disagree about.
    - ``by_construction``: why the claim cannot fail.
    - ``not_run``: why our records cannot decide it.
    - ``decided_by``: what it would take to decide it: one of ``NEEDS``, a colon, and a few words. "runs": rows or numbers that are not
      recorded. "seeds": more of rows that are. "settings": what the paper does not give. "nothing": it is decided.
    """

    id: str
    quote: str
    where: str
    refuted_by: str
    tests: tuple[Contrast, ...] = ()
    depends_on: str = ""
    by_construction: str = ""
    not_run: str = ""
    decided_by: str = ""

    def __post_init__(self) -> None:
        need, mark, what = self.decided_by.partition(": ")
        if self.decided_by and (need not in NEEDS or not what or len(self.decided_by) > LETTERS):
            allowed = f"one of {', '.join(NEEDS)}, a colon, and what, in at most {LETTERS} letters"
            raise refuse("decided_by", self.decided_by, allowed, "Say what it would take to decide the claim.")
        if sum(map(bool, (self.tests, self.by_construction, self.not_run))) != 1:
            raise Refused(
                "a claim has tests, or a reason in by_construction, or a reason in not_run; give one of the three",
                "combination",
            )
        if len(self.quote.split()) > WORDS:
            raise refuse(
                "the quote's length", len(self.quote.split()), f"at most {WORDS} words", "Replace words by […]."
            )
        readings = {test.reading for test in self.tests}
        if bool(self.depends_on) != (len(readings) > 1) or len(readings) > 1 and "" in readings:
            raise Refused(
                "a claim that depends on something has tests with two readings or more; give depends_on and each test's reading",
                "combination",
            )


def papers() -> list[str]:
    """The names of the papers with declared claims."""
    return catalogue.stems(FOLDER)


def load(paper: str | Path) -> list[Claim]:
    """The claims of ``paper``, or those in the TOML file at that path.

    Raises ``Refused`` for an unknown paper, for a file that cannot be read, for an unknown, missing or invalid key, and for a table or
    row that is not declared.
    """
    path = catalogue.named(paper, "paper", FOLDER)
    given = declaration.read(path, "claims", papers())
    if set(given) != {"claims"}:
        raise Refused(
            f"{path.name} has {', '.join(given) or 'nothing'}; allowed: claims alone. Write [[claims]] before every claim",
            "name",
        )
    claims: list[Claim] = []
    experiments: dict[str, Experiment] = {}
    for one in declaration.tables(given, "claims"):
        label = one.get("id", f"number {len(claims) + 1}")
        try:
            tests = [made("test", Contrast, test, "key of") for test in declaration.tables(one, "tests")]
            for test in tests:
                _declared(test, experiments)
            claims.append(made("claim", Claim, one | {"tests": tests}, "key of"))
        except Refused as error:
            raise Refused(f"{path.name}, claim {label!r}: {error}", error.kind) from error
    if len({claim.id for claim in claims}) < len(claims):
        raise refuse("the list of claim ids", [claim.id for claim in claims], "each once", f"Change {path.name}.")
    return claims


def address(label: str) -> tuple[str, str]:
    """(table, row) for "table: row"; the table is "" if ``label`` is a row alone."""
    table, mark, row = label.partition(": ")
    return (table, row) if mark and table in catalogue.names() else ("", label)


def _declared(test: Contrast, experiments: dict[str, Experiment]) -> None:
    """Raise ``Refused`` for tables and rows that are not declared. ``experiments`` caches the declarations, by name."""
    for table in test.tables:
        for label in test.labels:
            other, row = address(label)
            name = other or table
            if name not in experiments:
                experiments[name] = catalogue.load(name)
            found = experiments[name].row(row)
            if test.of == measures.ROSE and not any(c.of == test.of for c in experiments[name].columns):
                raise Refused(f"{name} has no column of {test.of!r}; declare one, or name another table", "combination")
            if test.over and test.over not in found.settings:
                raise unknown(f"setting of {row!r} in {name}", test.over, found.settings)
