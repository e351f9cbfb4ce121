"""The chapter machinery: how a reviewed text becomes an executed notebook, and a notebook a reader's copy or a page.

``places`` knows where the files stand, ``frontmatter`` what a chapter promises, ``references`` the one bibliography,
``twins`` executes texts into notebooks, on the one thread of ``threads``, ``guards`` and ``prose`` say what is wrong
with one, ``copies`` keeps the reader's answers, and ``server`` starts JupyterLab on them. For a class, ``exercises``
takes solutions out of a notebook or puts them in, ``kit`` writes such notebooks, ``release`` packs one archive,
``prerequisites`` keeps the map in the teachers' page, and ``command`` offers all that on the command line. ``site``
makes the static pages. Of all this a chapter imports ``places`` at most, to find what was recorded.
"""
