"""The verdict on a claim, from the effects of its tests; and how many claims of all papers got which.

p-values are adjusted after Holm over all tests of a paper's claims, once for what supports them and once for what opposes them: of all that is
called *holds* in a paper one word or more is wrong in at most 5 of 100 cases, and so for *fails*.
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
    """An effect with its p-values adjusted over the paper's tests and the word on it: "holds", "fails", "undecided" or "not run"."""

    effect: Effect
    word: str
    supports: float = nan
    opposes: float = nan


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim: ``word`` (one of ``WORDS``), a ``remark``, and what was ``found``, test by test."""

    claim: Claim
    word: str
    found: tuple[Found, ...] = ()
    remark: str = ""

    @property
    def printed(self) -> str:
        """What the paper's own numbers say of the claim: "as claimed", "otherwise", or "" where they are not printed."""
        said = [
            one.effect.printed_as_claimed
            for one in self.found
            if one.effect.contrast.reading == self.claim.tests[0].reading
        ]
        return "otherwise" if False in said else "as claimed" if said and None not in said else ""


def judge(paper: str | Path, records: Records) -> list[Judgement]:
    """The verdicts on a paper's claims (``claim.load``), by what is recorded now."""
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

    def told(effect: Effect) -> Found:
        if effect.diverged:
            return Found(effect, "fails" if effect.diverged > 1 else "undecided")
        if id(effect) not in p:
            return Found(effect, "undecided" if effect.values else "not run")
        supports, opposes = p[id(effect)]
        return Found(
            effect, "holds" if supports <= RISK else "fails" if opposes <= RISK else "undecided", supports, opposes
        )

    return [[told(effect) for effect in group] for group in effects]


def _judged(one: Claim, found: Sequence[Found]) -> Judgement:
    if one.by_construction:
        return Judgement(one, "by construction", remark=one.by_construction)
    if one.not_run:
        return Judgement(one, "not run", remark=one.not_run)
    readings: dict[str, list[Found]] = {}
    for each in found:
        readings.setdefault(each.effect.contrast.reading, []).append(each)
    words = {reading: _together([each.word for each in group]) for reading, group in readings.items()}
    told = "; ".join(f"{reading}: {word}" for reading, word in words.items()) if one.depends_on else ""
    if len(set(words.values())) == 1:
        word = next(iter(words.values()))
    elif {"holds", "fails"} <= set(words.values()) or "holds" in words.values() and _differ(list(readings.values())):
        return Judgement(one, "depends", tuple(found), f"on {one.depends_on} ({told})")
    else:
        word = "undecided"
    tables = {each.effect.table for each in found} - {""}
    if word in ("holds", "fails") and any(catalogue.load(name).underspecified for name in tables):
        return Judgement(one, "undecided", tuple(found), f"{word} as run, but the paper leaves out what may decide it")
    return Judgement(one, word, tuple(found), told)


def _together(words: Sequence[str]) -> str:
    """The word on several tests that a claim needs all of."""
    if "fails" in words:
        return "fails"
    return words[0] if len(set(words)) == 1 else "undecided"


def _differ(readings: list[list[Found]]) -> bool:
    """Whether some effect that holds in one reading differs from the same effect in another by more than luck (Welch's test)."""
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
