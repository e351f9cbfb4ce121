"""Turn reviewed texts into executed notebooks, and check both.

Input: ``chapters/src/NN_name.md``. Output: ``chapters/NN_name.ipynb``, and messages that say what is wrong with it.

- Texts: ``frontmatter`` reads what a chapter promises, ``bibtex`` the bibliography; ``chapter_notebooks`` executes a text;
  ``notebook_checks`` and ``text_checks`` check it; ``figure_numbers`` checks the numbers of figures, ``formula_numbers`` lists those of formulas, ``embedded_images``
  finds the images in an output, and ``lab_cells`` the labs in a cell. ``prerequisites`` updates the map in the teachers' page, and ``reading_time`` estimates a chapter's minutes.
- JavaScript: ``node`` runs the labs outside a browser, ``lab_images`` draws their still images with it, ``dropout_data``
  writes the numbers of chapter 14's lab, and ``javascript_tools`` installs prettier, ESLint and axe-core,
  and ``javascript_checks`` runs the first two.
- The note: ``note_pdf`` typesets and prints it with the Chromium that ``chromium`` starts. (The whole book on paper is made
  by ``fairfl_book.paper``.)

No chapter imports this subpackage.
"""
