"""Measure how long a lab takes to redraw: from a moved tip to the layout of the new picture, in headless Chromium.

python benchmarks/labs.py [MOVES]      $CHROMIUM names the browser
"""

import argparse
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from fairfl_book import labs
from fairfl_book.build import lab_images
from fairfl_book.build.chromium import chromium

# Every move is a key press on a handle. Reading a bounding box forces the browser to lay out the new picture.
MEASURE = """([moves]) => {
  const handles = [...document.querySelectorAll('.handle')], root = document.querySelector('div.fairfl-lab'), took = [];
  for (let i = 0; i < moves; i++) {
    const key = ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown'][Math.floor(i / handles.length) % 4], begun = performance.now();
    handles[i % handles.length].dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    root.getBoundingClientRect();
    document.querySelector('.panels text').getBBox();
    took.push(performance.now() - begun);
  }
  return took;
}"""


class Crowd(labs.Hull):
    """The hull of up to six gradients."""

    _turns = np.radians([10, 140, 75, 230, 40, 110])
    controls = labs.Hull.controls | {
        "clients": replace(labs.Hull.controls["clients"], high=6),
        "tips": labs.Points("tips", 2.0, (1.5 * np.stack([np.cos(_turns), np.sin(_turns)], 1)).round(2).tolist()),
    }


def states():
    """(label, lab, address of its state) for every lab at its start, and for the hull's rules with two and six
    clients."""
    for lab in lab_images.every():
        yield lab.name, lab, ""
    for clients in (2, 6):
        for rule in Crowd.controls["rule"].options:
            address = f"#lab=Crowd&clients={clients}&rule={rule.replace('+', '%2B')}&epsilon=0.2"
            yield f"Hull, {rule}, {clients} clients", Crowd(), address


def main(moves: int) -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = browser.new_page(viewport={"width": 1024, "height": 800}, reduced_motion="reduce")
        print(f"{'ms a move':28} fastest   median    95 %   ({moves} moves; a frame is 16 ms)")
        for what, lab, address in states():
            file = Path(folder) / "lab.html"
            file.write_text(f'<!doctype html><meta charset="utf-8">{lab.page("lab")}', encoding="utf-8")
            page.goto(f"{file.as_uri()}{address}")
            page.reload()
            page.locator("div.fairfl-lab").wait_for()
            took = page.evaluate(MEASURE, [moves])
            late = statistics.quantiles(took, n=20)[-1]
            print(f"{what:28} {min(took):7.1f} {statistics.median(took):8.1f} {late:7.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="$CHROMIUM names the browser.")
    parser.add_argument("moves", nargs="?", type=int, default=400, metavar="MOVES", help="a lab (default: 400)")
    main(parser.parse_args().moves)
