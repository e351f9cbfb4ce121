"""Draw the labs' static images, for pages without scripts: run ``python -m fairfl_book.build.lab_images`` after a lab's
drawing changes."""

import re
from pathlib import Path

from fairfl import _atomic_files
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs import javascript
from fairfl_book.labs.lab import Lab
from fairfl_book.translation.sentences import ENGLISH, LANGUAGES, using

# A standalone image cannot take its colours from a page, so it gets a white background.
COLOURS = {
    "--ink": "#1b1f24",
    "--soft": "#5a6472",
    "--line": "#dfe3e8",
    "--paper": "#ffffff",
    "--good": "#00704f",
    "--bad": "#b3261e",
}
PLAYGROUND = Path(__file__).parents[2] / "playground.svg"
MIXED = re.compile(r"color-mix\(in srgb, #(\w{6}) (\d+)%, #(\w{6})\)")
STYLE = 'text{font:14px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}.strong{font-weight:600}'


def every() -> list[Lab]:
    """One instance of each lab."""
    kinds = (getattr(labs, name) for name in labs.__all__)
    return [kind() for kind in kinds if isinstance(kind, type) and issubclass(kind, Lab) and kind is not Lab]


def draw(lab: Lab) -> dict[str, str]:
    """The static images of ``lab``: its start under the key ``""``, and each state in ``also``. Raises ``Refused`` if
    node is missing."""
    states = {"": {}, **lab.also}
    drawn = node.each(
        "(spec, style) => still(view, spec, style)",
        [[lab.spec(**state), STYLE] for state in states.values()],
        {"{ still }": "lab", "{ view }": lab.view},
    )
    return {which: _coloured(still) for which, still in zip(states, drawn)}


def animated_playground() -> str:
    """An animated SVG of the playground without scripts, for the README. Raises ``Refused`` if node is missing."""
    [drawn] = node.each(
        "(spec, style) => animated(spec, style)",
        [[labs.Playground().spec(), STYLE]],
        {"{ animated }": "animated_playground"},
    )
    return _coloured(drawn)


def _coloured(still: str) -> str:
    for name, colour in COLOURS.items():
        still = still.replace(f"var({name})", colour)
    return MIXED.sub(_mixed, still)  # image viewers do not support color-mix


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
    _atomic_files.write(PLAYGROUND, animated_playground().encode("utf-8"))
    print(PLAYGROUND.name)


if __name__ == "__main__":
    main()
