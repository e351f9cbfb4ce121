"""Decide what stands on which slide.

The order is the chapter's, because a figure or a theorem often tells the answer to the turn above it. Of the text, slides keep each section's first question and the sentences in which
the chapter marks something: a term, a statement, what a formula says. A lecturer says the rest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fairfl_book.build import figure_numbers
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
OPENING, TAKE_AWAY, EXERCISES, LEFT_OUT = "The question", "What to take away", "Exercises", ("References",)
_FULL = 575  # pixels of a slide's body, at 1280 × 720
_WIDE, _BESIDE = 1150, 430  # pixels of a line of text, alone and beside a picture
_CONTEXT = 75  # words that a question or a lab takes with it from the paragraph above
_NEAR = 3  # a picture that is followed by more passages than these before a turn is not what the turn is about
_REPLIES = 5  # known wrong answers that are shown
_SHORT = 14  # words; a first sentence that is shorter takes the next one with it
_CAPTION = 170  # letters of a caption, about three lines; its first sentence is shown however long it is
_LEAD = 60  # words of a section's first paragraph up to its question
_MENTION = re.compile(rf"\b(?:Figure|Table) ({figure_numbers.NUMBER})\b")
_MARKED = re.compile(r"\*\*[^*]+\*\*|(?<![\w*])\*[^*]{30,}\*(?![\w*])")  # a term or a statement
# A sentence that begins so is not understood without the one before.
_LEANS = re.compile(
    r"[*(]*(?:(?:This|These|That|Those|It|Its|They|Both|Such|So|Then|But|And|Therefore|Here|One|The two)\b"
    r"|(?:Can|Could|Does|Do|Did|Will|Is|Are|Was) (?:it|this|they|these|that)\b|(?:\w+ ){1,4}(?:such|this)\b|We call\b)"
)
_WHOLE = re.compile(r"\$[^$]*\$|`[^`]*`")  # no sentence ends inside a formula or code
_END = re.compile(r"(?:(?<=[.?!:]\*\*)|(?<=[.?!][*)\"])|(?<=[.?!]))\s+(?=[*(\"`]*[A-Z\d⟦])")


@dataclass(frozen=True)
class Text:
    """A piece of Markdown that stays together. ``look``: "said", "large" (a question, or a section's first sentence) or "statement" (a theorem)."""

    markdown: str
    look: str = "said"


@dataclass
class Slide:
    """One slide. ``kind``: "title", "goals", "text", "picture", "results", "lab", "proof", "question", "answer" or "end", for its look.

    ``part``: the section's heading, where ``heading`` is another. ``before``, ``after``: what is written above and below
    the picture or table of results ``shown``, if any. ``small``: Markdown in small print. ``replies``: known wrong
    answers and what to say to them. ``shortest``: whether it is on the shortest way.
    """

    kind: str
    heading: str = ""
    part: str = ""
    before: list[Text] = field(default_factory=list)
    shown: Picture | Results | None = None
    after: list[Text] = field(default_factory=list)
    small: str = ""
    replies: list[tuple[str, str]] = field(default_factory=list)
    shortest: bool = False

    @property
    def used(self) -> float:
        """About how many pixels of the slide's body are used."""
        width = _BESIDE if isinstance(self.shown, Picture) else _WIDE
        total = sum(height(text, width) for text in (*self.before, *self.after))
        if isinstance(self.shown, Picture):
            total += 0.7 * height(Text(short(self.shown.caption)), width)
        elif self.shown:
            total += 44 * self.shown.table.count("<tr")
        return total


def slides(sections: list[Section], title: str, promise: str, able: list[str]) -> list[Slide]:
    """The slides of a chapter: title and promise, its aims, its sections, and what to take away."""
    goals = "\n".join(f"- {aim}" for aim in able)
    made = [
        Slide("title", title, before=[Text(promise)]),
        Slide("goals", "You will be able to …", before=[Text(goals)]),
    ]
    figures = {
        found[1]: passage
        for section in sections
        for passage in section.passages
        if isinstance(passage, Picture | Results) and (found := _MENTION.search(passage.caption))
    }
    end = Slide("end", TAKE_AWAY)
    for section in sections:
        if section.heading == EXERCISES:
            end.small = next((passage.text for passage in section.passages if isinstance(passage, Words)), "")
        elif section.heading == TAKE_AWAY:
            end.before = list(_taken_away(section))
        elif section.heading not in LEFT_OUT:
            made += _Section(section, figures).slides()
    return [*made, end]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph in Markdown, without those that speak of folds."""
    held: list[str] = []
    masked = _WHOLE.sub(lambda found: held.append(found[0]) or f"⟦{len(held) - 1}⟧", paragraph.replace("\n", " "))
    said = [re.sub(r"⟦(\d+)⟧", lambda found: held[int(found[1])], part) for part in _END.split(masked) if part]
    return [sentence for sentence in said if "folded" not in sentence] or said


def short(caption: str) -> str:
    """The number of a caption and its first sentences. A lecturer says the rest."""
    said = sentences(caption) if caption else []
    end = min(2, len(said))
    while end < len(said) and len(" ".join(said[: end + 1])) <= _CAPTION:
        end += 1
    return " ".join(said[:end])


def _taken_away(section: Section) -> Iterator[Text]:
    """The first sentences of each paragraph, which are its idea, except of the one on the companion."""
    for passage in section.passages:
        if isinstance(passage, Words) and not passage.text.startswith("The companion"):
            yield Text(_first(sentences(passage.text)))
        elif isinstance(passage, Items | Formula):
            yield Text(passage.text)


def _first(said: list[str]) -> str:
    """The first sentence, and the next one if the first is short or the next is in brackets, which may hold a condition."""
    two = len(said[0].split()) < _SHORT or (len(said) > 1 and said[1].startswith("("))
    return " ".join(said[: 2 if two else 1])


class _Section:
    """Lays out one section. ``figures``: the chapter's figures and tables by number."""

    def __init__(self, section: Section, figures: dict[str, Picture | Results]) -> None:
        self.section, self.figures = section, figures
        self.made: list[Slide] = []
        self.open = False  # whether the last slide takes more text
        self.begun = False  # whether the section's first sentence is on a slide
        self.told = False  # whether the end of the last paragraph is on a slide

    def slides(self) -> list[Slide]:
        """The section's slides. None if only its first sentence would be on them."""
        waiting: list[Passage] = []
        for place, passage in enumerate(self.section.passages):
            if isinstance(passage, Words | Formula | Items):
                waiting.append(passage)
                continue
            rest, taken = _split(waiting) if isinstance(passage, Turn) or _alive(passage) else (waiting, [])
            self._write(rest, place - len(waiting))
            read = [Text(part.text) for part in taken]
            self._place(passage, [*(one for one in self._table(passage, place) if one not in read), *read], place)
            waiting = []
        self._write(waiting, len(self.section.passages) - len(waiting))
        for slide in self.made:
            slide.part = self.section.heading if slide.heading else ""
            slide.heading, slide.shortest = slide.heading or self.section.heading or OPENING, self.section.shortest
        return [] if len(self.made) == 1 and _bare(self.made[0]) else self.made

    def _place(self, passage: Passage, context: list[Text], place: int) -> None:
        """Put a turn, a theorem, a proof, a picture or a table on a slide."""
        last = self.made[-1] if self.made and self.open and self.made[-1].kind == "text" else None
        if isinstance(passage, Turn):
            lead = self.made.pop().before if last and _bare(last) else []
            said = [*(Text(text.markdown) for text in lead), *context, Text(passage.question, "large")]
            self.made += [Slide("question", QUESTION, before=said, shown=self._meant(passage, place)), _answer(passage)]
            self.open, self.begun = False, True
        elif isinstance(passage, Proof):
            self.made.append(Slide("proof", before=[Text(passage.text)]))
            self.open = False
        elif isinstance(passage, Statement):
            self._append(Text(passage.text, "statement"))
        else:
            lab = _alive(passage)
            kind = "lab" if lab else "picture" if isinstance(passage, Picture) else "results"
            merged = Slide(kind, before=[*(last.before if last else []), *context], shown=passage)
            if last and not lab and merged.used < _FULL and not any(_broad(text) for text in merged.before):
                self.made[-1] = merged
            else:
                self.made.append(Slide(kind, before=context, shown=passage))
            self.open = not lab

    def _table(self, passage: Passage, place: int) -> list[Text]:
        """The table in the text that a turn asks about, unless it fills a slide."""
        if not isinstance(passage, Turn) or "table" not in passage.question:
            return []
        tables = [
            Text(one.text)
            for one in self.section.passages[:place]
            if isinstance(one, Items) and one.text.startswith("|")
        ]
        return [one for one in tables[-1:] if height(one, _WIDE) < _FULL / 2]

    def _meant(self, turn: Turn, place: int) -> Picture | Results | None:
        """The figure or table that a turn mentions, or the one shortly before it."""
        if found := _MENTION.search(turn.question):
            return self.figures.get(found[1])
        above = self.section.passages[:place]
        near = [passage for passage in above[-_NEAR - 1 :] if isinstance(passage, Picture | Results)]
        if near or "figure" not in turn.question:
            return near[-1] if near else None
        told = " ".join(passage.text for passage in above if isinstance(passage, Words))
        mentioned = [number for number in _MENTION.findall(told) if number in self.figures]
        return self.figures[mentioned[-1]] if mentioned else None

    def _append(self, text: Text) -> None:
        """Put a text on the last slide if it has room, else on a new one."""
        if not (self.made and self.open and self._fits(text)):
            self.made.append(Slide("text"))
        last = self.made[-1]
        (last.after if last.shown else last.before).append(text)
        self.open = True

    def _fits(self, text: Text) -> bool:
        last = self.made[-1]
        beside = isinstance(last.shown, Picture)
        return not (beside and _broad(text)) and last.used + height(text, _BESIDE if beside else _WIDE) <= _FULL

    def _write(self, passages: list[Passage], start: int) -> None:
        """Put on slides what they keep of a run of text that begins at the section's passage ``start``."""
        for text in self._texts(passages, start):
            self._append(text)

    def _texts(self, passages: list[Passage], start: int) -> Iterator[Text]:
        above = self.section.passages[start - 1] if start else None
        for place, passage in enumerate(passages):
            below = passages[place + 1] if place + 1 < len(passages) else None
            if isinstance(passage, Words):
                yield from self._of_paragraph(sentences(passage.text), above, below)
            else:
                yield _with_words(passage, above if place else None, below)
            above = passage

    def _of_paragraph(self, said: list[str], above: Passage | None, below: Passage | None) -> Iterator[Text]:
        """The section's first words, and the sentences that slides keep, without those that go with a formula or a list."""
        kept = {place for place, sentence in enumerate(said) if _MARKED.search(sentence)}
        if 0 in kept and said[0].startswith("**") and said[0].endswith("**"):  # a heading within the line
            kept |= {min(1, len(said) - 1)}
        if not self.section.heading:
            kept |= {place for place, sentence in enumerate(said) if _asks(sentence)}
        elif isinstance(above, Picture | Results) and not kept and not _alive(above):  # what there is to see
            kept = {0}
        if self.section.heading:
            kept |= {one + 1 for one in kept if _asks(said[one]) and said[one + 1 : one + 2]}  # its answer
        kept |= {one + 1 for one in kept if said[one + 1 : one + 2] and said[one + 1].startswith("(")}  # its condition
        lead = set() if self.begun or not self.section.heading else _lead(said)
        gone = _intro(said) if isinstance(below, Formula | Items) else set()
        if isinstance(above, Formula) and _goes_on(said[0]):
            gone |= {0}
        self.begun, last = True, len(said) - 1
        chosen = _understood(said, kept)
        for places, look in ((lead - gone, "large"), (chosen - gone - lead, "said")):
            if places:
                look = look if self.section.heading else "large"
                if 0 in places and not self.told and isinstance(above, Words) and _LEANS.match(said[0]):
                    said, places = [sentences(above.text)[-1], *said], {0, *(place + 1 for place in places)}
                yield Text(" ".join(said[place] for place in sorted(places)), look)
        self.told = last in lead | chosen | gone


def _with_words(passage: Formula | Items, above: Passage | None, below: Passage | None) -> Text:
    """A formula or a list between the sentence that leads to it and the one that says it in words."""
    parts = [passage.text]
    if isinstance(above, Words):
        said = sentences(above.text)
        parts = [" ".join(said[place] for place in sorted(_intro(said))), *parts]
    if isinstance(below, Words) and _goes_on((said := sentences(below.text))[0]):
        parts.append(said[0])
    return Text("\n\n".join(parts))


def _intro(said: list[str]) -> set[int]:
    """The end of the paragraph above a formula or a list, as places of sentences: the last one, and the one before if that is short."""
    last = len(said) - 1
    return _understood(said, {last, max(0, last - 1)} if len(said[last].split()) < 8 else {last})


def _understood(said: list[str], kept: set[int]) -> set[int]:
    """``kept``, and what these sentences lean on: two sentences before at most."""
    for _ in range(2):
        kept = kept | {one - 1 for one in kept if one and _leans(said[one - 1], said[one])}
    return kept


def _goes_on(sentence: str) -> bool:
    """Whether a sentence below a formula says it in words or ends its sentence."""
    return sentence.startswith("In words") or sentence[0].islower()


def _asks(sentence: str) -> bool:
    return sentence.rstrip('*)"').endswith("?")


def _leans(before: str, sentence: str) -> bool:
    """Whether a sentence is not understood without the one before: it points back, answers a question or ends a bracket."""
    return bool(_LEANS.match(sentence)) or _asks(before) or sentence.count(")") > sentence.count("(")


def _alive(passage: Passage) -> bool:
    """Whether a picture is the start of a lab."""
    return isinstance(passage, Picture) and bool(passage.lab)


def _bare(slide: Slide) -> bool:
    """Whether a section's first words are all that is on a slide."""
    return not slide.shown and all(text.look == "large" for text in slide.before)


def _broad(text: Text) -> bool:
    """Whether a text does not fit beside a picture: a formula, a table or a theorem."""
    return "$$" in text.markdown or text.markdown.startswith("|") or text.look == "statement"


def _lead(said: list[str]) -> set[int]:
    """A section's first words, as places of sentences: up to the first question of its first paragraph, if it has one."""
    asked = next((place for place, sentence in enumerate(said) if _asks(sentence)), None)
    if asked is None:
        return {*range(min(len(said), 2 if len(said[0].split()) < _SHORT else 1))}
    return {*range(asked + 1)} if sum(len(sentence.split()) for sentence in said[: asked + 1]) <= _LEAD else {asked}


def _split(waiting: list[Passage]) -> tuple[list[Passage], list[Passage]]:
    """What stays on the slides before, and what a question or a lab needs to be understood: the end of the paragraph above it,
    or the formula or list above it with the end of its paragraph."""
    rest, taken = list(waiting), []
    if rest and not isinstance(rest[-1], Words):
        taken = [rest.pop()]
    room = _CONTEXT - sum(len(passage.text.split()) for passage in taken)
    if rest and isinstance(rest[-1], Words):
        said = sentences(rest.pop().text)
        cut = len(said) - 1
        while cut and len(" ".join(said[cut - 1 :]).split()) <= room:
            cut -= 1
        taken = [Words(" ".join(said[cut:])), *taken]
        if cut:
            rest.append(Words(" ".join(said[:cut])))
        elif _goes_on(said[0]) and rest and isinstance(rest[-1], Formula):  # it is nothing without the formula
            taken.insert(0, rest.pop())
            if rest and isinstance(rest[-1], Words):
                said = sentences(rest.pop().text)
                cut = min(_intro(said))
                taken.insert(0, Words(" ".join(said[cut:])))
                rest += [Words(" ".join(said[:cut]))] if cut else []
    return rest, taken


def _answer(turn: Turn) -> Slide:
    (right, praise), *wrong = turns.answered(turn.slug)
    return Slide(
        "answer",
        ANSWER,
        before=[Text(right, "large"), *([Text(praise)] if praise else [])],
        replies=[pair for pair in wrong if pair[0]][:_REPLIES],
    )


def height(text: Text, width: float) -> float:
    """About how many pixels a text needs in a column of this width."""
    size, total = (30 if text.look == "large" else 26) * (1 if width == _WIDE else 0.85), 0.0
    for part in re.split(r"\n\n|\n(?=[-|\d])", text.markdown):
        if part.startswith("$$"):
            total += 84 * (1 + part.count(r"\\"))
            continue
        letters = len(re.sub(r"\\[a-zA-Z]+|[{}$*_^\\`]", "", part))
        total += -(-letters * 0.52 * size // width) * 1.38 * size + 16
    return total
