"""What a teacher takes along: notebooks without and with solutions, and one archive that needs no network.

In: the executed notebooks. Out: files under ``dist/``. ``exercises`` takes solutions out of a notebook or puts them in, ``kit`` writes
such notebooks, ``release`` packs the archive, ``command`` offers all that on the command line.
"""
