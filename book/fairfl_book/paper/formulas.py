"""LaTeX formulas as Typst's. Pandoc translates them, all in one call; here is what it does not know."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fairfl._extras import needed_by
from fairfl.errors import Refused
from fairfl_book.build.formula_numbers import TAG

_SPACES = {"#h(-1em)": "#h(-0.167em)", "#h(0em)": "#h(0.278em)"}  # \! and \;, which Pandoc rounds
_TIGHT = ("sfraca", "sfracb")  # stand before and after a fraction of small numbers, \tfrac, while Pandoc works
_SCALED = re.compile(r"#scale\(x: (\d+)%, y: \d+%\)\[(\\.|[\w.]+|[{}])\]")  # \Big( and its like
_WORD = re.compile(r"upright\(((?:[A-Za-z] )+[A-Za-z])\)")
_OPERATOR = re.compile(r'(?<!upright\()"([A-Za-z ]+)"')
_BAR = re.compile(
    r'"(?:[^"\\]|\\.)*"|#scale\(x: (?P<size>\d+)%, y: \d+%\)\[(?P<large>parallel|bar\.v\.double|\\\|)\]'
    r"|(?P<plain>bar\.v\.double|\bparallel\b|\\\|)"
)
_OPENING, _CLOSING = {"\\(", "\\[", "{", "("}, {"\\)", "\\]", "}", ")"}
_LIMITS = ("argmin", "argmax")
_THOUSANDS = re.compile(r"\d{1,3}(?:\{,\}\d{3})+")  # 656{,}810, whose comma Pandoc would follow by a space


@dataclass(frozen=True)
class Formula:
    """A formula of the book. ``where``: its file and line. ``display``: whether it has a line of its own."""

    tex: str
    display: bool
    where: str

    @property
    def number(self) -> str:
        """Its printed number without brackets, "3" or "C1"; empty if it has none."""
        found = TAG.search(self.tex)
        return found[1] if found else ""


def translated(formulas: Sequence[Formula]) -> list[str]:
    """Each formula in Typst's mathematics, without dollar signs and without its number.

    Raises ``Refused``, with the file and line, for a formula that Pandoc cannot read.
    """
    with needed_by("the book as a PDF"):
        import pypandoc

    blocks = []
    for number, formula in enumerate(formulas):
        kind = "DisplayMath" if formula.display else "InlineMath"
        blocks.append({"t": "Para", "c": [{"t": "Math", "c": [{"t": kind}, _prepared(formula.tex)]}]})
        blocks.append({"t": "Para", "c": [{"t": "Str", "c": f"end{number}end"}]})
    document = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    made = pypandoc.convert_text(json.dumps(document), "typst", format="json", extra_args=["--wrap=none", "--quiet"])
    parts = re.split(r"^end(\d+)end$", made, flags=re.MULTILINE)
    answers = [part.strip() for part in parts[0:-1:2]]
    if [int(number) for number in parts[1::2]] != list(range(len(formulas))):
        raise Refused(
            f"Pandoc returned {len(answers)} formulas for {len(formulas)}. Install the locked version.", "file"
        )
    return [_mended(formula, answer) for formula, answer in zip(formulas, answers)]


def _prepared(tex: str) -> str:
    """``tex`` in the part of LaTeX that Pandoc reads."""
    tex = TAG.sub("", tex)
    if r"\begin{array}" in tex:  # a diagram; lengths and sizes inside confuse Pandoc
        tex = re.sub(r"\\\\\[\w+\]", r"\\\\", tex).replace(r"\!", "").replace(r"\big", "")
        tex = re.sub(r"\\begin\{array\}\{\w+\}", r"\\begin{pmatrix}", tex).replace(r"\end{array}", r"\end{pmatrix}")
    tex = re.sub(r"\\d?frac(?![a-z])", r"\\frac", tex)
    tex = _THOUSANDS.sub(lambda found: rf"\text{{{found[0].replace('{,}', ',')}}}", tex)
    return _small_fractions(tex)


def _small_fractions(tex: str) -> str:
    """Put a mark before and after each ``\\tfrac`` with its two arguments."""
    while r"\tfrac" in tex:
        before, _, rest = tex.partition(r"\tfrac")
        top, rest = _argument(rest)
        bottom, rest = _argument(rest)
        tex = rf"{before}\text{{{_TIGHT[0]}}}\frac{{{top}}}{{{bottom}}}\text{{{_TIGHT[1]}}}{rest}"
    return tex


def _argument(tex: str) -> tuple[str, str]:
    """The first argument at the start of ``tex``, without braces, and the rest."""
    tex = tex.lstrip()
    if not tex.startswith("{"):
        found = re.match(r"\\[A-Za-z]+|.", tex)
        return found[0], tex[found.end() :]
    depth = 0
    for place, letter in enumerate(tex):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return tex[1:place], tex[place + 1 :]
    return tex[1:], ""


def _mended(formula: Formula, made: str) -> str:
    """Pandoc's answer for ``formula`` with the sizes, spaces and names that LaTeX would show."""
    if not (made.startswith("$") and made.endswith("$") and len(made) > 1):
        raise Refused(
            f"{formula.where}: Pandoc cannot read the formula {formula.tex!r}; allowed: LaTeX's mathematics without "
            "packages. Write it more plainly, or teach fairfl_book.paper.formulas the command.",
            "file",
        )
    text = made[1:-1].strip()
    if r"\begin{array}" in formula.tex:
        text = text.replace('mat(delim: "("', "mat(delim: #none")
    for wrong, right in _SPACES.items():
        text = text.replace(wrong, right)
    text = text.replace(f'upright("{_TIGHT[0]}")', "tight(").replace(f'upright("{_TIGHT[1]}")', ")")
    text = _OPERATOR.sub(lambda f: f'op("{f[1]}"{", limits: #true" if f[1] in _LIMITS else ""})', text)
    text = _WORD.sub(lambda found: f'upright("{found[1].replace(" ", "")}")', text)
    return _SCALED.sub(_sized, _paired(text))


def _sized(found: re.Match) -> str:
    kind = "opening" if found[2] in _OPENING else "closing" if found[2] in _CLOSING else "normal"
    sign = "\\" + found[2] if found[2] in ("{", "}") else found[2]
    return f'#big({found[1]}, "{kind}", ${sign}$)'


def _paired(text: str) -> str:
    """Make bars and double bars of one size opening and closing in turn, if they come in pairs."""
    signs = [_sign(found) for found in _BAR.finditer(text)]
    turns = {}
    for sign in set(signs):
        count = signs.count(sign)
        turns[sign] = iter(["opening", "closing"] * (count // 2) if count % 2 == 0 else ["normal"] * count)

    def classed(found: re.Match) -> str:
        size, sign = _sign(found)
        if not sign:  # a word in quotation marks
            return found[0]
        kind = next(turns[size, sign])
        return f'#big({size}, "{kind}", ${sign}$)' if size else f'#fence("{kind}", ${sign}$)'

    return _BAR.sub(classed, text)


def _sign(found: re.Match) -> tuple[str, str]:
    """The size of a bar in percent, empty for its natural size, and the bar."""
    sign = found["large"] or found["plain"] or ""
    return found["size"] or "", sign.replace("parallel", "bar.v.double")
