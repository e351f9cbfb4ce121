"""Decide what stands on which slide.

The order is the chapter's, because a figure or a theorem often tells the answer to the turn above it. Of the text, slides keep each section's first question and the sentences in which
the chapter marks something: a term, a statement, what a formula says. A lecturer says the rest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fairfl_book.exercises import turns
from fairfl_book.teaching.slides.passages import (
    Formula,
    Items,
    Passage,
    Picture,
    Proof,
    Results,
    Section,
    Statement,
    Turn,
    Words,
)

QUESTION, ANSWER = "Your turn", "The answer"
TAKE_AWAY, EXERCISES, LEFT_OUT = "What to take away", "Exercises", ("References",)
_FULL = 560  # pixels of a slide's body, at 1280 × 720
_WIDE, _BESIDE = 1150, 430  # pixels of a line of text, alone and beside a picture
_CONTEXT = 75  # words before a turn that come with its question
_MENTION = re.compile(r"\b(?:Figure|Table) (C?\d+\.\d+)\b")
_BOLD = re.compile(r"\*\*[^*]+\*\*")
_SAID = re.compile(r"(?<![\w*])\*[^*]{30,}\*(?![\w*])")
_KEPT = re.compile(r"\$[^$]*\$|`[^`]*`")  # no sentence ends inside a formula or code
_END = re.compile(r"(?:(?<=[.?!:]\*\*)|(?<=[.?!][*)\"])|(?<=[.?!]))\s+(?=[*(\"`]*[A-Z\d\0])")
_FEW = 14  # words; a first sentence that is shorter takes the next one with it


@dataclass(frozen=True)
class Text:
    """A piece of Markdown that stays together. ``large``: whether it is a section's question or first sentence."""

    markdown: str
    large: bool = False


@dataclass
class Slide:
    """One slide. ``kind``: "title", "goals", "text", "picture", "results", "statement", "proof", "question", "answer" or "end", for its look.

    ``texts``: what is written, in order. ``shown``: the picture or table of results. ``small``: Markdown in small print. ``replies``: known wrong answers and what to say to them. ``shortest``: whether
    it is on the shortest way.
    """

    kind: str
    heading: str = ""
    texts: list[Text] = field(default_factory=list)
    shown: Picture | Results | None = None
    small: str = ""
    replies: list[tuple[str, str]] = field(default_factory=list)
    shortest: bool = False


def slides(sections: list[Section], title: str, promise: str, able: list[str]) -> list[Slide]:
    """The slides of a chapter: title and promise, its aims, its sections, and what to take away."""
    goals = "\n".join(f"- {aim}" for aim in able)
    made = [Slide("title", title, [Text(promise)]), Slide("goals", "After this lecture you will be able to", [Text(goals)])]
    figures = {
        found[1]: passage
        for section in sections
        for passage in section.passages
        if isinstance(passage, Picture | Results) and (found := _MENTION.search(passage.caption))
    }
    hour = ""
    for section in sections:
        if section.heading == EXERCISES:
            hour = next((text.text for text in section.passages if isinstance(text, Words)), "")
        elif section.heading == TAKE_AWAY:
            end = Slide("end", TAKE_AWAY, list(_taken_away(section)))
        elif section.heading not in LEFT_OUT:
            made += _Section(section, figures).slides(section.heading or "The question")
    end.small = hour
    return [*made, end]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph in Markdown."""
    held: list[str] = []
    masked = _KEPT.sub(lambda found: held.append(found[0]) or f"\0{len(held) - 1}\1", paragraph.replace("\n", " "))
    return [re.sub(r"\0(\d+)\1", lambda found: held[int(found[1])], part) for part in _END.split(masked) if part]


def _taken_away(section: Section) -> Iterator[Text]:
    """The first sentences of each paragraph, which are its idea; not the one on the companion."""
    for passage in section.passages:
        if isinstance(passage, Words) and not passage.text.startswith("The companion"):
            yield Text(_first(sentences(passage.text)))
        elif isinstance(passage, Items | Formula):
            yield Text(passage.text)


def _first(said: list[str]) -> str:
    return " ".join(said[: 2 if len(said[0].split()) < _FEW else 1])


class _Section:
    """Lays out one section. ``figures``: the chapter's figures and tables by number."""

    def __init__(self, section: Section, figures: dict[str, Picture | Results]) -> None:
        self.section, self.figures = section, figures
        self.made: list[Slide] = []
        self.seen: Picture | Results | None = None
        self.room = 0.0  # pixels left on the last slide; none if it is closed

    def slides(self, heading: str) -> list[Slide]:
        """The section's slides; none if nothing but its first sentence would be on them."""
        waiting: list[Passage] = []
        for passage in self.section.passages:
            if isinstance(passage, Words | Formula | Items):
                waiting.append(passage)
                continue
            before = _context(waiting) if isinstance(passage, Turn) else []
            self._write(waiting[: len(waiting) - len(before)])
            waiting = []
            self._place(passage, before)
        self._write(waiting)
        for slide in self.made:
            slide.heading, slide.shortest = slide.heading or heading, self.section.shortest
        bare = len(self.made) == 1 and not self.made[0].shown and all(text.large for text in self.made[0].texts)
        return [] if bare else self.made

    def _place(self, passage: Passage, before: list[Passage]) -> None:
        last = self.made[-1] if self.made else None
        if isinstance(passage, Turn):
            mentioned = _MENTION.search(passage.question)
            shown = self.figures.get(mentioned[1]) if mentioned else self.seen
            self.made += [
                Slide("question", QUESTION, [*(Text(part.text) for part in before), Text(passage.question, True)], shown),
                _answer(passage),
            ]
            self.room = 0
        elif isinstance(passage, Statement | Proof):
            self.made.append(Slide("proof" if isinstance(passage, Proof) else "statement", "", [Text(passage.text)]))
            self.room = 0 if isinstance(passage, Proof) else _FULL - _height(Text(passage.text), _WIDE)
        else:
            self.seen = passage
            short = last is not None and last.kind == "text" and sum(_height(text, _BESIDE) for text in last.texts) < _FULL / 2
            kind = "picture" if isinstance(passage, Picture) else "results"
            if not short or not self.room:
                self.made.append(Slide(kind))
            self.made[-1].kind, self.made[-1].shown = kind, passage
            used = sum(_height(text, self._width) for text in self.made[-1].texts) + _height(Text(passage.caption), _BESIDE) * 0.6
            used += 44 * passage.table.count("<tr") if isinstance(passage, Results) else 0
            self.room = _FULL - used

    @property
    def _width(self) -> float:
        return _BESIDE if self.made and self.made[-1].kind == "picture" else _WIDE

    def _write(self, passages: list[Passage]) -> None:
        """Put the texts of these passages on the last slide while there is room, then on new ones."""
        for text in self._texts(passages):
            wide = "$$" in text.markdown or text.markdown.startswith("|")
            narrow = bool(self.made) and self.made[-1].kind == "picture"
            if not self.made or _height(text, self._width) > self.room or (wide and narrow):
                self.made.append(Slide("text"))
                self.room = _FULL
            self.made[-1].texts.append(text)
            self.room -= _height(text, self._width)

    def _texts(self, passages: list[Passage]) -> Iterator[Text]:
        """What slides keep of a run of text."""
        opens, before = not self.made, None
        for place, passage in enumerate(passages):
            after = passages[place + 1] if place + 1 < len(passages) else None
            if isinstance(passage, Words):
                said = sentences(passage.text)
                kept = [sentence for sentence in said if _BOLD.search(sentence) or _SAID.search(sentence)]
                if place == 0 and opens:
                    lead = _lead(said)
                    yield Text(" ".join(lead), True)
                    kept = [sentence for sentence in kept if sentence not in lead]
                    if isinstance(after, Formula | Items) and said[-1] in lead:
                        said = [""]
                if isinstance(before, Formula) and said[0].startswith("In words"):
                    kept = [sentence for sentence in kept if sentence != said[0]]
                if isinstance(after, Formula | Items):
                    kept = [sentence for sentence in kept if sentence != said[-1]]
                if kept:
                    yield Text(" ".join(kept))
            else:
                parts = [passage.text]
                if isinstance(before, Words) and not (place == 1 and opens and sentences(before.text)[-1] in _lead(sentences(before.text))):
                    parts = [sentences(before.text)[-1], *parts]
                if isinstance(after, Words) and (said := sentences(after.text))[0].startswith("In words"):
                    parts.append(said[0])
                yield Text("\n\n".join(parts))
            before = passage


def _lead(said: list[str]) -> list[str]:
    """A section's first words: up to the first question of its first paragraph, if it has one."""
    asked = next((place for place, sentence in enumerate(said) if sentence.endswith("?")), None)
    if asked is not None and sum(len(sentence.split()) for sentence in said[: asked + 1]) <= 60:
        return said[: asked + 1]
    return [said[asked]] if asked is not None else said[: 2 if len(said[0].split()) < _FEW else 1]


def _context(waiting: list[Passage]) -> list[Passage]:
    """The passages directly before a turn that its question needs: whole ones, as many as are read in a few breaths."""
    taken, words = [], 0
    for passage in reversed(waiting):
        words += len(passage.text.split())
        if words > _CONTEXT and not (not taken and isinstance(passage, Items)):
            break
        taken.insert(0, passage)
    return taken


def _answer(turn: Turn) -> Slide:
    (right, praise), *wrong = turns.answered(turn.slug)
    return Slide("answer", ANSWER, [Text(right, True), *([Text(praise)] if praise else [])], replies=[pair for pair in wrong if pair[0]])


def _height(text: Text, width: float) -> float:
    """About how many pixels a text needs in a column of this width."""
    size, total = (30 if text.large else 26) * (1 if width == _WIDE else 0.85), 0.0
    for part in re.split(r"\n\n|\n(?=[-|\d])", text.markdown):
        if part.startswith("$$"):
            total += 84 * (1 + part.count(r"\\"))
            continue
        letters = len(re.sub(r"\\[a-zA-Z]+|[{}$*_^\\`]", "", part))
        total += -(-letters * 0.52 * size // width) * 1.38 * size + 16
    return total
