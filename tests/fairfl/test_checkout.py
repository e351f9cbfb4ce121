"""A command finds the enclosing clone from any of its folders."""

from pathlib import Path

from refusals import refused

from fairfl import _repository


def test_the_nearest_clone_counts_and_the_installed_one_is_the_last_resort(tmp_path, monkeypatch):
    (tmp_path / "clone" / "data" / "papers").mkdir(parents=True)
    inside = tmp_path / "clone" / "chapters" / "work"
    inside.mkdir(parents=True)
    assert _repository.around(inside, "data/papers") == tmp_path / "clone"
    monkeypatch.chdir(inside)
    assert _repository.around(None, "data/papers") == tmp_path / "clone"
    assert _repository.around(tmp_path, "data/papers") == Path(_repository.__file__).resolve().parents[1]


def test_outside_of_any_clone_it_says_what_it_looked_for(tmp_path):
    with refused("missing", tmp_path, "chapters/nowhere"):
        _repository.around(tmp_path, "chapters/nowhere")
