"""One row of every recorded table once more, on this machine: adds to reruns.csv beside itself.

A line a table: the row and the seeds that were trained again, the processor in the record ("" where an early record does not say) and
this one, how many of its numbers were compared, how many differ and by how much at most (in the numbers' own units, points for most), how
many published cells were judged with the new numbers, and how many verdicts changed. Where a row takes more than ten minutes of a
processor, one seed or two are trained again and stand for theirs among the recorded ones. Adult's rows trained in batches of 60 and 90; here a
row's seeds train alone (``batch`` is "own"), so that digits may differ on any machine. What is there for this processor is not done
again; ``RUNS`` names a folder for the runs, so that a stopped one continues, and arguments name the tables to do.
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
    "fedfv_table_2_logged": ("q-FedAvg, q = 1.0", None),
    "fedfv_table_2_dealt_once": ("FedAvg", [0]),
    "fedfv_table_2_one_softmax": ("FedAvg", [0]),
    "fedfv_table_4_cifar10": ("FedFV, reversed", None),
    "fedfv_table_4_cifar10_logged": ("FedFV, reversed", [0]),
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
        told = results.provenance(experiment, records.results)
        keys = [line["key"] for line in results.load(experiment, records.results) if line["row"] == row]
        was = {_named(told[key]["processor"]) if "processor" in told[key] else "" for key in keys}
        was |= {"NVIDIA card" for key in keys if told[key]["machine"]["device"] != "cpu"}
        runs = Path(os.environ["RUNS"]) if "RUNS" in os.environ else None
        together = "seeds" if name in OWN_BATCH else None
        try:
            said = reruns.again(
                experiment, row, records.results, seeds=seeds, runs=runs, papers=records.papers, together=together
            )
        except Refused as error:
            print(f"{name}, {row}: {error}", file=sys.stderr)
            continue
        print(name, row, *said.differences[:3], *said.verdicts, sep="\n  ")
        done = _done(out)  # another process may have added to it
        done.append(
            {
                "table": name,
                "row": row,
                "seeds": said.seeds,
                "batch": "own" if together else "recorded",
                "recorded_on": "; ".join(sorted(was)),
                "rerun_on": here,
            }
            | {"compared": said.compared, "differ": len(said.differences), "largest": f"{said.largest:.4f}"}
            | {"cells": said.cells, "verdicts_changed": len(said.verdicts), "torch": torch.__version__}
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
