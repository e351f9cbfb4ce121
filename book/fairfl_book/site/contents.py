"""The home page's shortest way through the book, and the order of all pages, from the front matter."""

from collections.abc import Mapping, Sequence

from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.reading import cover, shortest_path


def way(fronts: Mapping[str, FrontMatter]) -> str:
    """The home page's section on the shortest way through the book, in MyST. ``fronts``: front matter by page name."""
    return f"{cover.HOURS}\n\n{shortest_path.way(fronts, lambda name: f'{name}.ipynb')}\n"


def contents(fronts: Mapping[str, FrontMatter], languages: Sequence[str] = ()) -> str:
    """The order of all pages, in MyST. ``fronts``: front matter by page name. ``languages``: pages that list
    translations."""
    tree = [f"{front.title} <{name}>" for name, front in sorted(fronts.items())]
    return "\n".join(
        [
            "```{toctree}",
            ":hidden:",
            "",
            "playground",
            "```",
            "",
            "```{toctree}",
            ":hidden:",
            ":caption: Chapters",
            "",
            *tree,
            "```",
            "",
            "```{toctree}",
            ":hidden:",
            ":caption: For your own work",
            "",
            "how_to/index",
            "API <api/index>",
            "```",
            "",
            "```{toctree}",
            ":hidden:",
            ":caption: To look things up",
            "",
            "teachers",
            "glossary",
            "notation",
            "bibliography",
            "install",
            "errata",
            *languages,
            "```",
            "",
        ]
    )
