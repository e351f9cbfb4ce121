"""Material for teachers: notebooks with and without solutions, slides, and an archive for use without a network.

Input: the executed notebooks, ``book/solutions`` and the glossary. Output: files under ``dist/``. ``exercise_notebooks`` clears a notebook or fills in its solutions, ``class_notebooks``
writes such notebooks to a folder, ``slides`` makes a deck per chapter, ``anki_cards`` makes cards for spaced review from the glossary, ``release`` packs the archive, with solutions or without, ``wheels`` downloads the packages for an offline installation, and ``command`` is the command line.
"""
