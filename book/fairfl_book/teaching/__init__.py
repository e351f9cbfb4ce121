"""Material for teachers: notebooks with and without solutions, slides, and an archive for use without a network.

Input: the executed notebooks and ``book/solutions``. Output: files under ``dist/``. ``exercise_notebooks`` clears a notebook or fills in its solutions, ``class_notebooks``
writes such notebooks to a folder, ``slides`` makes a deck per chapter, ``release`` packs the archive, with solutions or without, ``wheels`` downloads the packages for an offline installation, and ``command`` is the command line.
"""
