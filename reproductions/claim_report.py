"""One page per paper: for each claim, its quote and place in the paper, the effects, the verdict, and what would refute it."""

from collections import Counter
from collections.abc import Sequence
from math import isnan

from fairfl._validation import one_of
from reproductions import catalogue, report
from reproductions.claim_verdict import WORDS, Found, Judgement
from reproductions.effects import Effect, interval
from reproductions.experiment import SOURCES, Experiment, kind
from reproductions.measures import ROSE

FORMATS = ("text", "markdown")
METHOD = (
    "Rows are compared seed by seed: mean difference with Student's 95 % interval, one-sided t-tests, p after Holm over all tests of this page. "
    '"p for" is small where a test holds, "p against" where it fails. One seed decides nothing.'
)
ROUNDS = "Losses that rose: of all pairs of a round and a client in it, the percentage after which the client's training loss is larger."
LEGEND = (
    "!: the paper's own numbers say otherwise. After holds and depends, the tests; after other words, what\n"
    "it would take to decide the claim. Each test in full: fairfl-reproduce claims PAPER"
)
HEADER = [
    "effect",
    "measure",
    "expected",
    "ours",
    "95 % interval",
    "p for",
    "p against",
    "seeds",
    "test",
    "printed",
    "authors' logs",
    "from",
]


def page(paper: str, judged: Sequence[Judgement], format: str = "text") -> str:
    """The page of ``paper`` as ``format``, "text" or "markdown". Raises ``Refused`` for another one."""
    one_of("format", format, *FORMATS)
    markdown = format == "markdown"
    counts = Counter(one.word for one in judged)
    title = f"Claims of {paper}: {report.counted(counts, WORDS)}"
    parts = [f"# {title}" if markdown else title, METHOD]
    if any(each.effect.contrast.of == ROSE for one in judged for each in one.found):
        parts.append(ROUNDS)
    for number, one in enumerate(judged, 1):
        head = f"{number}. {one.claim.id}: {verdict(one)}"
        parts.append(f"## {head}" if markdown else head)
        parts.append(f"> {one.claim.quote}" if markdown else f'    "{one.claim.quote}"')
        lines = [f"{one.claim.where}. Refuted by: {one.claim.refuted_by}"]
        if one.printed:
            lines.append(f"The printed numbers themselves say: {one.printed}.")
        if one.claim.decided_by:
            lines.append(f"What it would take to decide it: {one.claim.decided_by}.")
        lines += [f"Settings, {name}: {source(catalogue.load(name))}." for name in _tables(one)]
        parts.append("\n\n".join(lines) if markdown else "\n".join(f"    {line}" for line in lines))
        if one.found:
            table = report.LAYOUT[format]([HEADER, *(_line(each) for each in one.found)])
            parts.append(table if markdown else "\n".join(f"    {line}" for line in table.splitlines()))
    return "\n\n".join(parts) + "\n"


def short(paper: str, judged: Sequence[Judgement]) -> str:
    """The claims of ``paper``, each in a line of at most 100 characters.

    After the verdict stands what would decide the claim, or how its tests came out.
    """
    out = []
    for one in judged:
        mark = "!" if one.printed == "otherwise" else " "
        what = _tests(one) if one.word in ("holds", "fails", "depends") else one.claim.decided_by
        out.append(f"{paper:12} {one.claim.id:28} {one.word:15}{mark} {what}".rstrip() + "\n")
    return "".join(out)


def _tests(one: Judgement) -> str:
    counts = Counter(each.word for each in one.found)
    outcomes = report.counted(counts, WORDS, {"holds": "hold", "fails": "fail"})
    seeds = sorted({len(each.effect.values) for each in one.found} - {0})
    over = "–".join(map(str, dict.fromkeys((seeds[0], seeds[-1])))) if seeds else ""
    return "; ".join(filter(None, [outcomes, over and f"n = {over}"]))


def verdict(one: Judgement) -> str:
    """The verdict in words, with the sources of the settings and the remark."""
    if one.word == "depends":
        return f"DEPENDS {one.remark}"
    kinds = sorted({each for name in _tables(one) for each in _kinds(catalogue.load(name))}, key=SOURCES.index)
    settings = f"settings: {', '.join(kinds)}" if kinds and one.word in ("holds", "fails") else ""
    details = "; ".join(filter(None, (settings, one.remark)))
    return one.word.upper() + (f" ({details})" if details else "")


def _kinds(experiment: Experiment) -> set[str]:
    """Those of ``SOURCES`` from which a table's settings come."""
    if not experiment.sources:
        return {"paper", "guess"}
    return {kind(source) for source in (*experiment.sources.values(), *(row.source for row in experiment.rows))}


def source(experiment: Experiment) -> str:
    """Where a table's settings come from: paper, released code, log's name or guess."""
    if not experiment.sources:
        return "the paper's text, with guesses where it says nothing (first reading)"
    by: dict[str, list[str]] = {}
    for setting, given in experiment.sources.items():
        by.setdefault(kind(given), []).append(setting.replace("_", " "))
    for row in experiment.rows:
        given = kind(row.source)
        if given != "paper" and "some rows" not in by.get(given, []):
            by.setdefault(given, []).append("some rows")
    return "; ".join(f"{where}: {', '.join(settings)}" for where, settings in by.items())


def _tables(one: Judgement) -> list[str]:
    return sorted({each.effect.table for each in one.found} - {""})


def _line(found: Found) -> list[str]:
    effect, contrast = found.effect, found.effect.contrast
    mean, low, high = interval(effect.values)
    what = effect.what + (f" ({contrast.reading})" if contrast.reading else "")
    allowed = (
        f" ± {contrast.margin:g}"
        if contrast.expect == "equal"
        else f", {contrast.margin:g} allowed"
        if contrast.margin
        else ""
    )
    test = (
        f"{effect.diverged} {'run' if effect.diverged == 1 else 'runs'} diverged: {found.word}"
        if effect.diverged
        else found.word
    )
    return [
        what,
        contrast.of,
        contrast.expect + allowed,
        _number(mean, "+.2f"),
        "" if isnan(low) else f"{low:+.2f} to {high:+.2f}",
        _p(found.supports),
        _p(found.opposes),
        str(len(effect.values)),
        test,
        _printed(effect),
        _logged(effect),
        effect.table or f"({contrast.tables[0]})",
    ]


def _printed(effect: Effect) -> str:
    return _number(effect.printed, "+.2f") + (" (!)" if effect.printed_as_claimed is False else "")


def _logged(effect: Effect) -> str:
    mean, low, high = interval(effect.logged)
    return "" if isnan(mean) else f"{mean:+.2f} ({low:+.2f} to {high:+.2f})"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else _number(value, ".3f")


def _number(value: float, form: str) -> str:
    return "" if isnan(value) else format(value, form)
