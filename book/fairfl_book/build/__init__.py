"""From reviewed texts to executed notebooks, and what must be true of both.

In: ``chapters/src/NN_name.md``. Out: ``chapters/NN_name.ipynb``, and sentences that say what is wrong with it. ``frontmatter`` reads what a
chapter promises, ``references`` the one bibliography, ``twins`` executes, ``guards`` and ``prose`` check, ``pictures`` finds what a figure says in words, ``prerequisites`` keeps the
map in the teachers' page, ``node`` runs the labs' JavaScript, and ``stills`` draws by it what stands for a lab where no scripts run. No
chapter imports this room.
"""
