"""The reference of the packages: one page a room, made from the docstrings when Sphinx reads it."""

import importlib
import pkgutil

# The way data flows; rooms that are not named follow in alphabetical order.
ORDER = (
    "data",
    "partition",
    "federation",
    "models",
    "clients",
    "updates",
    "rules",
    "server",
    "training",
    "metrics",
    "attacks",
    "errors",
)
HIDDEN = frozenset({"atomic", "checkout", "vision"})  # machinery that no reader calls
BOOK = (
    "fairfl_book.toy",
    "fairfl_book.figures",
    "fairfl_book.labs",
    "fairfl_book.exercises",
    "reproductions",
)  # what chapters import beside it


def rooms() -> list[str]:
    """The public modules that say what they are, by dotted name: the package's in the way of the data, then the book's."""
    import fairfl

    names = [found.name for found in pkgutil.iter_modules(fairfl.__path__) if not found.name.startswith("_")]
    places = {name: n for n, name in enumerate(ORDER)}
    told = {name for name in set(names) - HIDDEN if importlib.import_module(f"fairfl.{name}").__doc__}
    return [f"fairfl.{name}" for name in sorted(told, key=lambda name: (places.get(name, len(places)), name))] + list(
        BOOK
    )


def page(room: str) -> str:
    """The page of one room, as reStructuredText. What a package re-exports is documented where a reader imports it from."""
    exported = hasattr(importlib.import_module(room), "__all__")
    options = ["   :members:", "   :show-inheritance:", *(["   :imported-members:"] if exported else [])]
    return "\n".join([room, "=" * len(room), "", f".. automodule:: {room}", *options, ""])


def index() -> str:
    """The page that lists the rooms, as MyST."""
    rows = [f"| [{room}]({room}.rst) | {summary(room)} |" for room in rooms()]
    return "\n".join(
        [
            "# The packages",
            "",
            "What each room of `fairfl` offers, from its own docstrings; data flows down this list. Below it what the book adds.",
            "",
            "| room | what lives there |",
            "|---|---|",
            *rows,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *rooms(),
            "```",
            "",
        ]
    )


def summary(room: str) -> str:
    """The first sentence of a room's docstring, as text of a table."""
    text = " ".join((importlib.import_module(room).__doc__ or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".").replace("``", "`").replace("|", "\\|")
