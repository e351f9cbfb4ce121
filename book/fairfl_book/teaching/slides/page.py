"""One HTML file per deck: slides as large as the window, formulas by KaTeX, pictures and fonts inside. It needs no network."""

import base64
import html
import re
from importlib.resources import files
from pathlib import Path

from fairfl import __version__
from fairfl_book.build import note_pdf
from fairfl_book.exercises.display import marked_up
from fairfl_book.teaching.slides.deck import Slide
from fairfl_book.teaching.slides.passages import Picture

BOOK = "Fair federated learning as multi-objective optimisation"
SHORTEST = "◆ on the shortest way through the book"
_FACE = re.compile(r"@font-face\{[^}]*\}")
_WOFF2 = re.compile(r"url\((fonts/[^)]+\.woff2)\)")
_SOURCES = re.compile(r"src:[^;}]*")


def page(deck: list[Slide], vendor: Path, formulas: Path) -> str:
    """The HTML of a deck, whose first slide has the title. ``vendor``: the folder with KaTeX. ``formulas``: the site's script that typesets with it."""
    title = deck[0].heading
    here = files("fairfl_book.teaching.slides")
    style = katex_style(vendor) + here.joinpath("slides.css").read_text(encoding="utf-8")
    scripts = [
        (vendor / "katex.min.js").read_text(encoding="utf-8"),
        formulas.read_text(encoding="utf-8"),
        here.joinpath("slides.js").read_text(encoding="utf-8"),
    ]
    body = "\n".join(_slide(slide, number, len(deck), title) for number, slide in enumerate(deck, 1))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{style}</style></head>\n<body>\n{body}\n"
        + "".join(f"<script>{script}</script>\n" for script in scripts)
        + "</body></html>\n"
    )


def katex_style(vendor: Path) -> str:
    """KaTeX's style with the fonts inside. Fonts that the book does not keep are left out."""

    def face(rule: re.Match) -> str:
        found = _WOFF2.search(rule[0])
        if not found or not (vendor / found[1]).exists():
            return ""
        font = base64.b64encode((vendor / found[1]).read_bytes()).decode()
        return _SOURCES.sub(f'src:url(data:font/woff2;base64,{font}) format("woff2")', rule[0])

    return _FACE.sub(face, (vendor / "katex.min.css").read_text(encoding="utf-8"))


def _slide(slide: Slide, number: int, last: int, title: str) -> str:
    head = "h1" if slide.kind == "title" else "h2"
    texts = "".join(f'<div class="{"large" if text.large else "said"}">{_markdown(text.markdown)}</div>' for text in slide.texts)
    if slide.kind == "answer":
        right, *praise = slide.texts
        texts = f'<p class="right">{marked_up(right.markdown)}</p>' + "".join(f"<p>{marked_up(text.markdown)}</p>" for text in praise)
    if slide.replies:
        rows = "".join(f"<tr><td>{marked_up(given)}</td><td>{marked_up(why)}</td></tr>" for given, why in slide.replies)
        texts += f'<table class="replies"><thead><tr><th>Another answer</th><th>What to say</th></tr></thead><tbody>{rows}</tbody></table>'
    shown = caption = ""
    if slide.shown:
        words = "" if slide.kind == "question" else _markdown(slide.shown.caption)
        caption = f'<div class="caption">{words}</div>' if words else ""
        shown = _picture(slide.shown) if isinstance(slide.shown, Picture) else f'<div class="results">{slide.shown.table}</div>'
    if slide.kind == "title":
        texts += f'<p class="book">{BOOK} · edition {__version__}</p><p class="book">{SHORTEST}</p>'
    small = f'<div class="small">{_markdown(slide.small)}</div>' if slide.small else ""
    look = "tall" if isinstance(slide.shown, Picture) else "broad"
    foot = f'<footer><span>{html.escape(title)}</span><span>{"◆" if slide.shortest else ""} {number} / {last}</span></footer>'
    body = f'<div class="words">{texts}{caption}{small}</div>'
    return (
        f'<section class="{slide.kind} {look}" id="{number}"><{head}>{_inline(slide.heading)}</{head}>'
        f'<div class="body">{shown}{body}</div>{foot}</section>'
    )


def _picture(picture: Picture) -> str:
    return f'<img class="picture" style="--ratio: {picture.ratio:.3f}" alt="{html.escape(picture.words)}" src="{picture.source}">'


def _markdown(text: str) -> str:
    return note_pdf.reader().render(text)


def _inline(text: str) -> str:
    return note_pdf.reader().renderInline(text)
