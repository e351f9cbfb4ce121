"""Put links into the text of a page: which text may hold them, and how a text is split around them."""

import re
from collections.abc import Callable, Iterable, Iterator

from docutils import nodes

KEPT = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.math, nodes.math_block, nodes.raw, nodes.comment)  # fmt: skip

Links = Iterable[
    tuple[re.Match[str], dict[str, object]]
]  # the words of a link, and its attributes, ``refuri`` among them


def put(
    document: nodes.document, kept: tuple[type, ...], pattern: re.Pattern[str], links: Callable[[str], Links]
) -> None:
    """Replace the texts in which ``pattern`` is found, except inside nodes of the kinds ``kept``, by pieces with their ``links``."""
    for text in list(document.findall(nodes.Text)):
        if not inside(text, kept) and pattern.search(text):
            text.parent.replace(text, split(str(text), links(str(text))))


def split(text: str, links: Links) -> list[nodes.Node]:
    """``text`` in pieces, in which the words of ``links``, given in the order of the text, are links."""
    pieces, end = [], 0
    for found, attributes in links:
        pieces += [nodes.Text(text[end : found.start()]), nodes.reference("", found[0], internal=True, **attributes)]
        end = found.end()
    return [*pieces, nodes.Text(text[end:])]


def inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    """Whether ``node`` has an ancestor of one of ``kinds``."""
    return any(isinstance(one, kinds) for one in around(node))


def around(node: nodes.Node) -> Iterator[nodes.Node]:
    """The ancestors of ``node``, innermost first."""
    while (node := node.parent) is not None:
        yield node
