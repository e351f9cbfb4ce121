"""The cover page: what to run first, and a map of the chapters made from their front matter."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from fairfl_book.build.frontmatter import FrontMatter, needed
from fairfl_book.exercises import progress
from fairfl_book.labs import Playground
from fairfl_book.reading import copy_extras, shortest_path
from fairfl_book.translation.sentences import choosing, current, tr

FIRST = "from fairfl_book import selftest\n\nselftest.run()"
GREETING = """\
# Fair federated learning

Everything here is your own copy: write in it, run it, break it. No update overwrites what you have written.

**Run this first:** click into the next cell and press **Shift + Enter**. Within a minute it says what this computer can do."""
HABITS = """\
**Then** open [{first}]({name}.ipynb), which begins from nothing. Shift + Enter runs a cell and goes to the next one. A chapter's results are there before you run anything,
and a *lab* (a picture that you can drag) moves at once. An exercise answers once the cells above it have run: *Run → Run All Above Selected Cell* in the menu runs them for you.

## The map"""
COUNTED = """\
*Needs* names the chapters that a chapter builds on. *Done* counts the exercises with a check that you have answered, as it was when `make lab` started; the first
cell of a chapter counts its own anew whenever you run it."""
HOURS = """\
## In five to six hours

If you have one day, read these sections, which carry the mark ◆ in their chapters. They end with the one picture, and with which rule to take when:"""
RACE = """\
## The playground

A *rule* is a server's way of weighing its clients. Here rules race from one start down the losses of two or three clients. Run the cell, drag the start (the black
ring), and let go: whose loss ends higher than it began, and which rule stops short? The chapters say why; no need to understand it yet."""
PLAY = "from fairfl_book import labs\n\nlabs.Playground().widget()"
CLOSING = """\
## Good to know

- **Afresh:** `make reset ARGS=04` in a terminal puts chapter 4 back as it was published, and keeps yours beside it.
- **Straight to a chapter:** `make lab ARGS=05`. A second `make lab` finds the first one.
- **One thread:** chapters calculate on one thread, which is faster for small tensors and gives you the printed digits. `OMP_NUM_THREADS=4 make lab` gives them more.
- **To stop:** File, Shut Down; or Ctrl + C in the terminal.
- **Chinese:** the first chapters are there in Chinese, 中文版: `make lab ARGS="--language zh"`. `make reset ARGS="00 --language zh"` puts such a copy back."""


def content(
    fronts: Mapping[str, FrontMatter],
    known: Mapping[str, str] | None = None,
    here: Collection[str] | None = None,
    installed: bool = False,
) -> bytes:
    """The cover's notebook. ``fronts``: front matter by chapter name, at least one. ``known``: the solved exercises, by slug.

    ``here``: the chapters whose copies are beside the cover (default: all); the other copies are one folder up.
    ``installed``: whether the book came as a wheel, which has no Makefile; the cover then names the commands of ``fairfl-book``.
    """
    commands = _without_make if installed else str
    first = min(fronts)
    onward = tr(HABITS, first=fronts[first].title, name=first)
    return copy_extras.page(
        copy_extras.text(tr(GREETING), "greeting"),
        copy_extras.code(choosing(current()) + FIRST, "first"),
        copy_extras.text(f"{onward}\n\n{table(fronts, known or {}, here)}\n\n{commands(tr(COUNTED))}", "map"),
        copy_extras.text(f"{tr(HOURS)}\n\n{shortest_path.way(fronts, lambda name: _place(name, here))}", "hours"),
        copy_extras.text(tr(RACE), "race"),
        copy_extras.code(PLAY, "playground", _still(Playground())),
        copy_extras.text(commands(tr(CLOSING)), "closing"),
    )


def _without_make(text: str) -> str:
    """``make lab ARGS=05`` becomes ``fairfl-book lab 05``."""
    return re.sub(
        r'make (lab|reset)(?: ARGS=("?)([^"`]*)\2)?',
        lambda found: " ".join(filter(None, ("fairfl-book", found[1], found[3]))),
        text,
    )


def _still(lab: Playground) -> dict:
    """The lab's static picture, shown until the cell is run."""
    data, metadata = lab.output()
    return {"output_type": "display_data", "data": data, "metadata": metadata}


def table(fronts: Mapping[str, FrontMatter], known: Mapping[str, str], here: Collection[str] | None = None) -> str:
    """The map as a Markdown table: one row per chapter, with the number of solved exercises. ``here``: as in ``content``."""
    lines = [tr("| chapter | minutes | needs | done | what you will see |"), "|:---|---:|:---|:---|:---|"]
    for name, earlier in needed(fronts).items():
        front = fronts[name]
        needs = ", ".join(f"[{int(other[:2])}]({_place(other, here)})" for other in earlier) or "–"
        done = progress.line(int(name[:2]), known).replace(" ", "\N{NO-BREAK SPACE}") or "–"
        lines.append(
            f"| [{front.title}]({_place(name, here)}) | {front.minutes} | {needs} | {done} | {front.promise} |"
        )
    return "\n".join(lines)


def _place(name: str, here: Collection[str] | None) -> str:
    """The target of the cover's link to a chapter. ``here``: as in ``content``."""
    return f"{'' if here is None or name in here else '../'}{name}.ipynb"


def path(work: Path) -> Path:
    """The cover's path in the folder of copies."""
    return work / copy_extras.COVER
