"""The one way to show results in rows: an HTML table in a notebook, aligned text in a terminal."""

import html
from collections.abc import Mapping, Sequence
from numbers import Number

from fairfl.errors import Refused

# A verdict is told three times: by its word, by a mark, and by a colour for who sees one. The colours are those of the figures, darker,
# since letters need more contrast than lines; pages that can be dark give each class a light one.
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
    """Show ``rows`` as the output of a cell: column → value each, the same columns in all; ``caption`` stands above.

    Numbers stand to the right and print as they are, so round them first. A value that is one of ``VERDICTS`` gets its mark and colour.
    Raises ``ValueError`` if there is no row or one has other columns than the first.
    """
    from IPython.display import display

    display({"text/html": as_html(rows, caption), "text/plain": as_text(rows, caption)}, raw=True)


def as_text(rows: Sequence[Mapping[str, object]], caption: str = "") -> str:
    """``rows`` as lines of aligned words; see ``show``."""
    names = _columns(rows)
    lines = [names, *([_told(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    right = [_numeric(rows, name) for name in names]
    body = [
        "  ".join(w.rjust(n) if r else w.ljust(n) for w, n, r in zip(line, widths, right)).rstrip() for line in lines
    ]
    return "\n".join(([caption] if caption else []) + body)


def as_html(rows: Sequence[Mapping[str, object]], caption: str = "") -> str:
    """``rows`` as an HTML table; see ``show``. What a code host strips from it is colour alone."""
    names = _columns(rows)
    sides = {name: ' align="right"' if _numeric(rows, name) else ' align="left"' for name in names}
    head = "".join(f'<th scope="col"{sides[name]}>{html.escape(name)}</th>' for name in names)
    body = ["".join(f"<td{sides[name]}>{_coloured(row[name])}</td>" for name in names) for row in rows]
    above = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in body)}</tbody></table>"


def _columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    if not rows:
        raise Refused("A table needs at least one row, and none was given.")
    names = list(rows[0])
    for row in rows:
        if list(row) != names:
            raise Refused(
                f"A row has the columns {list(row)}, and the first one has {names}. Give all rows the same ones, in one order."
            )
    return names


def _numeric(rows: Sequence[Mapping[str, object]], name: str) -> bool:
    """Whether a column holds numbers alone, some of which may carry a unit."""
    return all(isinstance(row[name], Number) or str(row[name])[:1] in "0123456789−-+" for row in rows)


def _told(value: object) -> str:
    word = str(value)
    return f"{VERDICTS[word][0]} {word}" if word in VERDICTS else word


def _coloured(value: object) -> str:
    word = str(value)
    said = html.escape(_told(value))
    if word not in VERDICTS:
        return said
    _, colour, kind = VERDICTS[word]
    return f'<span class="verdict {kind}" style="color: {colour}">{said}</span>'
