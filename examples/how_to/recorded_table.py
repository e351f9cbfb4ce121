"""How do I redraw a recorded table of the papers, or compare my rule with its runs?

`reproductions.load(name)` gives the recorded runs as a DataFrame with one line for each row, seed and client. `fairfl-reproduce run` without a name lists them.
"""

import matplotlib.pyplot as plt

import reproductions

runs = reproductions.load("fedfv_table_3_logged")
print(runs.drop(columns="settings").head())
per_run = runs.groupby(["row", "seed"])["accuracy"].agg(["mean", "std", "min"])
table = per_run.groupby("row").agg(["mean", "std"]).round(2)
print(table)
table["mean", "mean"].sort_values().plot.barh(xerr=table["mean", "std"], xlabel="mean accuracy, %")
plt.savefig("recorded_table.png", bbox_inches="tight")
