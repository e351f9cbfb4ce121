"""What a teacher takes along: notebooks without and with solutions, and one archive that needs no network.

In: the executed notebooks and ``book/solutions``. Out: files under ``dist/``. ``exercises`` empties a notebook or solves its exercises, ``kit``
writes such notebooks, ``release`` packs the archive, with solutions or without, ``wheels`` fetches what it needs to install without a network, and ``command`` offers all that on the command line.
"""
