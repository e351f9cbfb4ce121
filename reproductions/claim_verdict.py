"""The verdicts on the papers' claims, from the effects of their tests.

p-values are adjusted by Holm's method over all tests of a paper's claims, separately for the two directions. So the probability that
any *holds* in a paper is wrong is at most 5 %, and the same is true of *fails*.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path

from scipy import stats

from reproductions import catalogue, paper_claim, report
from reproductions.effects import Effect, Recorded
from reproductions.equivalence import adjusted
from reproductions.paper_claim import Claim
from reproductions.result_folders import Records

WORDS = ("holds", "fails", "undecided", "depends", "by construction", "not run")
RISK = 0.05


@dataclass(frozen=True)
class Found:
    """An effect, its verdict ("holds", "fails", "undecided" or "not run"), and its p-values, adjusted over the paper's tests."""

    effect: Effect
    word: str
    supports: float = nan
    opposes: float = nan


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim: ``word`` (one of ``WORDS``), a ``remark``, and what each test ``found``."""

    claim: Claim
    word: str
    found: tuple[Found, ...] = ()
    remark: str = ""

    @property
    def lacks(self) -> str:
        """What an undecided claim lacks: "settings", "runs" or "seeds"; "" for other words.

        "settings": the paper leaves out what may decide, or readings come out differently. "runs": a test has one seed or none.
        """
        if self.word != "undecided":
            return ""
        if any(catalogue.load(name).underspecified for one in self.found for name in one.effect.contrast.tables):
            return "settings"
        if any(len(one.effect.values) < 2 and not one.effect.diverged for one in self.found):
            return "runs"
        readings: dict[str, list[str]] = {}
        for one in self.found:
            readings.setdefault(one.effect.contrast.reading, []).append(one.word)
        return "settings" if len({_together(words) for words in readings.values()}) > 1 else "seeds"

    @property
    def printed(self) -> str:
        """What the paper's own numbers say: "as claimed", "otherwise", or "" if they are not printed."""
        directions = [
            one.effect.printed_as_claimed
            for one in self.found
            if one.effect.contrast.reading == self.claim.tests[0].reading
        ]
        if False in directions:
            return "otherwise"
        return "as claimed" if directions and None not in directions else ""


def judge(paper: str | Path, records: Records) -> list[Judgement]:
    """The verdicts on a paper's claims (``paper_claim.load``), from what is recorded now. Raises as ``paper_claim.load``."""
    claims, recorded = paper_claim.load(paper), Recorded(records)
    effects = [[effect for test in one.tests for effect in recorded.effects(test)] for one in claims]
    return [_judged(one, found) for one, found in zip(claims, _found(effects))]


def _found(effects: list[list[Effect]]) -> list[list[Found]]:
    """The effects of each claim, adjusted over all of them."""
    decided = [effect for group in effects for effect in group if not isnan(effect.supports) and not effect.diverged]
    p = {
        id(effect): two
        for effect, *two in zip(
            decided, adjusted([e.supports for e in decided]), adjusted([e.opposes for e in decided])
        )
    }

    def found(effect: Effect) -> Found:
        if effect.diverged:
            return Found(effect, "fails" if effect.diverged > 1 else "undecided")
        if id(effect) not in p:
            return Found(effect, "undecided" if effect.values else "not run")
        supports, opposes = p[id(effect)]
        return Found(
            effect, "holds" if supports <= RISK else "fails" if opposes <= RISK else "undecided", supports, opposes
        )

    return [[found(effect) for effect in group] for group in effects]


def _judged(one: Claim, found: Sequence[Found]) -> Judgement:
    if one.by_construction:
        return Judgement(one, "by construction", remark=one.by_construction)
    if one.not_run:
        return Judgement(one, "not run", remark=one.not_run)
    readings: dict[str, list[Found]] = {}
    for each in found:
        readings.setdefault(each.effect.contrast.reading, []).append(each)
    words = {reading: _together([each.word for each in group]) for reading, group in readings.items()}
    by_reading = "; ".join(f"{reading}: {word}" for reading, word in words.items()) if one.depends_on else ""
    if len(set(words.values())) == 1:
        word = next(iter(words.values()))
    elif {"holds", "fails"} <= set(words.values()) or "holds" in words.values() and _differ(list(readings.values())):
        return Judgement(one, "depends", tuple(found), f"on {one.depends_on} ({by_reading})")
    else:
        word = "undecided"
    tables = {each.effect.table for each in found} - {""}
    if word in ("holds", "fails") and any(catalogue.load(name).underspecified for name in tables):
        return Judgement(one, "undecided", tuple(found), f"{word} as run, but the paper leaves out what may decide it")
    return Judgement(one, word, tuple(found), by_reading)


def _together(words: Sequence[str]) -> str:
    """The verdict on several tests, all of which the claim needs."""
    if "fails" in words:
        return "fails"
    return words[0] if len(set(words)) == 1 else "undecided"


def _differ(readings: list[list[Found]]) -> bool:
    """Whether an effect that holds in one reading differs significantly from the same effect in another (Welch's test)."""
    for first in readings:
        for other in readings:
            for one, two in zip(first, other):
                several = min(len(one.effect.values), len(two.effect.values)) > 1
                if (
                    several
                    and one.word == "holds"
                    and two.word != "holds"
                    and stats.ttest_ind(one.effect.values, two.effect.values, equal_var=False).pvalue <= RISK
                ):
                    return True
    return False


def headline(records: Records) -> str:
    """The verdicts on all papers' claims in one sentence."""
    judged = [one for paper in paper_claim.papers() for one in judge(paper, records)]
    counts = Counter(one.word for one in judged)
    forms = {"by construction": "true by construction"}
    for word, plural, rest in (("holds", "hold", ""), ("fails", "fail", ""), ("depends", "depend", " on the reading")):
        forms[word] = (plural if counts[word] > 1 else word) + rest
    against = sum(one.printed == "otherwise" for one in judged)
    return (
        f"{len(judged)} claims of {len(paper_claim.papers())} papers: {report.counted(counts, WORDS, forms)}; "
        f"{against} that the paper's own numbers contradict"
    )
