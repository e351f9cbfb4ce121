"""A page from disk with one lab on it, and where a reader takes its handles."""

import os
from pathlib import Path
from urllib.parse import unquote_plus

from fairfl_book import labs
from fairfl_book.build import node

# Markup as a browser writes it.
PARSED = """all => all.map(markup => {
  const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
  group.innerHTML = markup;
  return group.innerHTML;
})"""


class Opened:
    """A page from disk with one lab on it. ``troubles``: what a reader with the console open would see."""

    def __init__(self, browser, folder, lab, width=1024, fragment="", height=900, **options):
        self.lab = lab
        self.file = folder / f"{lab.name}.html"
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A lab</title>'
        self.file.write_text(
            f'{head}<body style="margin: 8px"><p>Above.</p>{lab.page("here")}<p>Below.</p>', encoding="utf-8"
        )
        options = {"reduced_motion": "reduce", **options}
        self.context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **options)
        self.page, self.troubles, self.noted = self.context.new_page(), [], []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        self.page.on(
            "request", lambda r: r.url.startswith(("file:", "data:")) or self.troubles.append(f"network: {r.url}")
        )
        self.page.goto(f"{self.file.as_uri()}{fragment}")
        self.page.locator("div.fairfl-lab").wait_for()

    def handles(self):
        return self.page.locator(".handle:visible").all()

    def shown(self):
        """The pictures, as their markup."""
        return self.page.locator(".drawn").evaluate_all("all => all.map(e => e.innerHTML)")

    def state(self):
        """Where the controls stand, from the page's address, which follows a little later; before anything was moved, the start."""
        # The page's own clock: on a busy machine its timers are late, and this one is behind that of the address.
        href = self.page.evaluate("new Promise(done => setTimeout(() => done(location.href), 150))")
        if "#" not in href:
            return self.lab.start
        given = dict(pair.split("=") for pair in href.partition("#")[2].split("&"))
        state = {}
        for name, control in self.lab.controls.items():
            if isinstance(control, labs.Points):
                state[name] = [[float(x) for x in point.split(",")] for point in given[name].split(";")]
            elif isinstance(control, labs.Several):
                state[name] = [unquote_plus(one) for one in given[name].split(";") if one]
            else:
                state[name] = type(control.start)(unquote_plus(given[name]))
        return state

    def note(self):
        """Remember the state in the address and the pictures, for ``shows_its_states``."""
        self.noted.append((self.state(), self.shown()))

    def shows_its_states(self):
        """The pictures noted so far, and those of now, are those of their states, whose numbers are Python's (test_labs.py)."""
        self.note()
        states, seen = zip(*self.noted)
        drawn = node.each(
            "(state) => view.draw(view.compute(state), 1)", [[state] for state in states], {"{ view }": self.lab.view}
        )
        return list(seen) == [self.page.evaluate(PARSED, list(one.values())) for one in drawn]

    def look(self, label):
        if folder := os.environ.get("FAIRFL_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(folder) / f"touch-{self.lab.name}-{label}.png"), full_page=True)


def centre(handle):
    box = handle.locator(".knob").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def hold(handle):
    """Where a reader takes a handle: in its middle, or by its ring where another one stands on the same place."""
    radius = float(handle.locator(".knob").get_attribute("r"))
    return centre(handle)[0] + (radius if radius > 7 else 0), centre(handle)[1]
