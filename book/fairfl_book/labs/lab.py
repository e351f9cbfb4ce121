"""Interactive labs: ``compute(state) → numbers`` in Python, and a drawing in JavaScript for JupyterLab and for pages
opened from disk.

``js/NAME.js`` draws the picture and writes its text. Both languages compute the numbers, and tests compare them. Where
scripts do not run, such as on GitHub or on paper, ``js/NAME.svg`` shows the start state.
"""

import functools
import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from fairfl._extras import needed_by
from fairfl.errors import unknown
from fairfl_book.labs import javascript
from fairfl_book.labs.controls import Choice, Points, Several, Slider
from fairfl_book.translation.sentences import ENGLISH, current, tr

if TYPE_CHECKING:
    from anywidget import AnyWidget


class Lab:
    """Base class of all labs. A subclass sets ``controls``, ``tries`` and ``view``, and implements ``compute`` and ``words``.

    ``view``: the module ``js/VIEW.js`` that draws the lab; ``js/lab.js`` documents its exports. ``tries``: a button's
    text → the controls that it sets (the others return to their start). ``also``: further states that a chapter shows
    as images, by name.
    """

    view: str = ""
    controls: dict[str, Slider | Choice | Several | Points] = {}
    tries: dict[str, dict] = {}
    also: dict[str, dict] = {}

    def __init__(self) -> None:
        self._live = None

    @property
    def name(self) -> str:
        return type(self).__name__

    def compute(self, **state: object) -> dict:
        """Compute the numbers of a state."""
        raise NotImplementedError

    def words(self, numbers: dict) -> list[str]:
        """The lines of text under the picture, with rounded numbers."""
        raise NotImplementedError

    @property
    def start(self) -> dict:
        """The start state: control → value."""
        return {name: control.start for name, control in self.controls.items()}

    def at(self, **state: object) -> dict:
        """The start state with some controls changed. Raises ``Refused`` for an unknown control or a value that is not
        allowed."""
        for name in state:
            if name not in self.controls:
                raise unknown("control", name, self.controls)
        full = {**self.start, **state}
        for name, value in full.items():
            self.controls[name].check(name, value)
        return full

    def numbers(self, **state: object) -> dict:
        """``compute`` for the start state with some controls changed. Raises ``Refused`` as ``at`` does."""
        return self.compute(**self.at(**state))

    @property
    def state(self) -> dict:
        """The current state of the latest widget, for ``numbers(**lab.state)``. Without a widget, the start state."""
        return self.start if self._live is None else dict(self._live.state)

    def kernel_numbers(self, state: dict) -> dict:
        """Numbers that only Python can compute, with the ``state`` that they belong to.

        While Python runs, ``view.compute(state, kernel)`` receives them shortly after the state. Empty if the drawing
        computes everything."""
        return {}

    def spec(self, **state: object) -> dict:
        """What the drawing needs: the lab's name, its controls and buttons in the current language, and the start state."""
        controls = {
            name: {**asdict(control), **_kind(control), "label": tr(control.label)}
            for name, control in self.controls.items()
        }
        tries = {tr(words): moved for words, moved in self.tries.items()}
        return {"name": self.name, "controls": controls, "tries": tries, "start": self.at(**state)}

    def still_file(self, which: str = "") -> str:
        """The path in ``js/`` of the image of the start, or of the state ``which`` in ``also``, in the current language
        if it exists.

        Raises ``Refused`` for a name that is not in ``also``.
        """
        translated = self.file(which, current())
        return translated if (javascript.FOLDER / translated).is_file() else self.file(which, ENGLISH)

    def file(self, which: str, language: str) -> str:
        """The image's file name in ``language``, whether the file exists or not. Raises ``Refused`` for a name that is
        not in ``also``."""
        if which and which not in self.also:
            raise unknown(f"picture of the lab {self.name}", which, self.also)
        return f"{self.view}{'-' * bool(which)}{which}{'' if language == ENGLISH else f'.{language}'}.svg"

    def still(self, which: str = "") -> str:
        """The SVG image of the start, or of the state ``which`` in ``also``, with title and description."""
        return javascript.read(self.still_file(which))

    def output(self, which: str = "") -> tuple[dict, dict]:
        """(data, metadata) of the image for Jupyter. Its description becomes the alternative text."""
        still = self.still(which)
        alt = html.unescape(re.search("<desc>(.*?)</desc>", still, re.DOTALL)[1])
        return {"image/svg+xml": still, "text/plain": alt}, {"image/svg+xml": {"alt": alt}}

    def picture(self, which: str = "", words: bool = True) -> None:
        """Show the lab at its start, or in the state ``which`` in ``also``, as ordinary output: the image with its
        alternative text, then the numbers.

        ``words=False`` leaves the numbers out, for a turn that asks for one of them.
        """
        with needed_by("the lab's picture"):
            from IPython.display import display

        data, metadata = self.output(which)
        display(data, raw=True, metadata=metadata)
        if words:
            print("\n".join(self.words(self.numbers(**self.also.get(which, {})))))

    def widget(self, **state: object) -> "AnyWidget":
        """The interactive lab, for a notebook with a kernel (tested in JupyterLab). ``state``: start values of
        controls. See ``lab.state``."""
        spec = self.spec(**state)
        live = _widget_class(type(self), current())(
            spec=spec, state=spec["start"], kernel_numbers=self.kernel_numbers(spec["start"])
        )
        if live.kernel_numbers:
            live.observe(lambda change: live.set_trait("kernel_numbers", self.kernel_numbers(change["new"])), "state")
        self._live = live
        return live

    def page(self, key: str, task: bool = True, linked: bool = True) -> str:
        """The lab as HTML that needs no kernel, no network and, for reading, no scripts.

        ``key``: an id that is unique on the page. ``task=False`` leaves out the lab's task, where the page has its own.
        ``linked=False`` leaves the page's address alone, where it says something else than the lab's state.
        """
        spec = json.dumps(
            self.spec() | {"task": task, "linked": linked, "kernel_numbers": self.kernel_numbers(self.start)},
            ensure_ascii=False,
        ).replace("</", "<\\/")
        module = javascript.bundle(self.view).replace("export default", "const here =")
        return (
            f'<div class="lab-touch" id="{key}" data-lab="{self.name}">{self.still()}</div>\n'
            f"<style>{javascript.read('style.css')}</style>\n"
            f'<script type="module">\n{module}\nhost(document.getElementById("{key}"), view, {spec});\n</script>'
        )


def _kind(control) -> Mapping:
    if isinstance(control, Several):
        return {"several": True}
    return {"whole": True} if isinstance(control, Slider) and control.whole else {}


@functools.cache
def _widget_class(lab: type[Lab], language: str) -> type:
    """The widget class of a lab in ``language``. Created on first use, so labs can be imported without anywidget."""
    with needed_by("the live lab"):
        import anywidget
        import traitlets

    class Touched(anywidget.AnyWidget):
        """``spec``: as ``Lab.spec``. ``state``: control → value, as the reader moves it. ``kernel_numbers``: as ``Lab.kernel_numbers``."""

        _esm = javascript.bundle(lab.view)
        _css = javascript.read("style.css")
        spec = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)
        kernel_numbers = traitlets.Dict().tag(sync=True)

        def __repr__(self) -> str:
            return f"{lab.__name__}: a lab to be touched, in JupyterLab or on the book's site"

    return Touched
