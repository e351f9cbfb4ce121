"""The book on paper: the stored notebooks, set as one PDF by Typst. Nothing is executed.

``python -m fairfl_book.paper`` writes ``book/_build/fairfl.pdf``. ``chapters`` turns cells into Typst, ``prose``
Markdown, ``formulas`` LaTeX, ``html_output`` stored HTML; ``places`` resolves cross-references; ``front_matter`` and
``back_matter`` are what a printed book has in addition; ``press`` runs the compiler. How everything looks is in
``book.typ``.
"""
