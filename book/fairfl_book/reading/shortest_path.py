"""The shortest way through the book, five to six hours: the sections marked in the chapters' front matter."""

from collections.abc import Callable, Mapping

from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.translation.sentences import tr


def way(fronts: Mapping[str, FrontMatter], place: Callable[[str], str]) -> str:
    """The marked sections as a Markdown list, one line per chapter in book order.

    ``fronts``: front matter by chapter name; ``place``: name → target of a link to the chapter.
    """
    return "\n".join(
        f"- [{front.title}]({place(name)}){tr(': ')}{' · '.join(front.shortest)}"
        for name, front in sorted(fronts.items())
        if front.shortest
    )
