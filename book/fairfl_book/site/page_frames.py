"""Translate what surrounds the text of a translated page: the menu, the search field, buttons and their tooltips.

This works on finished pages, so it does not depend on the theme: a text or tooltip that the catalogue knows is replaced, and a link of the menu leads
to the translated page where there is one. The text itself, in ``<article>``, keeps everything except its tooltips.
"""

import html
import posixpath
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

from fairfl_book.site import languages
from fairfl_book.translation.sentences import framed, tr, using

TOOLTIPS = ("title", "aria-label", "placeholder", "data-bs-title", "alt")
COMPANION = "Chapter {n}: the companion"
_COMPANION = re.compile(r"(\d+)\. .*[tT]he companion")
_UNREAD = {"article", "script", "style", "svg", "kbd", "title"}  # text in them stays
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


def translate(site: Path, titles: Mapping[str, Mapping[str, str]]) -> None:
    """Translate the frames of the pages in the languages' folders of ``site``. ``titles``: by language, English title → translated one."""
    for language in languages.others():
        folder = site / language
        own = {path.name for path in folder.glob("*.html")}
        with using(language):
            for name in sorted(own):
                page = (folder / name).read_text(encoding="utf-8")
                frame = Frame({**framed(language), **titles[language]}, language, name, own)
                (folder / name).write_text(frame.of(page), encoding="utf-8")


class Frame(HTMLParser):
    """One page of a translated edition. ``words``: English → translation. ``own``: the file names of the pages in ``language``."""

    def __init__(self, words: Mapping[str, str], language: str, name: str, own: Iterable[str]) -> None:
        super().__init__(convert_charrefs=False)
        self.words, self.language, self.name, self.own = words, language, name, frozenset(own)
        self.made: list[str] = []
        self.around: list[str] = []
        self.text = ""
        self.left: list[str] = []  # words of the frame without a translation

    def of(self, page: str) -> str:
        """``page`` with its frame translated."""
        self.feed(page)
        self.close()
        return "".join(self.made)

    def close(self) -> None:
        """The end of the page."""
        super().close()
        self._write()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raw, given = self.get_starttag_text() or "", dict(attrs)
        for key in TOOLTIPS:
            value = " ".join((given.get(key) or "").split())
            if value and "svg" not in self.around:
                if said := self._said(value):
                    raw = re.sub(
                        rf'(\s{key}=)"[^"]*"', lambda found, said=said: f'{found[1]}"{html.escape(said)}"', raw
                    )
                elif "article" not in self.around and tag not in ("link", "meta"):
                    self.left.append(value)
        if tag == "a" and "article" not in self.around and "hreflang" not in given:
            raw = self._led(raw, given.get("href") or "")
        self._write(raw)
        if tag not in _VOID and not raw.endswith("/>"):
            self.around.append(tag)

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        self._write(f"</{tag}>")
        while tag in self.around and self.around.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_entityref(self, name: str) -> None:
        self.text += f"&{name};"

    def handle_charref(self, name: str) -> None:
        self.text += f"&#{name};"

    def handle_comment(self, data: str) -> None:
        self._write(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._write(f"<!{decl}>")

    def _write(self, markup: str = "") -> None:
        """Write the text since the last tag, translated if it belongs to the frame, and then ``markup``. Called before ``around`` changes."""
        text, words = self.text, " ".join(html.unescape(self.text).split())
        if words and not set(self.around) & _UNREAD:
            if said := self._said(words):
                lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
                text = f"{lead}{html.escape(said, quote=False)}{trail}"
            else:
                self.left.append(words)
        self.made += [text, markup]
        self.text = ""

    def _said(self, words: str) -> str:
        if companion := _COMPANION.fullmatch(words):
            return tr(COMPANION, n=companion[1])
        return self.words.get(words, "")

    def _led(self, raw: str, href: str) -> str:
        """A link of the frame: to the translated page if there is one, and otherwise marked as English."""
        target, mark, fragment = href.partition("#")
        if not target.endswith(".html") or "://" in target:
            return raw
        page = posixpath.normpath(posixpath.join(self.language, target))
        if page in self.own:  # an English page with a translation: from zh/ one folder up
            raw = raw.replace(f'href="{href}"', f'href="{page}{mark}{fragment}"', 1)
            return raw if page != self.name or fragment else raw.replace("<a ", '<a aria-current="page" ', 1)
        return raw if page.startswith(f"{self.language}/") else raw.replace("<a ", '<a hreflang="en" ', 1)
