"""The record of solved exercises is kept next to the reader's copies, and nowhere else."""

import json
from pathlib import Path

import pytest
from fairfl_book.exercises import begin, chapters, check, progress, registry
from fairfl_book.exercises.registry import WORDS, chapter_of, of_chapter
from fairfl_book.reading import copies
from refusals import refused


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A reader's folder, and the working directory of a notebook in it."""
    (tmp_path / copies.RECORD).write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_right_answer_is_recorded_in_the_readers_folder(reader, capsys):
    check("mgda.common_rate", 0.3)
    assert not (reader / progress.FILE).exists()
    check("mgda.common_rate", 3 / 7)
    assert list(json.loads((reader / progress.FILE).read_text())) == ["mgda.common_rate"]
    assert "1 of 5" in capsys.readouterr().out
    begin(4)
    begun = capsys.readouterr().out
    assert begun.startswith("1 of 5")
    begin(5)
    fresh = capsys.readouterr().out
    assert fresh.startswith("0 of 5") and fresh != begun.replace("1 of 5", "0 of 5"), '"so far" once it is begun'


def test_elsewhere_nothing_is_written_or_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check("mgda.common_rate", 3 / 7)
    begin(4)
    assert list(tmp_path.iterdir()) == [] and "exercises" not in capsys.readouterr().out


@pytest.mark.parametrize("content", ["{", "[1]", '"a"'])
def test_a_damaged_record_counts_as_empty(reader, content):
    (reader / progress.FILE).write_text(content)
    assert progress.solved() == {}
    check("mgda.common_rate", 3 / 7)
    assert list(progress.solved()) == ["mgda.common_rate"]


def test_in_a_read_only_folder_the_verdict_is_still_shown(reader, monkeypatch, capsys):
    def full(*given):
        raise OSError("disk full")

    monkeypatch.setattr(progress._atomic_files, "write", full)
    check("mgda.common_rate", 3 / 7)
    assert "✓" in capsys.readouterr().out


def test_every_exercise_belongs_to_the_chapter_whose_module_holds_it():
    for number in range(len(WORDS)):
        # a chapter with many exercises has two files: ch08, ch08_walls
        modules = Path(chapters.__path__[0]).glob(f"ch{number:02d}*.py")
        text = "".join(module.read_text(encoding="utf-8") for module in modules)
        for slug in of_chapter(number):
            assert f'"{slug}"' in text
    assert sum(len(of_chapter(number)) for number in range(len(WORDS))) == len(registry())
    with refused("name", "'nothing'"):
        chapter_of("nothing.here")
