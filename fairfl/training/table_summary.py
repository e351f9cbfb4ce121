"""``summary``: the table of a ``sweep``, condensed over clients and seeds, as a paper prints it."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from fairfl import metrics
from fairfl._extras import needed_by
from fairfl._validation import number
from fairfl.errors import Refused, refuse, unknown

if TYPE_CHECKING:
    import pandas

FACTORS = ("rule", "local", "server", "tamper")
STATISTICS = ("mean", "std", "worst")


def summary(
    table: "pandas.DataFrame",
    measure: str | None = None,
    *,
    reference: Hashable | None = None,
    percent: float = 10,
    confidence: float = 0.95,
    larger_is_better: bool | None = None,
) -> "pandas.DataFrame":
    """Mean and standard deviation over the seeds of a ``sweep``: a row per rule, ``local``, ``server`` and ``tamper``.

    >>> from fairfl import data, partition, sweep
    >>> from fairfl.training import summary
    >>> dataset = data.load("digits")
    >>> split = lambda seed: partition.dirichlet(dataset, 5, 0.5, seed=seed)
    >>> table = sweep(split, rules=["FedAvg", "FedMGDA"], seeds=[0, 1, 2], rounds=3)
    >>> short = summary(table, reference="FedAvg")
    >>> short[["rule", "runs", "mean_difference"]].shape, short["pairs"].tolist()
    ((2, 3), [0, 3])

    ``measure``: the column to condense, "accuracy" by default, or "loss" in regression. Each run first becomes three
    numbers: ``mean``, the mean over its clients; ``std``, their population standard deviation; ``worst``, the mean over
    the ``percent`` % of clients (rounded up) with the worst values. Clients count equally, and those whose value is NaN
    are left out. ``larger_is_better`` says which values are the worst; it is known for accuracies and losses.

    Columns, in the unit of ``measure`` (accuracies from 0 to 1):

    - ``rule``; and ``local``, ``server``, ``tamper`` if the table has them.
    - ``runs``: the number of seeds that count; ``diverged``: the number of seeds that do not, because the run diverged.
    - ``mean``, ``std``, ``worst``: the means of the three numbers over these seeds; ``mean_sd``, ``std_sd``,
      ``worst_sd``: their sample standard deviations (divide by seeds − 1), NaN for a single seed.
    - With ``reference``, the label of a rule: ``pairs``, the number of seeds that count for both rules, under equal
      ``local``, ``server`` and ``tamper``; ``mean_difference``, ``worst_difference``: the mean over these seeds of the
      difference, this rule minus the reference; ``mean_low``, ``mean_high``, ``worst_low``, ``worst_high``: its
      ``confidence`` interval by the paired t-test, NaN for fewer than two pairs. No correction is made for several
      rules. The reference's own rows have no differences.

    With one split for all seeds, the spread is that of initial weights and sampling; for the spread over splits, give
    ``sweep`` a function from the seed to the split.

    Raises ``Refused`` for a table without these columns, or with a client twice in a run, for an unknown measure or
    reference, and for an own metric without ``larger_is_better``; ``NotInstalled`` without pandas.
    """
    with needed_by("summary"):
        import pandas
    if not isinstance(table, pandas.DataFrame):
        raise refuse("table", type(table).__name__, "a DataFrame", "Pass what sweep returned.", "type")
    factors = [name for name in FACTORS if name in table]
    for name in ("rule", "seed", "client"):
        if name not in table:
            raise Refused(f"table has no column {name!r}; pass what sweep returned", "missing")
    measure = measure or ("accuracy" if "accuracy" in table else "loss")
    measures = [name for name in table if pandas.api.types.is_float_dtype(table[name])]
    if measure not in measures:
        raise unknown(
            "measure", measure, map(str, measures), "These are the columns of the table that can be averaged."
        )
    if reference is not None and reference not in set(table["rule"]):
        raise unknown("reference", reference, map(str, table["rule"].unique()), "It is the label of a rule.")
    number("percent", percent, 0, 100, "With 10, it is the worst tenth of the clients.", above=True)
    number("confidence", confidence, 0, 1, "With 0.95, it is the 95 % interval.", above=True, below=True)
    if table.duplicated([*factors, "seed", "client"]).any():
        remedy = "If you joined two sweeps, tell their rows apart by different rule labels."
        raise refuse("table", "one with a client twice in a run", "one row per run and client", remedy)
    worst = metrics.worst if _larger(measure, larger_is_better) else metrics.best

    def of_run(part: "pandas.DataFrame") -> dict[str, Any]:
        # pandas reads "" from a file as NaN.
        diverged = "diverged" in part and bool((part["diverged"].notna() & (part["diverged"] != "")).any())
        values = part[measure].dropna().to_numpy(float)
        if diverged or len(values) == 0:
            return {"diverged": diverged} | dict.fromkeys(STATISTICS, np.nan)
        numbers = (metrics.mean(values), metrics.std(values), worst(values, percent))
        return {"diverged": False} | dict(zip(STATISTICS, map(float, numbers)))

    keys = [*factors, "seed"]
    groups = table.groupby(keys, sort=False, dropna=False)
    runs = pandas.DataFrame([dict(zip(keys, key)) | of_run(part) for key, part in groups])
    rows = []
    for key, part in runs.groupby(factors, sort=False, dropna=False):
        row: dict[str, Any] = dict(zip(factors, key))
        row |= {"runs": int(part["mean"].notna().sum()), "diverged": int(part["diverged"].sum())}
        for name in STATISTICS:
            row |= {name: part[name].mean(), f"{name}_sd": part[name].std()}
        if reference is not None:
            others = runs[runs["rule"] == reference]
            for name in factors[1:]:
                others = others[others[name] == row[name]]
            row |= _differences(part, others if row["rule"] != reference else others[:0], confidence)
        rows.append(row)
    return pandas.DataFrame(rows)


def _larger(measure: str, given: bool | None) -> bool:
    """Whether larger values of ``measure`` are better."""
    if given is not None:
        return bool(given)
    if (what := measure.removeprefix("train_").removeprefix("validation_")) in ("accuracy", "loss"):
        return what == "accuracy"
    raise Refused(
        f"larger_is_better is None, and {measure!r} is a metric of your own; pass larger_is_better=True or False, so "
        f"that it is known who is worst",
        "missing",
    )


def _differences(part: "pandas.DataFrame", others: "pandas.DataFrame", confidence: float) -> dict[str, Any]:
    """The columns that compare the runs of one rule with those of the reference, seed by seed."""
    from scipy import stats

    out: dict[str, Any] = {}
    for name in ("mean", "worst"):
        paired = (part.set_index("seed")[name] - others.set_index("seed")[name]).dropna().to_numpy(float)
        count, centre, reach = len(paired), np.nan, np.nan
        if count:
            centre = float(paired.mean())
        if count > 1:
            # As ttest_rel(...).confidence_interval(), which warns if all differences are equal.
            reach = float(stats.t.ppf((1 + confidence) / 2, count - 1) * stats.sem(paired))
        out |= {"pairs": count, f"{name}_difference": centre, f"{name}_low": centre - reach}
        out[f"{name}_high"] = centre + reach
    return out
