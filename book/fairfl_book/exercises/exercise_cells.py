"""Find the exercise that a notebook cell belongs to.

An exercise with a check has two cells in its chapter, tagged ``exercise`` (the stub) and ``check``. An open exercise has one cell, tagged
``exercise``, which begins with the comment ``# chapter.topic: …``. A turn (``turns``) has one cell, tagged ``turn``, with the stub and its
check. Solutions are kept elsewhere (``solutions``).
"""

import re
from collections.abc import Mapping

_CHECK = re.compile(r'^check\("([\w.]+)"', re.MULTILINE)
_TURN = re.compile(r'^check\("(\w+\.turn\.\w+)"', re.MULTILINE)
_OPEN = re.compile(r"^# (\w+\.\w+):")


def answered_after(cell: Mapping) -> str:
    """The slug of the exercise that ends with this cell (a check, or the stub of an open exercise); "" for any other cell."""
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
    """The slug of the turn in this cell; "" for any other cell."""
    found = _TURN.search(cell["source"]) if "turn" in cell.get("metadata", {}).get("tags", ()) else None
    return found[1] if found else ""
