"""The static site: the chapters' stored outputs as HTML pages that open from disk, without a network and without a kernel.

``vendor`` fetches KaTeX once. ``notebooks`` makes a page of a chapter; ``glossary``, ``bibliography``, ``contents`` and ``api`` make
pages of data, ``languages`` the translated chapters; ``sources`` lays all of it out, and ``build`` runs Sphinx over it, with ``sphinx_extension``.
``python -m fairfl_book.site`` does everything.
"""
