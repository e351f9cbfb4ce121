"""A lab: ``compute(state) → numbers``, ``draw(axes, numbers)``, and a thin widget around both.

``compute`` and ``draw`` know nothing of widgets, so that they are tested at the ends of every control without a
browser, and the default state is drawn as ordinary output: the page is complete without a kernel.
"""

import base64
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass

from fairfl.errors import refuse, unknown
from fairfl.extras import needed_by
from fairfl_book import figures


@dataclass(frozen=True)
class Slider:
    """A number from ``low`` to ``high`` in steps of ``step``; whole numbers if all of these are. One that is not ``shown`` has no
    slider on the page: in a lab one can touch, a handle in the picture moves it."""

    label: str
    low: float
    high: float
    step: float
    start: float
    shown: bool = True

    @property
    def ends(self) -> tuple:
        return self.low, self.high

    @property
    def whole(self) -> bool:
        """Whether the control holds whole numbers."""
        return all(isinstance(v, int) for v in (self.low, self.high, self.step, self.start))

    def check(self, name, value):
        if not self.low <= value <= self.high:
            raise refuse(
                f"the lab's {name}", value, f"{self.low} to {self.high}", "Move the value inside the slider's range."
            )

    def widget(self):
        import ipywidgets

        kind = ipywidgets.IntSlider if self.whole else ipywidgets.FloatSlider
        # Redrawing while a slider is dragged would queue frames faster than a slow machine draws them.
        return kind(
            self.start,
            min=self.low,
            max=self.high,
            step=self.step,
            description=self.label,
            continuous_update=False,
            style={"description_width": "12em"},
            layout={"width": "34em"},
        )


@dataclass(frozen=True)
class Choice:
    """One of a few named options."""

    label: str
    options: Sequence[str]
    start: str

    @property
    def ends(self) -> tuple:
        return tuple(self.options)

    def check(self, name, value):
        if value not in self.options:
            raise unknown(f"choice of the lab's {name}", value, self.options)

    def widget(self):
        import ipywidgets

        return ipywidgets.Dropdown(
            options=list(self.options),
            value=self.start,
            description=self.label,
            style={"description_width": "12em"},
            layout={"width": "34em"},
        )


class Lab:
    """Base of all labs. A subclass gives ``controls`` and answers ``compute``, ``axes``, ``draw``, ``words`` and ``alt``.

    ``compute(**state)`` → a dictionary of numbers. ``axes()`` → a new (figure, axes). ``draw(axes, numbers)`` draws into axes that
    were cleared. ``words(numbers)`` → the lines of text under the picture, rounded. ``alt(numbers)`` → its alternative text.
    """

    controls: dict[str, Slider | Choice] = {}

    def compute(self, **state) -> dict:
        raise NotImplementedError

    def axes(self):
        raise NotImplementedError

    def draw(self, axes, numbers: dict) -> None:
        raise NotImplementedError

    def words(self, numbers: dict) -> list[str]:
        raise NotImplementedError

    def alt(self, numbers: dict) -> str:
        return "; ".join(self.words(numbers))

    @property
    def start(self) -> dict:
        """The state at the beginning: control → value."""
        return {name: control.start for name, control in self.controls.items()}

    def numbers(self, **state) -> dict:
        """``compute`` for the default state with some controls moved. Raises ``ValueError`` for a control or value that is not there."""
        for name in state:
            if name not in self.controls:
                raise unknown("control", name, self.controls)
        full = {**self.start, **state}
        for name, value in full.items():
            self.controls[name].check(name, value)
        return self.compute(**full)

    def picture(self, **state) -> None:
        """Show the lab in one state as ordinary output: the figure with its alternative text, then the words."""
        with figures.book_style():
            numbers = self.numbers(**state)
            figure, axes = self.axes()
            self.draw(axes, numbers)
            figures.show(figure, self.alt(numbers))
        print("\n".join(self.words(numbers)))

    def widget(self, **state):
        """The live lab: controls, picture and words, for JupyterLab, Colab or VS Code with a kernel."""
        with needed_by("the live lab"):
            import ipywidgets
            from matplotlib import pyplot as plt

        with figures.book_style():
            figure, axes = self.axes()
        plt.close(figure)
        controls = {name: control.widget() for name, control in self.controls.items()}
        picture, words = ipywidgets.HTML(), ipywidgets.HTML()

        def redraw(_=None):
            numbers = self.numbers(**{name: control.value for name, control in controls.items()})
            for one in figure.axes:
                one.clear()
            with figures.book_style():
                self.draw(axes, numbers)
            lines = "<br>".join(html.escape(line) for line in self.words(numbers))
            picture.value = (
                f'<img src="data:image/png;base64,{_png(figure)}" alt="{html.escape(self.alt(numbers), quote=True)}">'
            )
            words.value = f'<div class="lab-words" aria-live="polite" style="font-family: monospace; white-space: pre; line-height: 1.4">{lines}</div>'

        for name, value in state.items():
            controls[name].value = value
        for control in controls.values():
            control.observe(redraw, names="value")
        redraw()
        return ipywidgets.VBox([*controls.values(), picture, words])


def _png(figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return base64.b64encode(buffer.getvalue()).decode()
