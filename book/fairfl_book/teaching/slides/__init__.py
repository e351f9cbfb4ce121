"""A deck of slides per chapter, for the teacher: from the stored notebook, without running anything.

``passages`` reads a notebook into sections of words, formulas, pictures, results, theorems and turns, ``deck`` decides what stands on which slide, ``page`` makes one
HTML file that needs no network, and ``files`` writes it, and prints it as a PDF where there is a Chromium.
"""
