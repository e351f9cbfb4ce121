"""A lab as a piece of a page: its drawn pictures behind native sliders, with the words of the state that is shown."""

import html
import json
from collections.abc import Mapping
from pathlib import Path

from fairfl_book.labs import Slider
from fairfl_book.site import frames
from fairfl_book.site.tours import Tour

FOLDER = "_static/labs"  # where pages find the pictures


def fragment(tour: Tour, drawn: Path, place: str) -> str:
    """The HTML of a tour whose pictures are in ``drawn``. ``place``: a word that no other strip of the page has. Without
    scripts it is the picture and the words of the lab's start."""
    record = json.loads((drawn / frames.RECORD).read_text(encoding="utf-8"))
    start = tour.start()
    shown = _number(tour, start)
    folder = f"{FOLDER}/{tour.name}"
    data = {"folder": folder, "base": record["base"], "words": record["words"], "alt": record["alt"]}
    return "\n".join(
        [
            f'<div class="lab-strip" data-lab="{tour.name}" role="group" aria-label="A picture with controls">',
            f'<div class="lab-picture" style="aspect-ratio: {record["width"]} / {record["height"]}; max-width: {record["width"]}px">',
            f'<img class="lab-base" src="{folder}/base-{record["base"][shown]}.webp" alt="{html.escape(record["alt"][shown], quote=True)}">',
            f'<img class="lab-frame" src="{folder}/frame-{shown:03d}.webp" alt="" role="presentation">',
            "</div>",
            '<div class="lab-controls">',
            *(_control(tour, name, start[name], f"{place}-{name}") for name in tour.values),
            "</div>",
            f'<pre class="lab-words" aria-live="polite">{html.escape(record["words"][shown])}</pre>',
            f'<p class="lab-note">{_note(tour)}</p>',
            f'<script type="application/json">{_json(data)}</script>',
            "</div>",
        ]
    )


def _number(tour: Tour, start: Mapping[str, int]) -> int:
    number = 0
    for name, stops in tour.values.items():
        number = number * len(stops) + start[name]
    return number


def _control(tour: Tour, name: str, at: int, key: str) -> str:
    control, stops = tour.lab.controls[name], tour.values[name]
    label = f'<label for="{key}">{html.escape(control.label)}</label>'
    if not isinstance(control, Slider):
        options = "".join(
            f"<option{' selected' if n == at else ''}>{html.escape(stop)}</option>" for n, stop in enumerate(stops)
        )
        return f'{label}<select id="{key}" autocomplete="off">{options}</select><span></span>'
    words = [f"{stop:g}" for stop in stops]
    return (
        f'{label}<input type="range" id="{key}" min="0" max="{len(stops) - 1}" step="1" value="{at}" autocomplete="off" '
        f'aria-valuetext="{words[at]}" data-stops="{html.escape(json.dumps(words), quote=True)}">'
        f'<output for="{key}">{words[at]}</output>'
    )


def _note(tour: Tour) -> str:
    fixed = [
        f"{control.label} {control.start}" for name, control in tour.lab.controls.items() if name not in tour.values
    ]
    rest = f" Here fixed: {', '.join(fixed)}." if fixed else ""
    return html.escape(f"Drawn in advance at {len(tour)} settings.{rest} In JupyterLab every control moves freely.")


def _json(data: Mapping) -> str:
    """For a script element: nothing in it may end the element."""
    return json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
