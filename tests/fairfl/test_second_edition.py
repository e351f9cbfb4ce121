"""What somebody made with the second edition goes on with this one."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from fairfl import History, LocalSGD, Server, attacks, partition, rules, train
from fairfl.data import Dataset
from fairfl.errors import Refused

# Written by the second edition's ``train`` after two of four rounds, with the settings below.
CHECKPOINT = Path(__file__).with_name("second_edition") / "checkpoint.pt"


def resumed(path, **change):
    inputs = (torch.arange(240) * 37 % 16).float().reshape(60, 4) / 8 - 1
    federation = partition.iid(Dataset(inputs, torch.arange(60) % 3, ("a", "b", "c")), 3, test=0.2)
    settings = dict(
        local=LocalSGD(lr=0.1, batch_size=8),
        server=Server(lr=0.5, optimiser="adam"),
        tamper=attacks.Bias(client=1, constant=0.01),
        checkpoint_every=1,
    )
    return train(federation, rules.FedMGDAPlus(epsilon=0.5), rounds=4, checkpoint=path, **settings | change)


def test_a_second_edition_checkpoint_resumes(tmp_path):
    kept = tmp_path / "checkpoint.pt"
    shutil.copy(CHECKPOINT, kept)
    history = resumed(kept)
    fresh = resumed(None)
    assert list(history.rounds) == list(fresh.rounds) == [0, 1, 2, 3, 4]
    assert np.isnan(history.rates[:2]).all() and np.allclose(history.rates[2:], fresh.rates[2:], rtol=1e-4)
    assert np.isnan(history.weights[:2]).all() and np.allclose(history.weights[2:], fresh.weights[2:], rtol=1e-4)
    assert torch.allclose(torch.as_tensor(history.loss), torch.as_tensor(fresh.loss), rtol=1e-5)
    assert torch.load(kept, weights_only=True)["settings"]["server"]["class"] == "fairfl.training:Server"


def test_a_second_edition_history_is_read(tmp_path):
    history = resumed(None)
    history.save(tmp_path / "h.npz")
    with np.load(tmp_path / "h.npz") as file:
        held = {name: file[name] for name in file.files if name not in ("weights", "rates")}
    held["plain"] = json.dumps({name: v for name, v in json.loads(str(held["plain"])).items() if name != "arrays"})
    np.savez(tmp_path / "old.npz", **held)
    old = History.load(tmp_path / "old.npz")
    assert old.weights is None and old.rates is None and (old.loss == history.loss).all()


def test_another_setting_is_still_refused_by_its_name(tmp_path):
    kept = tmp_path / "checkpoint.pt"
    shutil.copy(CHECKPOINT, kept)
    with pytest.raises(Refused) as refusal:
        resumed(kept, server=Server(lr=0.4, optimiser="adam"))
    assert "server.lr" in str(refusal.value) and "class" not in str(refusal.value)
