"""Draws what stands for a lab where no scripts run: ``python -m fairfl_book.build.stills`` after a change of a lab's drawing."""

from pathlib import Path

from fairfl import atomic
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs import scripts
from fairfl_book.labs.touch import TouchLab

# A picture by itself has no page to follow, and stands on white everywhere.
COLOURS = {
    "--ink": "#1b1f24",
    "--soft": "#5a6472",
    "--line": "#dfe3e8",
    "--paper": "#ffffff",
    "--good": "#00704f",
    "--bad": "#b3261e",
}
STYLE = 'text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}.strong{font-weight:600}'


def touched() -> list[TouchLab]:
    """One of each lab that is drawn in JavaScript."""
    kinds = (getattr(labs, name) for name in labs.__all__)
    return [kind() for kind in kinds if isinstance(kind, type) and issubclass(kind, TouchLab) and kind is not TouchLab]


def draw(lab: TouchLab) -> str:
    """The still of ``lab``. Raises ``ValueError`` if there is no node."""
    [drawn] = node.each(
        "(spec, style) => still(view, spec, style)", [[lab.spec(), STYLE]], {"{ still }": "frame", "{ view }": lab.view}
    )
    for name, colour in COLOURS.items():
        drawn = drawn.replace(f"var({name})", colour)
    return drawn


def main() -> None:
    for lab in touched():
        path = Path(str(scripts.FOLDER / f"{lab.view}.svg"))
        atomic.write(path, draw(lab).encode("utf-8"))
        print(path.name)


if __name__ == "__main__":
    main()
