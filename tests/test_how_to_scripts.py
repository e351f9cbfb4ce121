"""Every script of ``examples/how_to`` runs on the digits alone, and a number of what it computes is right."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip("pandas", reason="pandas is not installed (pip install -e '.[data]')")
pyplot = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed (pip install -e '.[chapters]')")

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "how_to"
TESTED_ELSEWHERE = {"token_language_model"}  # tests/fairfl/test_token_targets.py trains it on fewer rounds


def final(history):
    return history.accuracy[-1].mean()


def compare_rules(made, folder):
    short, sizes = made["short"], made["table"].groupby("seed")["test_size"].apply(tuple)
    assert short["runs"].tolist() == [3] * 6 and short["pairs"].tolist() == [0] + [3] * 5
    assert len(set(sizes)) == 3, "every seed has a split of its own"
    assert (short["mean"] > 0.8).all() and (folder / "compare_rules.png").exists()


def look_into_a_run(made, folder):
    assert made["updates"].gradients.shape == (6, 650) and made["history"].weights.shape == (8, 6)
    first = torch.linalg.vector_norm(made["updates"].gradients, dim=1)
    assert torch.allclose(made["lengths"][0], first) and len(made["lengths"]) == 8


def multi_task(made, folder):
    assert [loss.item() < bound for loss, bound in zip(made["losses"], (0.5, 0.05))] == [True, True]
    assert (made["direction"].rates >= -1e-9).all()
    decided = made["decided"]
    assert torch.allclose(made["gram"].double() @ decided.values, decided.rates)


def noise_and_compression(made, folder):
    results = made["results"]
    assert all(final(history) > 0.8 for histories in results.values() for history in histories)
    plain, noisy, _ = results.values()
    assert abs(plain[0].direction_norm - noisy[0].direction_norm).min() > 0.01


def own_local_training(made, folder):
    assert final(made["scheduled"]) > 0.8 and final(made["unequal"]) > 0.8


def own_metric(made, folder):
    metrics = made["history"].metrics
    assert {name: values.shape for name, values in metrics.items()} == {
        "equalised_odds": (11, 3),
        "validation_equalised_odds": (11, 3),
    }
    assert 0 <= np.nanmin(metrics["equalised_odds"]) < np.nanmax(metrics["equalised_odds"]) <= 1


def own_model(made, folder):
    assert final(made["history"]) > 0.6 and made["model"](torch.zeros(3, 64)).shape == (3, 10)


def own_rule(made, folder):
    assert final(made["history"]) > 0.8 and made["history"].participants.shape == (10, 5)


def own_sampling(made, folder):
    assert made["by_size"].participants.shape == (6, 5)
    for t, drawn in enumerate(made["history"].participants):
        assert set(drawn[drawn >= 0] // 10) == {t % 2}


def personal_models(made, folder):
    personal = made["personal"]
    assert final(personal) > final(made["common"]) + 0.05
    outputs, targets = made["outputs"], made["federation"].dataset.targets[made["rows"]]
    assert (outputs.argmax(1) == targets).double().mean() == pytest.approx(personal.accuracy[-1, 3])


def real_federation(made, folder):
    assert np.array_equal(made["coordinator"].reported, made["simulated"].parameters)
    assert all(len(record.clients) == 3 for record in made["coordinator"].log)


def recorded_table(made, folder):
    assert made["table"].loc["FedAvg", ("mean", "mean")] == pytest.approx(80.2, abs=0.5)
    assert (folder / "recorded_table.png").exists()


def resume(made, folder):
    assert made["resumed"].rounds[-1] == 10 and made["extended"].rounds[-1] == 15
    assert np.array_equal(made["extended"].parameters, made["uninterrupted"].parameters)


def stop_early(made, folder):
    history, best = made["history"], made["best"]
    worst = history.validation_accuracy.min(1)
    assert history.rounds[-1] < 100 and best.score == worst[1:].max() == worst[best.round + 1]
    federation = made["federation"]
    inputs, targets = federation.dataset.inputs, federation.dataset.targets
    right = [(made["model"](inputs[rows]).argmax(1) == targets[rows]).double().mean() for rows in federation.test]
    assert np.allclose(right, history.accuracy[best.round + 1])


FACTS = {fact.__name__: fact for fact in (
    compare_rules, look_into_a_run, multi_task, noise_and_compression, own_local_training, own_metric, own_model,
    own_rule, own_sampling, personal_models, real_federation, recorded_table, resume, stop_early,
)}  # fmt: skip


def test_every_script_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(FACTS) | TESTED_ELSEWHERE


@pytest.mark.parametrize("name", FACTS)
def test_the_script_runs_and_computes_what_it_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FAIRFL_DATA", raising=False)
    pyplot.switch_backend("agg")
    made = runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    pyplot.close("all")
    FACTS[name](made, tmp_path)
