"""The static site: the chapters' stored outputs as HTML pages that open from disk, without a network and without a kernel.

``third_party`` fetches KaTeX once. ``notebooks`` turns a chapter into a page; ``glossary``, ``bibliography`` and ``contents`` build
pages from data, ``languages`` the translated chapters. ``sources`` lays everything out, and ``build`` runs Sphinx over it, with
``sphinx_extension``. Sphinx's autosummary writes the API pages listed in ``book/pages/api/index.rst``.
``python -m fairfl_book.site`` does everything.
"""
