"""Find the labs that a notebook's cells create and show."""

import re
from collections.abc import Mapping

_CREATED = re.compile(r"^(\w+) = (?:labs\.)?(\w+)\(\)$", re.MULTILINE)


def created(source: str) -> dict[str, str]:
    """What a cell creates without arguments, by variable: for a lab, the name of its class."""
    return dict(_CREATED.findall(source))


def shown(source: str, named: Mapping[str, str]) -> str:
    """The name of the lab that a cell shows with its last line; "" for any other cell. ``named``: the labs ``created`` so far."""
    return named.get(source.rsplit("\n", 1)[-1].partition(".")[0], "")
