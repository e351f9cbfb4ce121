"""The reader's desk: copies of the chapters that keep answers, a cover page, and JupyterLab opened on them.

In: the executed notebooks. Out: ``work/`` with the reader's own copies, and a running JupyterLab. ``copies`` brings new editions in
without touching what was written, ``dress`` gives each its links and its seal of trust, ``launch`` what fetches the book on Colab and Kaggle, ``cover`` makes the map and tells the ``shortest`` way, ``renames`` brings the imports of old
copies up to date, ``cold`` says in words what a check lacks that runs before the cells above it, ``server`` starts JupyterLab with the settings in ``jupyter/``, unless ``running`` finds one; ``threads`` says how many suit the book.
"""
