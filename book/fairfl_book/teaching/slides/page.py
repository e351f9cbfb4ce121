"""One HTML file per deck: slides as large as the window, formulas by KaTeX, pictures and fonts inside. It needs no network."""

import base64
import html
import re
from importlib.resources import files
from pathlib import Path

from fairfl import __version__
from fairfl_book import TITLE, labs
from fairfl_book.build import note_pdf
from fairfl_book.exercises.display import marked_up
from fairfl_book.teaching.slides.deck import Slide, Text, short
from fairfl_book.teaching.slides.passages import Picture, Results

SHORTEST = "◆ marks what is on the shortest way through the book"
LONG = 12  # rows; a longer table has narrower ones
FEW = 240  # pixels; a slide with less text has larger letters
_FACE = re.compile(r"@font-face\{[^}]*\}")
_WOFF2 = re.compile(r"url\((fonts/[^)]+\.woff2)\)")
_SOURCES = re.compile(r"src:[^;}]*")
_NO_HEAD = re.compile(r"<th([^>]*)>\s*</th>")  # an empty heading, which a screen reader would announce
_MINUS = re.compile(r"(?<=>)-(?=\d)")  # a cell's number begins with a hyphen


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
    marked = any(slide.shortest for slide in deck)
    body = "\n".join(_slide(slide, number, len(deck), title, marked) for number, slide in enumerate(deck, 1))
    body = _NO_HEAD.sub(r"<td\1></td>", body)
    licence = (vendor / "LICENSE-katex.txt").read_text(encoding="utf-8").replace("--", "- -")
    return (
        f'<!doctype html>\n<html lang="en" data-theme="light"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title>\n<!-- KaTeX and its fonts:\n{licence}-->\n<style>{style}</style></head>\n<body>\n<main>\n{body}\n</main>\n"
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


def _slide(slide: Slide, number: int, last: int, title: str, marked: bool) -> str:
    head = "h1" if slide.kind == "title" else "h2"
    before, after = _texts(slide.before), _texts(slide.after)
    if slide.kind == "title":
        before += f'<p class="book">{TITLE} · edition {__version__}</p>' + f'<p class="book">{SHORTEST}</p>' * marked
    if slide.kind == "answer":
        before = _answer(slide)
    if slide.small:
        after += f'<div class="small">{_markdown(slide.small)}</div>'
    foot = f"<footer><span>{html.escape(title)}</span><span>{'◆ ' * slide.shortest}{number} / {last}</span></footer>"
    few = " few" if slide.used < FEW and not isinstance(slide.shown, Results) else ""
    part = f" <small>{_inline(slide.part)}</small>" if slide.part else ""
    return (
        f'<section class="{slide.kind}{few}" id="{number}"><{head}>{_inline(slide.heading)}{part}</{head}>'
        f"{_body(slide, number, before, after)}{foot}</section>"
    )


def _body(slide: Slide, number: int, before: str, after: str) -> str:
    """A picture beside its words, or words with a table of results between them. A lab is alive on screens, and a picture on paper."""
    if isinstance(slide.shown, Picture):
        caption = (
            "" if slide.kind == "question" else f'<div class="caption">{_markdown(short(slide.shown.caption))}</div>'
        )
        shown = _picture(slide.shown)
        if slide.kind == "lab":
            shown = f'<div class="living">{getattr(labs, slide.shown.lab)().page(f"lab-{number}", task=False, linked=False)}</div><div class="paper">{shown}</div>'
        return f'<div class="body">{shown}<div class="words">{before}{caption}{after}</div></div>'
    if slide.shown:
        caption = f'<div class="caption">{_markdown(short(slide.shown.caption))}</div>'
        long = " long" * (slide.shown.table.count("<tr") > LONG)
        return f'<div class="body"><div class="words">{before}<div class="results{long}">{_MINUS.sub("−", slide.shown.table)}</div>{caption}{after}</div></div>'
    return f'<div class="body"><div class="words">{before}{after}</div></div>'


def _texts(texts: list[Text]) -> str:
    return "".join(f'<div class="{text.look}">{_markdown(text.markdown)}</div>' for text in texts)


def _answer(slide: Slide) -> str:
    """The right answer, why, and a table of known wrong ones."""
    right, *why = slide.before
    words = f'<p class="right">{marked_up(right.markdown)}</p>' + "".join(
        f"<p>{marked_up(text.markdown)}</p>" for text in why
    )
    rows = "".join(f"<tr><td>{marked_up(given)}</td><td>{marked_up(reply)}</td></tr>" for given, reply in slide.replies)
    head = "<thead><tr><th>Another answer</th><th>Reply</th></tr></thead>"
    return words + (f'<table class="replies">{head}<tbody>{rows}</tbody></table>' if rows else "")


def _picture(picture: Picture) -> str:
    return f'<img class="picture" style="--ratio: {picture.ratio:.3f}" alt="{html.escape(picture.words)}" src="{picture.source}">'


def _markdown(text: str) -> str:
    return note_pdf.reader().render(text)


def _inline(text: str) -> str:
    return note_pdf.reader().renderInline(text)
