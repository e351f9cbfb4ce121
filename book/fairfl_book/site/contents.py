"""The front page's list of chapters and the order of all pages, from the front matter."""

from collections.abc import Mapping, Sequence

from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.reading import cover, shortest_path


def contents(fronts: Mapping[str, FrontMatter], languages: Sequence[str] = ()) -> str:
    """The list of chapters and the order of all pages, in MyST. ``fronts``: front matter by page name. ``languages``:
    pages that list translations."""
    rows = [
        f"- **[{front.title}]({name}.ipynb)** ({front.minutes} minutes). {front.promise}"
        for name, front in sorted(fronts.items())
    ]
    tree = [f"{front.title} <{name}>" for name, front in sorted(fronts.items())]
    return "\n".join(
        [
            *rows,
            "",
            cover.HOURS,
            "",
            shortest_path.way(fronts, lambda name: f"{name}.ipynb"),
            "",
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
