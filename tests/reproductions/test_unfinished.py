"""Checkpoints of killed batches are found by their own jobs, do not disturb others, and are cleared."""

import json

import own
import pytest

from fairfl.training import History
from reproductions import locks, runner, unfinished
from reproductions.jobs import select

quiet = lambda line: None


class Killed(BaseException):
    pass


@pytest.fixture(autouse=True)
def a_patch_is_no_edit(monkeypatch):
    """These tests patch a rule's method, and a checkpoint would take that for another rule."""
    monkeypatch.setattr("fairfl.training.code_fingerprint.own", lambda thing: False)


@pytest.fixture
def experiment(tmp_path):
    return own.small(tmp_path, own.TOML.replace("seeds = 2", "seeds = 5"))


def killed(monkeypatch, jobs, folder, *, round=3, **more):
    """Run ``jobs`` as one batch until it is killed in this ``round``."""
    real = own.First.weights

    def weights(self, gram, updates):
        if updates.round == round:
            raise Killed
        return real(self, gram, updates)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(own.First, "weights", weights)
        runner.run(jobs, folder, together="seeds", report=quiet, **more)


def groups(folder, jobs):
    return [[seed for _, seed in History.load(runner.where(folder, job)).settings["group"]] for job in jobs]


def rounds_trained(monkeypatch):
    seen, real = [], own.First.weights
    monkeypatch.setattr(
        own.First, "weights", lambda self, gram, updates: seen.append(updates.round) or real(self, gram, updates)
    )
    return seen


def test_a_batch_with_another_seed_is_another_batch(experiment, tmp_path, monkeypatch):
    killed(monkeypatch, select(experiment, ["First"], [0, 1, 2]), tmp_path)
    [left] = unfinished.left(tmp_path)
    assert left.checkpoint.exists()
    others = select(experiment, ["First"], [0, 1, 3])
    assert len(runner.run(others, tmp_path, together="seeds", report=quiet).written) == 3
    # Two of the killed batch's jobs are done in another batch, so that nobody can continue it.
    assert not unfinished.left(tmp_path) and not list((tmp_path / "unfinished").iterdir())
    runner.run(select(experiment, ["First"], [0, 1, 2]), tmp_path, together="seeds", report=quiet)
    assert groups(tmp_path, select(experiment, ["First"], [0, 1, 2, 3])) == [[0, 1, 3], [0, 1, 3], [2], [0, 1, 3]]


def test_a_killed_batch_continues_in_its_own_order(experiment, tmp_path, monkeypatch):
    killed(monkeypatch, select(experiment, ["First"], [0, 1, 2]), tmp_path)
    seen = rounds_trained(monkeypatch)
    runner.run(select(experiment, ["First"], [2, 1, 0]), tmp_path, together="seeds", report=quiet)
    assert min(seen) == 3 and groups(tmp_path, select(experiment, ["First"], [0, 1, 2])) == [[0, 1, 2]] * 3
    assert not list((tmp_path / "unfinished").iterdir())


def test_a_batch_killed_between_its_files_is_not_trained_again(experiment, tmp_path, monkeypatch):
    jobs, real, saved = select(experiment, ["First"], [0, 1, 2]), History.save, []

    def save(self, path):
        if len(saved) == 1:
            raise Killed
        saved.append(path)
        real(self, path)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(History, "save", save)
        runner.run(jobs, tmp_path, together="seeds", report=quiet)
    first = runner.where(tmp_path, jobs[0])
    assert saved == [first] and (before := first.read_bytes())
    seen = rounds_trained(monkeypatch)
    outcome = runner.run(jobs, tmp_path, together="seeds", report=quiet)
    assert not seen and outcome.written == [runner.where(tmp_path, job) for job in jobs[1:]]
    assert groups(tmp_path, jobs) == [[0, 1, 2]] * 3 and first.read_bytes() == before


def test_what_another_runner_is_training_is_not_swept_away(experiment, tmp_path, monkeypatch):
    jobs = select(experiment, ["First"], [0, 1, 2])
    killed(monkeypatch, jobs, tmp_path)
    [left] = unfinished.left(tmp_path)
    with locks.take(tmp_path / "locks", [jobs[2].key]):
        runner.run(jobs[:2], tmp_path, together="seeds", report=quiet)
        assert left.checkpoint.exists() and left.note.exists()
    runner.run(jobs[:2], tmp_path, together="seeds", report=quiet)  # which finds its own jobs finished
    assert not list((tmp_path / "unfinished").iterdir())


def test_half_written_files_of_a_killed_batch_are_cleared_away(experiment, tmp_path, monkeypatch):
    jobs = select(experiment, ["First"], [0, 1, 2])
    killed(monkeypatch, jobs, tmp_path)
    [left] = unfinished.left(tmp_path)
    strays = [
        left.checkpoint.with_name(f".{left.checkpoint.name}.a1b2.part"),
        tmp_path / f".{jobs[1].key}.npz.c3d4.part",
        left.note.with_name(f".{left.note.name}.e5f6.part"),
    ]
    stranger = tmp_path / ".0123456789ab.npz.g7h8.part"
    for path in (*strays, stranger):
        path.write_bytes(b"half of it")
    runner.run(jobs, tmp_path, together="seeds", report=quiet)
    assert not any(path.exists() for path in strays) and stranger.exists()


def test_a_name_follows_from_all_jobs_and_the_device(tmp_path):
    name = lambda keys, device="cpu": unfinished.Batch(tmp_path, tuple(keys), device).name
    assert name("abc") == name("cba")
    assert len({name("abc"), name("abd"), name("ab"), name("abcd"), name("abc", "cuda")}) == 5


def test_a_checkpoint_of_another_device_is_in_nobodys_way(tmp_path):
    batch = unfinished.Batch(tmp_path, ("a", "b"), "cuda")
    batch.begin()
    batch.checkpoint.write_bytes(b"")
    assert unfinished.killed(tmp_path, ["b", "a"], ["a", "b"], "cuda") == batch
    assert unfinished.killed(tmp_path, ["b", "a"], ["a", "b"], "cpu") is None
    assert unfinished.killed(tmp_path, ["a"], ["a", "b"], "cuda") is None
    batch.finish_training()
    assert json.loads(batch.note.read_text())["trained"]
    assert unfinished.killed(tmp_path, ["a"], ["a", "b"], "cuda").keys == ("a", "b")
    assert unfinished.killed(tmp_path, ["a"], ["a"], "cuda") is None  # b is another runner's
