"""The book's machinery: labs, exercises, figures, tables, toy problems, and how texts become notebooks, a site and a class's kit.

In: the texts under ``chapters/src`` and the package ``fairfl``, which never imports this one. Out: executed notebooks, the reader's copies
and answers, the static site. ``labs``, ``exercises``, ``figures``, ``tables``, ``toy``, ``two_spaces``, ``selftest``, ``faults``, ``companion`` and ``places`` are what chapters import; ``build``
executes and checks them, ``reading`` opens them, ``teaching`` hands them out, ``marking`` marks what comes back, ``site`` prints them, ``translation`` keeps other
languages in step; ``address`` is where the book is published, if it is, ``anchors`` how links lead to sections, ``command`` is ``fairfl-book``; ``terminal`` and ``out`` are what it has in common with ``fairfl-reproduce``.
"""

from fairfl_book.reading import threads

threads.in_notebooks()  # when a chapter imports the book: VS Code, Colab and a plain Jupyter start kernels without asking us
