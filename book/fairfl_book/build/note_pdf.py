"""Turn Markdown with formulas into a page for print and a PDF: ``python -m fairfl_book.build.note_pdf``.

Formulas are typeset by one file of MathJax. Once it is downloaded, no network is needed. TeX is never needed.
"""

import argparse
import base64
import html
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import nbformat
import yaml

from fairfl import __version__, _atomic_files
from fairfl._extras import needed_by
from fairfl.errors import Refused
from fairfl_book import book_paths, terminal
from fairfl_book.build import bibtex
from fairfl_book.build.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOTE = "scales_and_hulls"
SCRIPT = "tex-svg-full.js"
_STYLE = """
@page { size: A4; margin: 20mm 21mm 22mm; }
body { font: 10.4pt/1.42 "Noto Serif", "DejaVu Serif", Georgia, serif; max-width: 172mm; margin: 0 auto; }
h1 { font-size: 17pt; line-height: 1.2; text-align: center; margin: 0 0 3mm; } h2 { font-size: 12.5pt; margin: 6mm 0 2mm; break-after: avoid; }
p.by { text-align: center; margin: 0 0 6mm; color: #444; } p { margin: 0 0 2.4mm; }
table { border-collapse: collapse; margin: 3mm auto; font-size: 9.2pt; text-align: left; } tr { break-inside: avoid; }
th, td { border-bottom: 0.3pt solid #999; padding: 0.8mm 2mm; vertical-align: top; } th { border-bottom-width: 0.8pt; }
figure { margin: 4mm 0; text-align: center; break-inside: avoid; } figure img { max-width: 100%; max-height: 88mm; }
figcaption { font-size: 9.2pt; text-align: left; margin-top: 1.5mm; } a { color: inherit; text-decoration: none; }
li a::after { content: " " attr(href); font-size: 7.6pt; color: #444; }
.math.block { break-inside: avoid; } mjx-container path, mjx-container use { stroke: none; } /* a hairline, which screens widen to bold */
"""
_MATHJAX = """<script>window.MathJax = {tex: {inlineMath: [['\\\\(', '\\\\)']], displayMath: [['\\\\[', '\\\\]']],
packages: {'[-]': ['noundefined', 'noerrors']}},
svg: {scale: 0.93}, options: {enableMenu: false}};</script><script src="%s"></script>"""
_CITED = re.compile(r"\[([^\]]+)\]\(#References\)")
_READY = "async () => { await MathJax.startup.promise; await document.fonts.ready; }"


def reader() -> Any:
    """A Markdown parser (markdown-it's ``MarkdownIt``) with tables and HTML that leaves formulas to MathJax."""
    with needed_by("a page for paper"):
        from markdown_it import MarkdownIt
        from mdit_py_plugins.dollarmath import dollarmath_plugin

    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=_formula, double_inline=True)


def page(text: str, picture: Callable[[str], str], cited: Callable[[list[str]], list[str]], mathjax: Path) -> str:
    """The HTML page of ``text``, Markdown with a front matter of ``title``, ``by`` and ``cites``.

    ``picture(address)``: the URL of an image. ``cited(keys)``: the lines of the reference list. ``mathjax``: the
    script's file. Raises ``ValueError`` if the front matter is missing.
    """
    if not text.startswith("---\n"):
        raise Refused("the text has no front matter. Begin it with the lines ---, title, by, cites, ---", "missing")
    _, head, body = text.split("---\n", 2)
    front, body = yaml.safe_load(head), _CITED.sub(r"\1", body)  # links cannot be followed on paper
    body += "\n## References\n\n" + "\n".join(cited(front["cites"]))
    markdown = reader()
    markdown.add_render_rule("image", lambda _, tokens, i, *rest: _figure(tokens[i], picture))
    content = re.sub(r"<p>(<figure>.*?</figure>)</p>", r"\1", markdown.render(body), flags=re.DOTALL)
    content = f'<h1>{html.escape(front["title"])}</h1><p class="by">{html.escape(front["by"])}</p>{content}'
    return document(front["title"], content, mathjax)


def document(title: str, content: str, mathjax: Path) -> str:
    """A complete HTML document for print. ``content``: its body."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style>{_MATHJAX % mathjax.resolve().as_uri()}</head><body>{content}</body></html>\n"
    )


def _formula(content: str, options: dict) -> str:
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{left}{html.escape(content)}{right}"


def _figure(token, picture: Callable[[str], str]) -> str:
    words = html.escape(token.content)
    return f'<figure><img src="{picture(token.attrs["src"])}" alt="{words}"><figcaption>{words}</figcaption></figure>'


def stored_picture(chapters: Path, address: str) -> str:
    """An image stored in a notebook, as a data URL. ``address``: ``NAME.ipynb#WORDS``, where the image's alternative
    text begins with WORDS.

    Raises ``ValueError`` unless exactly one image matches.
    """
    name, _, words = unquote(address).partition("#")
    cells = nbformat.read(chapters / name, as_version=4).cells
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    found = [data["text/html"] for data in outputs if str(data.get("text/plain", "")).startswith(words)]
    if len(found) != 1:
        raise Refused(
            f"{len(found)} pictures of {name} begin with {words!r}; allowed: exactly one. Give more words, or run make chapters if the notebook is out of date",
            "file",
        )
    source = re.search(r'src="(data:image/png;base64,[^"]+)"', found[0])
    if source is None or not base64.b64decode(source[1].partition(",")[2]):
        raise Refused(
            f"the picture of {name} that begins with {words!r} is not a PNG; allowed: PNG. Show it with figures.show",
            "file",
        )
    return source[1]


def pdf(browser: "Browser", address: str) -> bytes:
    """Typeset the page at ``address`` and print it on A4 with page numbers. Raises ``ValueError`` if MathJax rejects a
    formula."""
    with typeset(browser, address) as sheet:
        return printed(sheet)


@contextmanager
def typeset(browser: "Browser", address: str) -> Iterator["Page"]:
    """Open the page at ``address`` in ``browser`` and typeset its formulas. Raises ``ValueError`` if MathJax rejects a
    formula."""
    sheet = browser.new_page()
    try:
        sheet.goto(address)
        sheet.evaluate(_READY)
        wrong = sheet.locator('[data-mml-node="merror"]')
        if wrong.count():
            raise Refused(
                f"MathJax rejects a formula: {wrong.first.get_attribute('data-mjx-error') or 'a formula'}", "file"
            )
        if re.search(r"\\[(\[]", left := sheet.locator("body").inner_text()):
            raise Refused(
                f"a formula was not typeset. Check that its brackets are closed: {left[left.index(chr(92)) :][:60]}",
                "file",
            )
        yield sheet
    finally:
        sheet.close()


def printed(sheet: "Page") -> bytes:
    """Print an open page on A4 with page numbers."""
    number = '<div style="font-size:8px;width:100%;text-align:center"><span class="pageNumber"></span></div>'
    return sheet.pdf(
        prefer_css_page_size=True, print_background=True, display_header_footer=True,
        header_template="<span></span>", footer_template=number, tagged=True,
    )  # fmt: skip


def note(book: book_paths.Book, name: str = NOTE) -> str:
    """The HTML page of the note ``book/note/NAME.md``, with pictures from the chapters' notebooks."""
    here = book.root / "book"
    entries = bibtex.load(book.bibliography)
    text = (here / "note" / f"{name}.md").read_text(encoding="utf-8")
    return page(
        text.replace("{version}", __version__),
        lambda address: stored_picture(book.chapters, address),
        lambda keys: bibtex.lines(keys, entries),
        book.vendored / SCRIPT,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the note as a page and as a PDF into ``book/_build``, and return ``terminal.obey``'s exit status."""

    def run(given: argparse.Namespace) -> int:
        book = book_paths.clone("make note")
        from fairfl_book.site import third_party

        made = book.root / "book" / "_build"
        third_party.fetch(book.vendored)
        made.mkdir(parents=True, exist_ok=True)
        _atomic_files.write(made / f"{NOTE}.html", note(book).encode("utf-8"))
        with chromium() as browser:
            _atomic_files.write(made / f"{NOTE}.pdf", pdf(browser, (made / f"{NOTE}.html").as_uri()))
        print(f"printed {(made / f'{NOTE}.pdf').relative_to(book.root)}")
        return 0

    about = (
        f"Print the note on scales and hulls as book/_build/{NOTE}.pdf with a headless Chromium. It takes no options."
    )
    parser = terminal.Parser(prog="python -m fairfl_book.build.note_pdf", description=about)
    parser.set_defaults(run=run)
    return terminal.obey(parser, arguments)


if __name__ == "__main__":
    sys.exit(main())
