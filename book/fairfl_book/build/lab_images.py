"""Draws what stands for a lab where no scripts run: ``python -m fairfl_book.build.lab_images`` after a change of a lab's drawing."""

import re
from pathlib import Path

from fairfl import _atomic_files
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs import javascript
from fairfl_book.labs.lab import Lab
from fairfl_book.translation.sentences import ENGLISH, LANGUAGES, using

# A picture by itself has no page to follow, and stands on white everywhere.
COLOURS = {
    "--ink": "#1b1f24",
    "--soft": "#5a6472",
    "--line": "#dfe3e8",
    "--paper": "#ffffff",
    "--good": "#00704f",
    "--bad": "#b3261e",
}
RACE = Path(__file__).parents[2] / "playground.svg"
MIXED = re.compile(r"color-mix\(in srgb, #(\w{6}) (\d+)%, #(\w{6})\)")
STYLE = 'text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}.strong{font-weight:600}'


def every() -> list[Lab]:
    """One of each lab that is drawn in JavaScript."""
    kinds = (getattr(labs, name) for name in labs.__all__)
    return [kind() for kind in kinds if isinstance(kind, type) and issubclass(kind, Lab) and kind is not Lab]


def draw(lab: Lab) -> dict[str, str]:
    """The stills of ``lab``: the start as ``""``, and each state of ``also``. Raises ``ValueError`` if there is no node."""
    states = {"": {}, **lab.also}
    drawn = node.each(
        "(spec, style) => still(view, spec, style)",
        [[lab.spec(**state), STYLE] for state in states.values()],
        {"{ still }": "frame", "{ view }": lab.view},
    )
    return {which: _coloured(still) for which, still in zip(states, drawn)}


def race() -> str:
    """The playground's start in motion, for the README: an SVG without scripts. Raises ``ValueError`` if there is no node."""
    [drawn] = node.each(
        "(spec, style) => animated(spec, style)", [[labs.Playground().spec(), STYLE]], {"{ animated }": "animated"}
    )
    return _coloured(drawn)


def _coloured(still: str) -> str:
    for name, colour in COLOURS.items():
        still = still.replace(f"var({name})", colour)
    return MIXED.sub(_mixed, still)  # viewers of pictures know less than browsers


def _mixed(found: re.Match) -> str:
    one, share, other = found[1], float(found[2]) / 100, found[3]
    parts = zip(bytes.fromhex(one), bytes.fromhex(other))
    return "#" + bytes(round(share * a + (1 - share) * b) for a, b in parts).hex()


def main() -> None:
    for language in LANGUAGES:
        with using(language):
            for lab in every():
                if language == ENGLISH or javascript.translated(lab.view):
                    for which, still in draw(lab).items():
                        path = Path(str(javascript.FOLDER / lab.file(which, language)))
                        _atomic_files.write(path, still.encode("utf-8"))
                        print(path.name)
    _atomic_files.write(RACE, race().encode("utf-8"))
    print(RACE.name)


if __name__ == "__main__":
    main()
