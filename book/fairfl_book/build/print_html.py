"""A chapter's notebook as HTML for print: prose, code and outputs. Boxes that are folded on screen are open."""

import base64
import html
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from nbformat import NotebookNode

from fairfl._extras import needed_by
from fairfl_book import labs
from fairfl_book.build import figure_numbers, note_pdf
from fairfl_book.exercises.exercise_cells import turn_in

STYLE = """
section.chapter, section.appendix { break-before: page; }
section.chapter > h1, section.appendix > h1 { text-align: left; font-size: 19pt; margin: 0 0 5mm; }
h1, h2, h3 { white-space: pre-wrap; } /* else a bookmark loses the space at which its heading breaks */
h3 { font-size: 11pt; margin: 4mm 0 1.5mm; break-after: avoid; } h4 { font-size: 10.4pt; margin: 3mm 0 1mm; break-after: avoid; }
blockquote { margin: 3mm 0; padding-left: 4mm; border-left: 0.6mm solid #0072B2; }
div.folded { border-left: 0.6mm solid #bbb; padding-left: 4mm; margin: 3mm 0; } p.summary { font-weight: bold; break-after: avoid; }
pre { font: 7.5pt/1.32 "DejaVu Sans Mono", Menlo, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 2mm 0; }
pre.code { background: #f5f5f5; padding: 1.6mm 2mm; border-radius: 1mm; } pre.out { padding-left: 2mm; border-left: 0.4mm solid #ccc; }
code { font: 88% "DejaVu Sans Mono", Menlo, monospace; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; break-inside: avoid; display: block; margin: 3mm auto; }
p.see { font-size: 9pt; color: #444; } ol, ul { padding-left: 6mm; } li { margin-bottom: 1mm; }
table.dataframe { font-size: 8.4pt; } div.output { font-size: 9.4pt; margin: 2mm 0; }
li a::after { content: none; } section.references a::after { content: " " attr(href); font-size: 7.4pt; color: #444; overflow-wrap: anywhere; }
"""
_SLUG = re.compile(r'check\("([\w.]+)"')
_CHAPTER = re.compile(r"(?:\.\./|more/)*(\d\d)_[a-z0-9_]+?(_more)?\.(?:ipynb|md|html)(#\S+)?")
_LAB = re.compile(r"^\w+ = (?:labs\.)?(\w+)\(\)$", re.MULTILINE)
_SIZE = re.compile(r'<svg[^>]*? width="(\d+)"')


@dataclass(frozen=True)
class Heading:
    """One line of the contents. ``level``: 1 for a chapter. ``anchor``: its anchor within the document."""

    level: int
    words: str
    anchor: str


@dataclass(frozen=True)
class Sheet:
    """The HTML of one chapter or appendix, and its headings in order."""

    content: str
    headings: list[Heading] = field(default_factory=list)


def chapter(notebook: NotebookNode, number: str, solved: frozenset[str] = frozenset()) -> Sheet:
    """The executed ``notebook`` of chapter ``number`` ("04"). ``solved``: slugs of the exercises with a solution in the
    appendix."""
    parts, headings = [], []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text, found = prose(cell.source, f"c{number}")
            parts.append(text)
            headings += found
        elif "head" not in cell.metadata.get("tags", []):
            parts.append(_code_cell(cell, solved))
    content, heading, references = "\n".join(parts).partition(f'<h2 id="c{number}-references">')
    if heading:
        content += f'<section class="references">{heading}{references}</section>'
    return Sheet(f'<section class="chapter">{content}</section>', headings)


def prose(text: str, prefix: str) -> tuple[str, list[Heading]]:
    """Markdown as HTML. Anchors of headings begin with ``prefix``, and links to chapters lead to places in the same
    document."""
    reader, headings = note_pdf.reader(), []
    tokens = reader.parse(text)
    for opening, inline in zip(tokens, tokens[1:], strict=False):
        if opening.type == "heading_open":
            level = int(opening.tag[1])
            words = inline.content
            anchor = prefix if level == 1 else f"{prefix}-{_plain(words)}"
            opening.attrSet("id", anchor)
            headings.append(Heading(level, words, anchor))
    for opening, inline in zip(tokens, tokens[2:], strict=False):
        if opening.type == "blockquote_open" and (caption := figure_numbers.CAPTION.match(f"> {inline.content}")):
            opening.attrSet("id", figure_numbers.anchor(caption[1]))
    for token in tokens:
        before = ""
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _inside(str(child.attrs["href"]), prefix))
            elif child.type == "text" and before not in ("strong_open", "link_open"):  # a caption's own number is bold
                child.type, child.content = "html_inline", _figures_linked(child.content)
            before = child.type
    return _unfolded(reader.renderer.render(tokens, reader.options, {})), headings


def _inside(address: str, prefix: str) -> str:
    """Translate ``address`` into an anchor of the document, in which a chapter's anchors carry its prefix."""
    if found := _CHAPTER.match(address):
        section = f"-{_plain(found[3][1:])}" if found[3] else ""
        return f"#c{found[1]}{'m' if found[2] else ''}{section}"
    return f"#{prefix}-{_plain(unquote(address[1:]))}" if address.startswith("#") else address


def _plain(heading: str) -> str:
    """A heading, or its anchor in a notebook, in lower case with hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _figures_linked(words: str) -> str:
    """``words`` as HTML, with links from each reference to a numbered figure."""
    return figure_numbers.MENTION.sub(
        lambda found: f'<a href="#{figure_numbers.anchor(found[1])}">{found[0]}</a>', html.escape(words, quote=False)
    )


def _unfolded(page: str) -> str:
    page = re.sub(r"<details[^>]*>", '<div class="folded">', page).replace("</details>", "</div>")
    return re.sub(r"<summary>(.*?)</summary>", r'<p class="summary">\1</p>', page, flags=re.DOTALL)


def _code_cell(cell: NotebookNode, solved: frozenset[str]) -> str:
    """The cell's code, unless it is folded on screen, and its outputs. A check's verdict is left out, because it
    depends on the reader."""
    tags, shown = cell.metadata.get("tags", []), ""
    if "lab" in tags:
        return _stills(cell) + '<p class="see">This picture can be moved by hand in the notebook and on the site.</p>'
    if not cell.metadata.get("jupyter", {}).get("source_hidden"):
        shown = code(cell.source)
    if turn := turn_in(cell):
        return f'{shown}<p class="see">Answered in <a href="#answer-{turn}">the appendix</a>.</p>'
    if "check" in tags:
        slugs = [slug for slug in _SLUG.findall(cell.source) if slug in solved]
        return shown + "".join(
            f'<p class="see">Answered in <a href="#solution-{slug}">the appendix</a>.</p>' for slug in slugs
        )
    return shown + "".join(map(_output, cell.outputs))


def _stills(cell: NotebookNode) -> str:
    """The images of the labs that a cell creates. A cell that only shows a lab has none: its image is in an earlier
    cell."""
    made = [getattr(labs, name)() for name in _LAB.findall(cell.source) if hasattr(labs, name)]
    return "".join(_output(NotebookNode(output_type="display_data", data=lab.output()[0])) for lab in made)


def code(source: str) -> str:
    """Python in colours."""
    with needed_by("code on paper"):
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import PythonLexer

    marked = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True, noclasses=True, style="tango"))
    return f'<pre class="code">{marked}</pre>'


def _output(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return f'<pre class="out">{html.escape(output.text.rstrip())}</pre>'
    if output.output_type == "error":
        return f'<pre class="out">{html.escape(f"{output.ename}: {output.evalue}")}</pre>'
    data = output.data
    if "image/svg+xml" in data:
        drawing = data["image/svg+xml"]
        width = _SIZE.search(drawing)
        size = f' width="{width[1]}"' if width else ""
        words = html.escape(str(data.get("text/plain", "")))
        return (
            f'<img{size} alt="{words}" src="data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode()}">'
        )
    if "text/html" in data:
        return f'<div class="output">{data["text/html"]}</div>'
    return f'<pre class="out">{html.escape(str(data.get("text/plain", "")))}</pre>'
