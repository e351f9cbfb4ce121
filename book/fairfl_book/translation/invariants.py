"""Compare a translation with its English: formulas, code, links, citations, pictures, HTML, numbers, headings, table rows, and the numbers
of bold passages and paragraphs must agree.

Each is compared as a multiset, because word order differs. Words inside a formula (``\\text{…}``) may be translated, and the comma in 1,797 is ignored.
"""

import re
from collections import Counter
from collections.abc import Iterator

_WORDS_IN_FORMULA = re.compile(r"\\text\{[^{}]*\}")
# In this order: matches of one kind are removed before the next kind is searched for.
_KINDS = {
    "a code block": re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL),
    "a code span": re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL),
    "a formula": re.compile(r"\$\$.+?\$\$|(?<!\\)\$.+?(?<!\\)\$", re.DOTALL),
    "a citation": re.compile(r"\[[^\]]*\]\(#References\)"),
    "a picture": re.compile(r"!\[[^\]]*\]\(([^)\s]+)[^)]*\)"),
    "the target of a link": re.compile(r"\]\(([^)\s]+)[^)]*\)"),
    "an HTML tag": re.compile(r"</?[a-z][^>]*>"),
    "a heading": re.compile(r"^#+(?= )", re.MULTILINE),
    "a row of a table": re.compile(r"^\|.*\|$", re.MULTILINE),
    "a number": re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?"),
    "a passage in bold": re.compile(r"\*\*.+?\*\*", re.DOTALL),
    "a paragraph": re.compile(r"\S.*?(?=\n\s*\n|\Z)", re.DOTALL),
}
_TAKEN_OUT = set(_KINDS) - {"a row of a table", "a number", "a passage in bold"}
_SENTENCE = {
    "a place to fill": re.compile(r"\{[a-z_]\w*\}"),
    **{kind: _KINDS[kind] for kind in ("a code span", "a number")},
}


def _formula(text: str) -> str:
    return " ".join(_WORDS_IN_FORMULA.sub(r"\\text{}", text).split())


def _row(text: str) -> str:
    return f"of {text.count('|')} bars"


def _counted(text: str) -> str:
    return "one of them"


_HOW = {
    "a formula": _formula,
    "a row of a table": _row,
    "a number": lambda text: text.replace(",", ""),
    "a passage in bold": _counted,
    "a paragraph": _counted,
}


def pieces(text: str, kinds: dict[str, re.Pattern] = _KINDS) -> dict[str, Counter]:
    """The pieces of each kind in ``text``, with their counts."""
    found = {}
    for kind, pattern in kinds.items():
        tell = _HOW.get(kind, str)
        counted: Counter = Counter()
        for match in pattern.finditer(text):
            inner = kind in ("a picture", "the target of a link")
            counted[tell(match[1] if inner else match[0])] += 1
        found[kind] = counted
        if kind in _TAKEN_OUT:  # but not table rows, whose numbers are still to be counted
            text = pattern.sub("\N{OBJECT REPLACEMENT CHARACTER}", text)
    return found


def differences(english: str, translated: str, kinds: dict[str, re.Pattern] = _KINDS) -> Iterator[str]:
    """Describe each piece that occurs more often in one of the two texts."""
    expected, found = pieces(english, kinds), pieces(translated, kinds)
    for kind in kinds:
        for piece in sorted((expected[kind] - found[kind]).elements()):
            yield f"{kind} is lost: {piece}"
        for piece in sorted((found[kind] - expected[kind]).elements()):
            yield f"{kind} is not in the English: {piece}"


def in_sentence(english: str, translated: str) -> Iterator[str]:
    """``differences`` for a sentence of a catalogue: placeholders, code and numbers."""
    return differences(english, translated, _SENTENCE)
