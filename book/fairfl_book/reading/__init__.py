"""The reader's desk: copies of the chapters that keep answers, and JupyterLab opened on them.

In: the executed notebooks. Out: ``work/`` with the reader's own copies, and a running JupyterLab. ``copies`` brings new editions in
without touching what was written, ``renames`` brings the imports of old ones up to date, ``server`` starts JupyterLab with the settings in ``jupyter/``, on ``threads`` that suit the book.
"""
