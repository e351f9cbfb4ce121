"""Show results as a table: HTML in a notebook, aligned text in a terminal."""

import html
from collections.abc import Mapping, Sequence
from numbers import Number

from fairfl.errors import Refused

# A verdict has a word, a mark and a colour, so nothing depends on colour alone. The colours are darker versions of the figures' colours,
# because text needs more contrast than lines; pages with a dark mode give each class a light one.
GOOD, BAD, OPEN = ("✓", "#00704F", "good"), ("✗", "#A84300", "bad"), ("○", "#555555", "open")
VERDICTS = {
    "holds": GOOD,
    "equivalent": GOOD,
    "yes": GOOD,
    "fails": BAD,
    "different": BAD,
    "no": BAD,
    "undecided": OPEN,
    "not run": OPEN,
}


def show(rows: Sequence[Mapping[str, object]], caption: str = "") -> None:
    """Show ``rows`` as a cell's output. Each row maps column → value, with the same columns in all; ``caption`` is above the table.

    Numbers are right-aligned and not rounded, so round them first. A value in ``VERDICTS`` gets its mark and colour.
    Raises ``Refused`` if there are no rows or their columns differ.
    """
    from IPython.display import display

    display({"text/html": as_html(rows, caption), "text/plain": as_text(rows, caption)}, raw=True)


def as_text(rows: Sequence[Mapping[str, object]], caption: str = "") -> str:
    """``rows`` as aligned text; see ``show``."""
    names = _columns(rows)
    lines = [names, *([_marked(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    right = [_numeric(rows, name) for name in names]
    body = [
        "  ".join(w.rjust(n) if r else w.ljust(n) for w, n, r in zip(line, widths, right)).rstrip() for line in lines
    ]
    return "\n".join(([caption] if caption else []) + body)


def as_html(rows: Sequence[Mapping[str, object]], caption: str = "") -> str:
    """``rows`` as an HTML table; see ``show``. Code hosts remove only the colours."""
    names = _columns(rows)
    sides = {name: ' align="right"' if _numeric(rows, name) else ' align="left"' for name in names}
    head = "".join(f'<th scope="col"{sides[name]}>{html.escape(name)}</th>' for name in names)
    body = ["".join(f"<td{sides[name]}>{_coloured(row[name])}</td>" for name in names) for row in rows]
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in body)}</tbody></table>"


def _columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    if not rows:
        raise Refused("rows is empty; allowed: at least one row. Give the rows to show.", "missing")
    names = list(rows[0])
    for row in rows:
        if list(row) != names:
            raise Refused(
                f"a row has the columns {list(row)}; allowed: the first row's, {names}. Give all rows the same columns in the same order.",
                "shape",
            )
    return names


def _numeric(rows: Sequence[Mapping[str, object]], name: str) -> bool:
    """Whether a column contains only numbers, possibly with units."""
    return all(isinstance(row[name], Number) or str(row[name])[:1] in "0123456789−-+" for row in rows)


def _marked(value: object) -> str:
    word = str(value)
    return f"{VERDICTS[word][0]} {word}" if word in VERDICTS else word


def _coloured(value: object) -> str:
    word = str(value)
    text = html.escape(_marked(value))
    if word not in VERDICTS:
        return text
    _, colour, kind = VERDICTS[word]
    return f'<span class="verdict {kind}" style="color: {colour}">{text}</span>'
