"""The reference of the package: one page a room, made from the docstrings when Sphinx reads it."""

import importlib
import pkgutil

import fairfl

# The way data flows; rooms that are not named follow in alphabetical order.
ORDER = ("data", "partition", "federation", "models", "clients", "updates", "rules", "training", "metrics", "attacks", "toy",
         "figures", "labs", "exercises", "experiments")
HIDDEN = frozenset({"atomic", "book", "errors", "selftest", "vision"})  # machinery that no reader calls


def rooms() -> list[str]:
    """The public modules of the package that say what they are, in the order of the pages."""
    names = [found.name for found in pkgutil.iter_modules(fairfl.__path__) if not found.name.startswith("_")]
    places = {name: n for n, name in enumerate(ORDER)}
    told = {name for name in set(names) - HIDDEN if importlib.import_module(f"fairfl.{name}").__doc__}
    return sorted(told, key=lambda name: (places.get(name, len(places)), name))


def page(room: str) -> str:
    """The page of one room, as reStructuredText. What a package re-exports is documented where a reader imports it from."""
    name = f"fairfl.{room}"
    exported = hasattr(importlib.import_module(name), "__all__")
    options = ["   :members:", "   :show-inheritance:", *(["   :imported-members:"] if exported else [])]
    return "\n".join([name, "=" * len(name), "", f".. automodule:: {name}", *options, ""])


def index() -> str:
    """The page that lists the rooms, as MyST."""
    rows = [f"| [fairfl.{room}]({room}.rst) | {summary(room)} |" for room in rooms()]
    return "\n".join(["# The package", "", "What each room of the package `fairfl` offers, from its own docstrings. Data flows down this list.", "",
                      "| room | what lives there |", "|---|---|", *rows, "", "```{toctree}", ":hidden:", "", *rooms(), "```", ""])


def summary(room: str) -> str:
    """The first sentence of a room's docstring, as text of a table."""
    text = " ".join((importlib.import_module(f"fairfl.{room}").__doc__ or "").split("\n\n")[0].split())
    return text.split(". ")[0].rstrip(".").replace("``", "`").replace("|", "\\|")
