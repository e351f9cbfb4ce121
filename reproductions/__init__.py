"""The papers' tables, declared and rerun: the runner, the ledger, and readers of what was recorded.

In: declarations (``tables/*.toml``), published numbers (``data/papers``), the package ``fairfl``, which never imports this one. Out: one
file a job in ``runs/``, compiled tables in ``data/results``, verdicts. ``catalogue`` reads declarations, ``jobs`` and ``runner`` train
them, ``results`` compiles, ``report`` and ``ledger`` compare cells, ``agreement`` whole tables,
``claim``, ``effects`` and ``judgement`` judge what papers claim of them (``claims/*.toml``); ``load("fedfv_table_2_logged")`` answers a
DataFrame of its runs (``frame``); ``command`` is ``fairfl-reproduce``, behind ``make reproduce``.
"""

from reproductions.dataframe import load as load
