"""Open the book in JupyterLab, on the reader's own copies of the chapters.

Input: the executed notebooks. Output: ``work/`` with the reader's copies, and a running JupyterLab. ``copies`` updates copies without changing
what the reader wrote, ``copy_extras`` adds navigation links and signs them, and ``renames`` updates the imports in old copies. ``cover`` makes the cover page and
``shortest_path`` the shortest way. ``cloud_launch`` makes the cells that fetch the book on Colab and Kaggle. ``missing_setup`` explains a check that runs before the cells above it.
``server`` starts JupyterLab with the settings in ``jupyter/``, unless ``running_servers`` finds one; ``threads`` sets the number of threads.
"""
