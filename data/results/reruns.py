"""Rerun one row of every recorded table on this machine: adds lines to reruns.csv next to this file.

One line per table: the row and the seeds that were trained again; the processor in the record ("" if an early record does not say) and this
one; how many numbers were compared, how many differ, and the largest difference (in the numbers' own units, mostly points); how many
published cells were judged with the new numbers, and how many verdicts changed.

Where a row takes more than ten minutes of a processor, only one or two seeds are trained again, and replace the recorded ones of the same
seed. Adult's rows trained in batches of 60 and 90; here a row's seeds train alone (``batch`` is "own"), so digits may differ on any machine.
Existing lines for this processor are not repeated. The environment variable ``RUNS`` names a folder for the runs, so that an interrupted
run can be continued. Arguments select tables.
"""

import csv
import os
import sys
import time
from pathlib import Path

import torch

from fairfl.errors import Refused
from reproductions import catalogue, provenance, reruns, result_folders, results

ROWS = {
    "fedfv_table_3_logged": ("FedFA", None),
    "fedfv_table_3": ("FedMGDA+, ε = 1.0", None),
    "fedfv_table_4_fashion_mnist": ("FedFV, ascending", None),
    "fedfv_table_4_fashion_mnist_logged": ("FedFV, random", None),
    "fedmgda_table_7_leads": ("q-FedAvg q = 0.1, L = 1, bias 0", [0]),
    "adafed_table_12_logged": ("AdaFed, γ = 1", None),
    "adafed_table_7_logged": ("AdaFed, γ = 1", None),
    "dqn_fed_table_9": ("DQN-Fed, server step 0.1", None),
    "adafed_table_7": ("FedMGDA+, ε = 0.5", None),
    "adafed_table_12_unit_rows": ("AdaFed, γ = 5", None),
    "adafed_table_1_setup_1": ("FedAvg", None),
    "dqn_fed_table_1_setup_1": ("FedAvg", None),
    "adafed_table_12": ("AdaFed, γ = 0.01", None),
    "adafed_table_10_setup_1": ("AdaFed, γ = 5", None),
    "fedfv_table_2": ("FedMGDA+, ε = 0.01", None),
    "dqn_fed_table_9_capped": ("DQN-Fed, capped", [0, 1]),
    "dqn_fed_table_9_losses": ("DQN-Fed, server step 0.1", [0]),
    "fedfv_table_2_dealt_per_seed": ("q-FedAvg, q = 1.0", None),
    "fedfv_table_2_dealt_once": ("FedAvg", [0]),
    "fedfv_table_2_one_softmax_dealt_per_seed": ("FedAvg", [0]),
    "fedfv_table_4_cifar10": ("FedFV, reversed", None),
    "fedfv_table_4_cifar10_dealt_per_seed": ("FedFV, reversed", [0]),
    "fedmgda_table_7": ("q-FedAvg q = 5, bias 0", None),
    "fedmgda_table_7_mean_losses": ("q-FedAvg q = 5, bias 0", None),
}
OWN_BATCH = ("fedmgda_table_7", "fedmgda_table_7_mean_losses", "fedmgda_table_7_leads")
COLUMNS = ["table", "row", "seeds", "batch", "recorded_on", "rerun_on", "compared", "differ", "largest", "cells", "verdicts_changed", "torch", "date"]  # fmt: skip


def main() -> int:
    records = result_folders.find(Path(__file__))
    out, here = Path(__file__).with_suffix(".csv"), _named(provenance.processor())
    for name in sys.argv[1:] or ROWS:
        row, seeds = ROWS[name]
        if any((line["table"], line["row"], line["rerun_on"]) == (name, row, here) for line in _done(out)):
            continue
        experiment = catalogue.load(name)
        origin = results.provenance(experiment, records.results)
        keys = [line["key"] for line in results.load(experiment, records.results) if line["row"] == row]
        was = {_named(origin[key]["processor"]) if "processor" in origin[key] else "" for key in keys}
        was |= {"NVIDIA card" for key in keys if origin[key]["machine"]["device"] != "cpu"}
        runs = Path(os.environ["RUNS"]) if "RUNS" in os.environ else None
        together = "seeds" if name in OWN_BATCH else None
        try:
            again = reruns.again(
                experiment, row, records.results, seeds=seeds, runs=runs, papers=records.papers, together=together
            )
        except Refused as error:
            print(f"{name}, {row}: {error}", file=sys.stderr)
            continue
        print(name, row, *again.differences[:3], *again.verdicts, sep="\n  ")
        done = _done(out)  # read again, because another process may have added lines
        done.append(
            {
                "table": name,
                "row": row,
                "seeds": again.seeds,
                "batch": "own" if together else "recorded",
                "recorded_on": "; ".join(sorted(was)),
                "rerun_on": here,
            }
            | {"compared": again.compared, "differ": len(again.differences), "largest": f"{again.largest:.4f}"}
            | {"cells": again.cells, "verdicts_changed": len(again.verdicts), "torch": torch.__version__}
            | {"date": time.strftime("%Y-%m-%d")}
        )
        with out.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(sorted(done, key=lambda line: (line["table"], line["rerun_on"])))
    return 0


def _done(out: Path) -> list[dict]:
    return list(csv.DictReader(out.open(encoding="utf-8"))) if out.exists() else []


def _named(processor: dict) -> str:
    return f"{processor['model']}, {processor['capability']}, {processor['torch_blas']}"


if __name__ == "__main__":
    sys.exit(main())
