import itertools

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.labs import Lab, TouchLab
from matplotlib import pyplot as plt

# Those drawn by matplotlib; the others' tests are in test_touch_labs.py.
LABS = {
    name: kind
    for name, kind in vars(labs).items()
    if name in labs.__all__ and isinstance(kind, type) and issubclass(kind, Lab) and kind not in (Lab, TouchLab)
    if not issubclass(kind, TouchLab)
}


@pytest.mark.parametrize("name", LABS)
def test_ends_of_every_control(name):
    """Every control at both ends with the others at their start, and all combinations of ends where these are few."""
    lab = LABS[name]()
    states = [{}] + [{c: end} for c, control in lab.controls.items() for end in control.ends]
    if len(lab.controls) <= 4:
        states += [
            dict(zip(lab.controls, ends)) for ends in itertools.product(*(c.ends for c in lab.controls.values()))
        ]
    figure, axes = lab.axes()
    for state in states:
        numbers = lab.numbers(**state)
        for axis in figure.axes:
            axis.clear()
        lab.draw(axes, numbers)
        words = lab.words(numbers)
        assert words and not any("nan" in w or "inf" in w.lower().split() for w in words), (state, words)
        assert len(lab.alt(numbers).split()) >= 4
    figure.canvas.draw()
    plt.close(figure)


@pytest.mark.parametrize("name", LABS)
def test_the_widget_follows_its_controls(name):
    lab = LABS[name]()
    box = lab.widget()
    controls, (picture, words) = box.children[:-2], box.children[-2:]
    assert "alt=" in picture.value
    control = controls[0]
    before = words.value, picture.value
    ends = list(lab.controls.values())[0].ends
    control.value = next(e for e in ends if e != control.value)
    assert (words.value, picture.value) != before


def test_refusals_teach():
    with pytest.raises(ValueError, match="Did you mean 'weight'"):
        labs.TwoClients().numbers(wait=0.5)
    with pytest.raises(ValueError, match="0.0 to 1.0"):
        labs.TwoClients().numbers(weight=2.0)
