"""A multiple-choice question, each of whose wrong choices is a misconception that the book corrects."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairfl.errors import Refused

LETTERS = ("a", "b", "c", "d")


@dataclass(frozen=True)
class Choice:
    """One choice. ``mistake``: the name of the misconception, and ``why``: the reply to it; both are empty for the right choice."""

    text: str
    mistake: str = ""
    why: str = ""


@dataclass(frozen=True)
class Question:
    """One question. ``slug``: stable across editions. ``chapter`` and ``section``: where the book answers it. ``choices``: by letter.

    Raises ``Refused`` unless exactly one choice is right and every other one has a name and a reply.
    """

    slug: str
    chapter: str
    section: str
    text: str
    choices: Mapping[str, Choice]

    def __post_init__(self) -> None:
        right = [letter for letter, choice in self.choices.items() if not choice.mistake and not choice.why]
        half = [letter for letter, choice in self.choices.items() if bool(choice.mistake) != bool(choice.why)]
        if tuple(self.choices) != LETTERS or len(right) != 1 or half:
            raise Refused(
                f"question {self.slug!r} has the choices {', '.join(self.choices)}, of which {len(right)} are right and {len(half)} lack a name or a "
                f"reply; allowed: {', '.join(LETTERS)}, one of them right, the others with both. Complete them.",
                "combination",
            )

    @property
    def right(self) -> str:
        """The letter of the right choice."""
        return next(letter for letter, choice in self.choices.items() if not choice.mistake)
