"""From reviewed texts to executed notebooks, and what must be true of both.

In: ``chapters/src/NN_name.md``. Out: ``chapters/NN_name.ipynb``, and sentences that say what is wrong with it. ``frontmatter`` reads what a
chapter promises, ``references`` the one bibliography, ``twins`` executes, ``guards`` and ``prose`` check, ``numbered`` knows numbered figures,
``pictures`` finds what a figure says in words, ``prerequisites`` keeps the
map in the teachers' page, ``length`` counts the minutes that a chapter takes, ``node`` runs the labs' JavaScript, ``stills`` draws by it what
stands for a lab where no scripts run, ``offices`` writes the numbers of chapter 14's, ``paper`` typesets pages for paper and prints the note as a PDF,
``sheets`` makes such pages of notebooks and ``whole`` the book of them, by the Chromium that ``chromium`` starts. No chapter imports this room.
"""
