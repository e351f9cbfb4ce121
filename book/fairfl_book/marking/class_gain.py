"""What a class has learned, by the questions asked before and after the course: per question, and as Hake's normalised gain."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairfl_book.marking import notebook_marker
from fairfl_book.marking.marks_table import Row
from fairfl_book.misconceptions.notebooks import AFTER, BEFORE, NAMES
from fairfl_book.misconceptions.questions import QUESTIONS

Answers = Mapping[str, Row]  # the slug of a question → its row


@dataclass(frozen=True)
class Gain:
    """A class's normalised gain. ``before``, ``after``: shares of right answers. ``gain``: (after − before) / (1 − before), ``nan`` if everything was right before.
    ``error``: its standard error by the jackknife over students, ``nan`` for fewer than two of them."""

    students: int
    before: float
    after: float
    gain: float
    error: float


def answered(rows: Sequence[Row]) -> dict[str, dict[str, Answers]]:
    """Questionnaire → student → answers. An empty notebook counts as not handed in; of several, the last file counts."""
    files: dict[tuple[str, str, str], dict[str, Row]] = {}
    for one in rows:
        if one["chapter"] in NAMES and one["exercise"]:
            files.setdefault((one["chapter"], one["student"], one["file"]), {})[one["exercise"]] = one
    found: dict[str, dict[str, Answers]] = {name: {} for name in NAMES}
    for name, student, file in sorted(files):
        answers = files[name, student, file]
        if any(one["verdict"] != notebook_marker.NOTHING for one in answers.values()):
            found[name][student] = answers
    return found


def normalised(before: Sequence[float], after: Sequence[float]) -> Gain:
    """The gain of a class from each student's share of right answers before and after, in the same order (Hake, 1998)."""

    def gain(left_out: int | None = None) -> float:
        first, second = ([share for n, share in enumerate(shares) if n != left_out] for shares in (before, after))
        start, end = math.fsum(first) / len(first), math.fsum(second) / len(second)
        return (end - start) / (1 - start) if start < 1 else math.nan

    n = len(before)
    error = math.nan
    if n > 1:
        each = [gain(left_out) for left_out in range(n)]
        mean = math.fsum(each) / n
        error = math.sqrt((n - 1) / n * math.fsum((one - mean) ** 2 for one in each))
    return Gain(n, math.fsum(before) / n, math.fsum(after) / n, gain(), error)


def lines(rows: Sequence[Row]) -> list[str]:
    """The report on the questions, in lines; empty if nobody has answered any."""
    found = answered(rows)
    both = sorted(found[BEFORE].keys() & found[AFTER].keys())
    if not any(found.values()):
        return []
    head = f"Questions: before the course {len(found[BEFORE])}, after it {len(found[AFTER])}, both times {len(both)} students."
    if both:
        counted = {name: [found[name][student] for student in both] for name in NAMES}
        head += " The numbers below are about those who did both." if len(both) < max(map(len, found.values())) else ""
    else:
        counted = {name: list(found[name].values()) for name in NAMES}
    table = [_line(number, question.slug, counted) for number, question in enumerate(QUESTIONS, 1)]
    return [head, f"      {'right:':24}{'before':>8}{'after':>8}   most common mistake", *table, *_gain(counted, both)]


def _line(number: int, slug: str, counted: Mapping[str, Sequence[Answers]]) -> str:
    shares = []
    for name in NAMES:
        given = [answers[slug] for answers in counted[name] if slug in answers]
        shares.append(_percent(_share(given)) if given else "–")
    latest = counted[AFTER] or counted[BEFORE]
    mistakes = Counter(answers[slug]["mistake"] for answers in latest if slug in answers and answers[slug]["mistake"])
    most = "".join(
        f"   {count} × {name}" for name, count in sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))[:1]
    )
    return f"  {number:>2}. {slug.removeprefix('questions.'):24}{shares[0]:>8}{shares[1]:>8}{most}".rstrip()


def _gain(counted: Mapping[str, Sequence[Answers]], both: Sequence[str]) -> list[str]:
    if not both:
        return []
    made = normalised(*([_share(list(answers.values())) for answers in counted[name]] for name in NAMES))
    start, end = 100 * made.before, 100 * made.after
    words = f"Right answers: {start:.0f} % before, {end:.0f} % after."
    if math.isnan(made.gain):
        return [f"{words} There is no normalised gain, because everything was right before the course."]
    error = "" if math.isnan(made.error) else f" ± {made.error:.2f} (standard error over students)"
    return [words, f"Normalised gain: (after − before) / (100 − before) = {made.gain:.2f}{error}"]


def _share(rows: Sequence[Row]) -> float:
    """The share of the questions whose answer is right."""
    return sum(one["verdict"] == notebook_marker.RIGHT for one in rows) / len(rows)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
