"""The static site: the chapters with their stored outputs, as HTML pages that open from disk without a network or a
kernel.

``third_party`` fetches KaTeX, the typefaces and MiniSearch once. ``notebooks`` turns a chapter into a page; ``glossary``, ``bibliography``, ``contents`` and ``chapter_map`` build
pages from data, ``how_to`` from the scripts of ``examples``, ``languages`` the translated chapters. ``sources`` writes Sphinx's source folder, and ``build`` runs Sphinx on it with
``sphinx_extension``. Sphinx's autosummary writes the API pages listed in ``book/pages/api/index.rst``.
``text_links`` puts links into text, for the modules that find chapters, figures, formulas and terms in it.
``passages`` gives every paragraph an anchor, ``search_index`` writes them for the search, and ``search_page`` is its page.
``python -m fairfl_book.site`` does everything.
"""
