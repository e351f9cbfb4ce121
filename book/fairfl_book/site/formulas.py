"""Formulas for KaTeX: pages contain LaTeX, and ``static/formulas.js`` typesets it in the browser, from disk as well."""

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.application import Sphinx

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator

RENDERER = "katex"  # Sphinx's html_math_renderer
STYLE, SCRIPTS = "vendor/katex.min.css", ("vendor/katex.min.js", "formulas.js")


def inline(self: "HTML5Translator", node: nodes.math) -> None:
    """An inline formula."""
    formula = self.encode(f"\\({node.astext()}\\)")
    self.body.append(f'<span class="math notranslate nohighlight">{formula}</span>')
    raise nodes.SkipNode


def block(self: "HTML5Translator", node: nodes.math_block) -> None:
    """A displayed formula. Several lines are aligned, unless they are numbered one by one."""
    text = node.astext().strip()
    if r"\\" in text and r"\tag" not in text and not text.startswith(r"\begin"):
        text = rf"\begin{{split}}{text}\end{{split}}"
    formula = self.encode(f"\\[{text}\\]")
    first, *others = node["ids"] or [""]  # one for each numbered line
    place = f' id="{first}"' if first else ""
    anchors = "".join(f'<span id="{other}"></span>' for other in others)
    self.body.append(f'{anchors}<div class="math notranslate nohighlight"{place}>{formula}</div>\n')
    raise nodes.SkipNode


def load(app: Sphinx, page: str, template: str, context: dict, tree: object) -> None:
    """Make a page load KaTeX if it has formulas."""
    if 'class="math ' in context.get("body", ""):
        app.add_css_file(STYLE)
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer(RENDERER, (inline, None), (block, None))
    app.connect("html-page-context", load)
