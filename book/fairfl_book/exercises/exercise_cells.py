"""Which exercise a notebook's cell belongs to.

An exercise with a check stands in a chapter as two cells, tagged ``exercise`` (the stub) and ``check``; an open one as one, tagged ``exercise``,
that begins with the comment ``# chapter.topic: …``. Solutions stand elsewhere (``solutions``). A turn (``turns``) is one cell, tagged ``turn``, that holds
the stub and its check.
"""

import re
from collections.abc import Mapping

_CHECK = re.compile(r'^check\("([\w.]+)"', re.MULTILINE)
_TURN = re.compile(r'^check\("(\w+\.turn\.\w+)"', re.MULTILINE)
_OPEN = re.compile(r"^# (\w+\.\w+):")


def answered_after(cell: Mapping) -> str:
    """The slug of the exercise whose last cell this is: its check, or the stub of an open one; "" for any other cell."""
    tags = cell.get("metadata", {}).get("tags", ())
    found = (
        _CHECK.search(cell["source"])
        if "check" in tags
        else _OPEN.match(cell["source"])
        if "exercise" in tags
        else None
    )
    return found[1] if found else ""


def turn_in(cell: Mapping) -> str:
    """The slug of the turn that this cell asks; "" for any other cell."""
    found = _TURN.search(cell["source"]) if "turn" in cell.get("metadata", {}).get("tags", ()) else None
    return found[1] if found else ""
