"""The papers' tables, declared and rerun: the runner, the recorded results, and the verdicts on them.

Inputs are declarations (``tables/*.toml``, ``claims/*.toml``), the published numbers (``data/papers``), and the package
``fairfl``, which never imports this one. Outputs are one file per job in ``runs/``, compiled tables in ``data/results``, and verdicts.

``catalogue`` reads declarations, ``jobs`` and ``runner`` train them, and ``results`` compiles the tables. ``report`` and ``ledger``
judge cells, ``agreement`` and ``contrasts`` whole tables; ``paper_claim``, ``effects`` and ``claim_verdict`` judge what the papers claim.
``load("fedfv_table_3_logged")`` returns the runs of a table as a DataFrame (``dataframe``). ``command`` is ``fairfl-reproduce``,
which ``make reproduce`` calls.
"""

from reproductions.dataframe import load

__all__ = ["load"]
