"""The book's machinery: labs, exercises, figures, tables and toy problems, and the tools that turn texts into notebooks, a site and class material.

Input: the texts under ``chapters/src`` and the package ``fairfl``, which never imports this one. Output: executed notebooks, the reader's copies
and answers, and the static site.

Chapters import ``labs``, ``exercises``, ``figures``, ``tables``, ``toy``, ``objective_plots``, ``selftest``, ``fault_injection``, ``companion`` and ``book_paths``. The
subpackage ``build`` executes and checks chapters, ``reading`` opens them, ``teaching`` prepares them for a class, ``marking`` marks submissions, ``misconceptions`` has the questions before and after a course, ``site`` builds the static
site, ``paper`` sets the book for print, and ``translation`` keeps other languages up to date. ``repository_address`` reads the published address, ``anchors`` makes links to sections, ``version_report`` says what a report of a mistake needs, and ``command`` is
``fairfl-book``, which shares ``terminal`` and ``output_option`` with ``fairfl-reproduce``.
"""

from fairfl_book.reading import threads

TITLE = "Fair federated learning as multi-objective optimisation"

threads.in_notebooks()  # here, because VS Code, Colab and a plain Jupyter start kernels without any code of the book
