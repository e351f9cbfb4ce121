"""Rerunning a row on a card from inside a notebook, with the processor in place of the card."""

import own
import torch
from refusals import refused

from reproductions import rerun_row, results, runner
from reproductions.jobs import select


def test_without_a_card_it_says_so_in_a_line(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    text = rerun_row.on_cuda("fedfv_table_3_logged", "FedAvg")
    assert text.startswith("No CUDA card here") and "\n" not in text
    with refused("name", "FedAvgg"):
        rerun_row.on_cuda("fedfv_table_3_logged", "FedAvgg")


def test_with_one_it_trains_and_sets_the_record_beside(tmp_path, monkeypatch):
    experiment = own.small(tmp_path, own.TOML)
    runner.run(select(experiment), tmp_path / "runs", report=lambda line: None)
    results.compile(experiment, tmp_path / "runs", tmp_path / "results")
    monkeypatch.setattr(rerun_row.catalogue, "load", lambda name: experiment)
    monkeypatch.setattr(
        rerun_row.result_folders, "find", lambda: type("Records", (), {"results": tmp_path / "results"})
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a card")
    real = runner.run
    monkeypatch.setattr(
        rerun_row.runner, "run", lambda jobs, folder, device, report: real(jobs, folder, device="cpu", report=report)
    )
    lines = rerun_row.on_cuda("small", "First", seeds=2).splitlines()
    line = next(line for line in results.load(experiment, tmp_path / "results") if line["row"] == "First")
    assert len(lines) == 3 and lines[0].startswith("a card") and f"({line['mean_accuracy']:.2f} recorded)" in lines[1]
