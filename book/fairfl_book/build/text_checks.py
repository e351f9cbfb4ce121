"""Check a chapter's Markdown: portable syntax, title, links to sections, reference list."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairfl.errors import unknown
from fairfl_book import anchors
from fairfl_book.build import bibtex

if TYPE_CHECKING:
    from fairfl_book.build.notebook_checks import Chapter

# MyST's extensions to Markdown. JupyterLab, GitHub and Colab print them literally.
_FENCE = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})\s*(\{[^}]*\})?")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_ROLE = re.compile(r"\{[A-Za-z][\w:.+-]*\}$")
_LINE = re.compile(r"^(\([\w:-]+\)=\s*$|%\s|\+\+\+)")
_WITHIN = re.compile(r"\]\(#([^)\s]+)\)")
_IMAGE = re.compile(r"!\[\s*\]\(")


def _markdown(chapter: "Chapter") -> Iterator[tuple[int, str]]:
    return ((n, cell.source) for n, cell in enumerate(chapter.notebook.cells, 1) if cell.cell_type == "markdown")


def _foreign(source: str) -> Iterator[str]:
    """The pieces of a Markdown cell that only MyST understands."""
    text, fence = [], ""
    for line in source.splitlines():
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif mark and (mark[2] or mark[1][0] == ":"):
            yield line.strip()
            return
        elif mark:
            fence = mark[1]
        elif _LINE.match(line):
            yield line.strip()
        else:
            text.append(line)
    joined = "\n".join(text)
    for span in _SPAN.finditer(joined):
        if role := _ROLE.search(joined[: span.start()]):
            yield role[0] + span[0]


def native_markdown(chapter: "Chapter") -> Iterator[str]:
    """No MyST directives, roles, targets or comments, and no picture without alternative text."""
    for number, source in _markdown(chapter):
        for piece in _foreign(source):
            yield (
                f"cell {number}: {piece!r} is MyST, which JupyterLab and GitHub print literally; "
                "use plain Markdown (a block quote, a link, LaTeX)"
            )
        if _IMAGE.search(source):
            yield f"cell {number}: a picture without alternative text; write ![what it shows](...)"


def headings(chapter: "Chapter") -> Iterator[str]:
    """No formula in a heading, because JupyterLab's table of contents prints it literally."""
    for number, source in _markdown(chapter):
        for line in source.splitlines():
            if re.match(r"#+ .*\$", line):
                yield f"cell {number}: {line!r} contains a formula, which JupyterLab's table of contents prints literally; write the letter itself (η, E)"


def section_links(chapter: "Chapter") -> Iterator[str]:
    """A link within the chapter leads to one of its headings, with the same capitals and punctuation, which JupyterLab
    requires."""
    there = {anchors.of(found) for _, source in _markdown(chapter) for found in anchors.HEADING.findall(source)}
    for number, source in _markdown(chapter):
        for fragment in _WITHIN.findall(source):
            if fragment not in there:
                yield f"cell {number}: {unknown('section', '#' + fragment, ['#' + name for name in sorted(there)])}"


def title(chapter: "Chapter") -> Iterator[str]:
    """The chapter starts with its title."""
    wanted = f"# {chapter.front.title}"
    first = chapter.notebook.cells[0] if chapter.notebook.cells else None
    start = first.source.split("\n")[0].strip() if first is not None and first.cell_type == "markdown" else ""
    if start != wanted:
        yield f"cell 1: starts with {start!r}; expected the title of the front matter, {wanted!r}"


def reference_list(chapter: "Chapter") -> Iterator[str]:
    """The reference list contains exactly the entries in ``cites``."""
    found, at = [], 0
    for number, source in _markdown(chapter):
        _, heading, after = f"\n{source}\n".partition(f"\n{bibtex.HEADING}\n")
        if heading:
            at = number
            section = after.split("\n#")[0].splitlines()
            found += [line.strip() for line in section if line.lstrip().startswith(("-", "*", "+"))]
    try:
        wanted = bibtex.lines(chapter.front.cites, chapter.bibliography)
    except ValueError as error:
        yield f"front matter cites: {error}"
        return
    if found != wanted:
        expected = "\n".join([bibtex.HEADING, "", *wanted]) if wanted else "no list, since nothing is cited"
        yield (
            f"cell {at or len(chapter.notebook.cells)}: the reference list does not follow from 'cites'; "
            f"expected:\n{expected}"
        )
