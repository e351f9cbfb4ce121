"""A lab one can touch: ``compute(state) → numbers`` in Python, and one drawing in JavaScript for JupyterLab and for a page from disk.

What stays in JavaScript is the picture and its words (``js/NAME.js``); the numbers are computed in both, and a test compares them.
Without scripts, on GitHub or on paper, ``js/NAME.svg`` stands: the same drawing of the state at the start.
"""

import functools
import html
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from fairfl.errors import refuse, unknown
from fairfl.extras import needed_by
from fairfl_book.labs import scripts
from fairfl_book.labs.lab import Choice, Lab, Slider


@dataclass(frozen=True)
class Points:
    """Points in the plane that a reader drags, none farther than ``reach`` from the origin."""

    label: str
    reach: float
    start: Sequence[Sequence[float]]

    @property
    def ends(self) -> tuple:
        """All points at the left, all at the top, all at the origin."""
        return tuple([list(end)] * len(self.start) for end in ((-self.reach, 0.0), (0.0, self.reach), (0.0, 0.0)))

    def check(self, name, value):
        fits = len(value) == len(self.start) and all(
            len(point) == 2 and math.hypot(*point) <= self.reach + 1e-9 for point in value
        )
        if not fits:
            raise refuse(
                f"the lab's {name}",
                value,
                f"{len(self.start)} points (x, y), each at most {self.reach} from the origin",
                "Write them as a list of pairs.",
            )


@dataclass(frozen=True)
class Several:
    """Any of a few named options, in their order: each is switched on or off."""

    label: str
    options: Sequence[str]
    start: Sequence[str]

    @property
    def ends(self) -> tuple:
        """Nothing switched on, everything, and each alone."""
        return ([], list(self.options), *([one] for one in self.options))

    def check(self, name, value):
        for one in value:
            if one not in self.options:
                raise unknown(f"choice of the lab's {name}", one, self.options)
        if list(value) != [one for one in self.options if one in value]:
            raise refuse(
                f"the lab's {name}", value, f"some of {list(self.options)}, each once", "Name them in this order."
            )


class TouchLab(Lab):
    """Base of the labs one can touch. A subclass gives ``controls``, ``tries``, ``view`` and answers ``compute`` and ``words``.

    ``view``: the module ``js/VIEW.js`` that draws it; what it exports is told in ``js/frame.js``. ``tries``: what a button says → the controls that it moves, the others at
    their start. ``also``: further states that a chapter shows as pictures, by a name each.
    """

    view: str = ""
    tries: dict[str, dict] = {}
    also: dict[str, dict] = {}

    def __init__(self):
        self._live = None

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def state(self) -> dict:
        """What the reader made of the lab: the state of its latest widget, for ``numbers(**lab.state)``; before, the start."""
        return self.start if self._live is None else dict(self._live.state)

    def told(self, state: dict) -> dict:
        """What of a state's numbers the drawing cannot compute, with the ``state`` that it belongs to: ``view.compute(state, told)`` gets
        it while Python runs, a moment after the state. Empty in a lab whose drawing computes everything."""
        return {}

    def spec(self, **state) -> dict:
        """What the drawing has to be told: the lab's name, its controls and buttons, and where it starts."""
        self.numbers(**state)
        controls = {name: {**asdict(control), **_kind(control)} for name, control in self.controls.items()}
        return {"name": self.name, "controls": controls, "tries": self.tries, "start": {**self.start, **state}}

    def alt(self, numbers=None, which: str = "") -> str:
        """The description of the picture ``which`` (the start, or one of ``also``), as its drawing gave it."""
        return html.unescape(re.search("<desc>(.*?)</desc>", self.still(which), re.DOTALL)[1])

    def still(self, which: str = "") -> str:
        """The picture of the start, or of the state ``which`` of ``also``, as one SVG with its title and description.

        Raises ``ValueError`` for a name that is not in ``also``.
        """
        if which and which not in self.also:
            raise unknown(f"picture of the lab {self.name}", which, self.also)
        return scripts.read(f"{self.view}{'-' * bool(which)}{which}.svg")

    def picture(self, which: str = "") -> None:
        """Show the lab at its start, or in the state ``which`` of ``also``, as ordinary output: the picture with its alternative text,
        then the numbers."""
        with needed_by("the lab's picture"):
            from IPython.display import display

        still, alt = self.still(which), self.alt(which=which)
        display({"image/svg+xml": still, "text/plain": alt}, raw=True, metadata={"image/svg+xml": {"alt": alt}})
        print("\n".join(self.words(self.numbers(**self.also.get(which, {})))))

    def widget(self, **state):
        """The living lab, for JupyterLab, Colab or VS Code with a kernel. ``state``: where controls start. See ``lab.state``."""
        spec = self.spec(**state)
        live = _widget_class(type(self))(spec=spec, state=spec["start"], told=self.told(spec["start"]))
        if live.told:
            live.observe(lambda change: live.set_trait("told", self.told(change["new"])), "state")
        self._live = live
        return live

    def page(self, key: str) -> str:
        """The lab as a piece of a page that needs no kernel, no network and, to be read, no scripts.

        ``key``: an id that nothing else on the page has.
        """
        spec = json.dumps(self.spec() | {"told": self.told(self.start)}, ensure_ascii=False).replace("</", "<\\/")
        module = scripts.bundle(self.view).replace("export default", "const here =")
        return (
            f'<div class="lab-touch" id="{key}" data-lab="{self.name}">{self.still()}</div>\n'
            f"<style>{scripts.read('style.css')}</style>\n"
            f'<script type="module">\n{module}\nhost(document.getElementById("{key}"), view, {spec});\n</script>'
        )


def _kind(control) -> Mapping:
    if isinstance(control, Several):
        return {"several": True}
    return {"whole": True} if isinstance(control, Slider) and control.whole else {}


@functools.cache
def _widget_class(lab: type[TouchLab]) -> type:
    """The widget of one lab; made when it is first wanted, so that labs import without anywidget."""
    with needed_by("the living lab"):
        import anywidget
        import traitlets

    class Touched(anywidget.AnyWidget):
        """``spec``: as ``TouchLab.spec``. ``state``: control → value, as the reader moves it. ``told``: as ``TouchLab.told``."""

        _esm = scripts.bundle(lab.view)
        _css = scripts.read("style.css")
        spec = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)
        told = traitlets.Dict().tag(sync=True)

        def __repr__(self) -> str:
            return f"{lab.__name__}: a lab to be touched, in JupyterLab or on the book's site"

    return Touched


__all__ = ["Choice", "Points", "Several", "Slider", "TouchLab"]
