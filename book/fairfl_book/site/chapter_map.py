"""The map of the chapters on the home page: a card for each, with its minutes and the chapters that it needs."""

from collections.abc import Mapping
from html import escape

from fairfl_book.build.frontmatter import FrontMatter, needed


def cards(fronts: Mapping[str, FrontMatter]) -> str:
    """The map as HTML. ``fronts``: front matter by page name.

    The style that comes with it marks the chapters that a card needs while the card is pointed at or has the focus.
    """
    earlier = needed(fronts)
    shown = [_card(name, front, earlier[name]) for name, front in sorted(fronts.items())]
    marks = [
        f".chapter-map:has({_place(name)}:is(:hover, :focus-within)) :is({', '.join(map(_place, others))})"
        for name, others in earlier.items()
        if others
    ]
    style = f"<style>{', '.join(marks)} {{ border-color: var(--pst-color-primary); background: var(--tint); }}</style>"
    return "\n".join([style if marks else "", '<ol class="chapter-map">', *shown, "</ol>"])


def _place(name: str) -> str:
    """The card of a chapter, as CSS selects it."""
    return f'[data-chapter="{name[:2]}"]'


def _card(name: str, front: FrontMatter, earlier: list[str]) -> str:
    number, _, title = front.title.partition(". ")
    links = ", ".join(f'<a href="{other}.html">{int(other[:2])}</a>' for other in earlier)
    time = f"{front.minutes} minutes{' · ◆ shortest way' if front.shortest else ''}"
    needs = f"needs {links}" if links else "needs no other chapter"
    return (
        f'<li data-chapter="{name[:2]}"><span class="number" aria-hidden="true">{escape(number)}</span>'
        f'<a class="title" href="{name}.html">{escape(title)}</a>'
        f'<p>{escape(front.promise)}</p><p class="facts"><span>{time}</span><span>{needs}</span></p></li>'
    )
