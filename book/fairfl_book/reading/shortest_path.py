"""The shortest way through the book, about four hours: which sections of which chapters, as their heads mark them."""

from collections.abc import Callable, Mapping

from fairfl_book.build.frontmatter import FrontMatter


def way(fronts: Mapping[str, FrontMatter], place: Callable[[str], str]) -> str:
    """The marked sections as a Markdown list, a line a chapter in the book's order.

    ``fronts``: front matter by chapter name; ``place``: name → where a link finds the chapter.
    """
    return "\n".join(
        f"- [{front.title}]({place(name)}): {' · '.join(front.shortest)}"
        for name, front in sorted(fronts.items())
        if front.shortest
    )
