"""Turn reviewed texts into executed notebooks, and check both.

Input: ``chapters/src/NN_name.md``. Output: ``chapters/NN_name.ipynb``, and messages that say what is wrong with it.

- Texts: ``frontmatter`` reads what a chapter promises, ``bibtex`` the bibliography; ``chapter_notebooks`` executes a text;
  ``notebook_checks`` and ``text_checks`` check it; ``figure_numbers`` knows numbered figures, and ``embedded_images`` the
  pictures in an output. ``prerequisites`` keeps the map in the teachers' page, and ``reading_time`` counts a chapter's minutes.
- JavaScript: ``node`` runs the labs outside a browser, ``lab_images`` draws their still images with it, ``dropout_data``
  writes the numbers of chapter 14's lab, and ``javascript_checks`` runs prettier and ESLint.
- Paper: ``note_pdf`` typesets and prints the note, ``print_html`` makes such pages of notebooks, and ``book_pdf`` prints the
  whole book, with the Chromium that ``chromium`` starts.

No chapter imports this subpackage.
"""
