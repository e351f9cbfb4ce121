"""Records are never lost: after kills between any two writes, changed declarations, and with records of other versions."""

import json
import shutil

import numpy as np
import own
import pytest
from refusals import refused

from fairfl import _atomic_files
from fairfl.training import History
from reproductions import catalogue, ledger, locks, measures, report, result_folders, results, runner, terminal_report
from reproductions.command import main
from reproductions.jobs import select

quiet = lambda line: None


class Killed(BaseException):
    pass


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The small table's six jobs: two in ``old`` and compiled into ``recorded``, four more in ``new``; all six compiled into ``whole``."""
    place = tmp_path_factory.mktemp("trained")
    experiment = own.small(place)
    runner.run(select(experiment, ["FedAvg"]), place / "old", report=quiet)
    runner.run(select(experiment, ["FedFV, a third", "First"]), place / "new", report=quiet)
    for folder in ("recorded", "whole"):
        results.compile(experiment, place / "old", place / folder)
    results.compile(experiment, place / "new", place / "whole")
    return experiment, place


@pytest.fixture
def half_recorded(trained, tmp_path):
    """The small table and what ``whole`` holds, with all of ``trained``'s folders in ``tmp_path``."""
    experiment, place = trained
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    return experiment, files(tmp_path / "whole")


# The journal, then the four files: killed before each is written, with half of it in its temporary file, and after it.
@pytest.mark.parametrize("moment", ["before", "half", "after"])
@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize("runs_kept", [True, False])
def test_a_report_killed_at_any_write_is_made_good_by_the_next(
    half_recorded, tmp_path, monkeypatch, n, moment, runs_kept
):
    experiment, whole = half_recorded
    recorded, written = tmp_path / "recorded", []
    before = results.load(experiment, recorded)
    real = _atomic_files.write

    def write(path, content):
        if len(written) == n and moment != "after":
            if moment == "half":
                (path.parent / f".{path.name}.a1b2c3.part").write_bytes(content[: len(content) // 2])
            raise Killed
        real(path, content)
        written.append(path.name)
        if len(written) == n + 1:
            raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(_atomic_files, "write", write)
        results.compile(experiment, tmp_path / "new", recorded)
    # Until the next report, what was recorded can be read, and each line finds where it comes from.
    read = results.load(experiment, recorded)
    assert [line for line in read if line in before] == before
    assert {line["key"] for line in read} <= set(results.provenance(experiment, recorded))
    # Where the new runs are gone as well, what the journal had is kept, and at the least what was there before.
    results.compile(experiment, tmp_path / ("new" if runs_kept else "nothing"), recorded)
    if runs_kept or n > 0 or moment == "after":
        assert files(recorded) == whole
    else:
        assert results.load(experiment, recorded) == before


def test_lines_that_came_in_meanwhile_outlive_a_journal(half_recorded, tmp_path, monkeypatch):
    experiment, whole = half_recorded
    recorded, real = tmp_path / "recorded", _atomic_files.write

    def write(path, content):
        real(path, content)
        if path.suffix == ".journal":
            raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(_atomic_files, "write", write)
        results.compile(experiment, tmp_path / "old", recorded)
    journal = next(recorded.glob("*.journal")).read_bytes()
    for name, content in whole.items():  # as another's commit would bring them
        (recorded / name).write_bytes(content)
    assert next(recorded.glob("*.journal")).read_bytes() == journal
    results.compile(experiment, tmp_path / "nothing", recorded)
    assert files(recorded) == whole


def test_a_line_of_an_earlier_declaration_stays_marked_and_is_judged_no_more(half_recorded, tmp_path):
    experiment, whole = half_recorded
    recorded = tmp_path / "whole"
    other = own.small(tmp_path, own.TOML.replace('alpha = "1/3"', 'alpha = "1/2"'))
    # Before anything is compiled: found by its key, the line does not pass for one of the new declaration.
    assert [line["row"] for line in results.load(other, recorded)] == ["FedAvg"] * 2 + ["First"] * 2
    assert [line["row"] for line in results.earlier(other, recorded)] == ["FedFV, a third"] * 2
    runner.run(select(other, ["FedFV, a third"]), tmp_path / "later", report=quiet)
    results.compile(other, tmp_path / "later", recorded)
    lines, before = results.load(other, recorded), results.earlier(other, recorded)
    assert [line["row"] for line in lines] == ["FedAvg"] * 2 + ["FedFV, a third"] * 2 + ["First"] * 2
    old = [line for line in results.load(experiment, recorded) if line["row"].startswith("FedFV")]
    assert before and [line["key"] for line in before] == [line["key"] for line in old]
    assert all(line["row"] == f"FedFV, a third [earlier declaration, {line['key']}]" for line in before)
    assert {line["key"] for line in lines + before} == set(results.provenance(other, recorded))
    clients = (recorded / "small.clients.csv").read_text().splitlines()
    assert len(clients) == 1 + 8 * 5 and sum("earlier declaration" in line for line in clients) == 2 * 5
    text = report.render(other, lines, result_folders.find().papers, earlier=len(before))
    assert "Recorded under an earlier declaration, kept in small.csv and not judged: 2 runs." in text
    # Declared as before, the old lines are the row's again, number for number, and the newer ones are the earlier ones.
    results.compile(experiment, tmp_path / "old", recorded)
    assert results.load(experiment, recorded) == [
        results._numbers(line) for line in results._read(whole["small.csv"].decode())
    ]
    assert len(results.earlier(experiment, recorded)) == 2


def test_a_renamed_row_keeps_its_runs(half_recorded, tmp_path):
    renamed = own.small(tmp_path, own.TOML.replace('label = "First"', 'label = "The first"'))
    assert [line["row"] for line in results.load(renamed, tmp_path / "whole")][-2:] == ["The first"] * 2
    results.compile(renamed, tmp_path / "old", tmp_path / "whole")
    assert not results.earlier(renamed, tmp_path / "whole")
    assert (tmp_path / "whole" / "small.curves.csv").read_text().count("The first,") == 2 * 7


def test_records_of_other_versions_are_read(half_recorded, tmp_path):
    experiment, _ = half_recorded
    path = tmp_path / "recorded" / "small.json"
    told = json.loads(path.read_text())
    first, second = told["jobs"]
    del told["jobs"][first], told["jobs"][second]["processor"]
    told["jobs"][second]["weather"] = "fair"
    told["jobs"]["0123456789ab"] = {"job": {"seed": 7}}
    path.write_text(json.dumps(told))
    results.compile(experiment, tmp_path / "new", tmp_path / "recorded")
    assert len(results.load(experiment, tmp_path / "recorded")) == 6
    now = results.provenance(experiment, tmp_path / "recorded")
    assert first not in now and now[second]["weather"] == "fair" and "processor" not in now[second]
    assert all("processor" in now[job.key] for job in select(experiment, ["First"]))


def test_a_column_declared_later_is_empty_for_earlier_runs(half_recorded, tmp_path):
    text = own.TOML.replace('mean_accuracy = "mean"', 'mean_accuracy = "mean"\naccuracy_tshirt = "client 1"')
    wider = own.small(tmp_path, text)
    for compiled in (False, True):
        if compiled:
            runner.run(select(wider, ["FedAvg"]), tmp_path / "old", report=quiet)
            results.compile(wider, tmp_path / "old", tmp_path / "whole")
        lines = results.load(wider, tmp_path / "whole")
        verdicts = {
            (c.row, c.metric): c.equivalence.word for c in report.cells(wider, lines, result_folders.find().papers)
        }
        assert verdicts["FedFV, a third", "accuracy_tshirt"] == "not run"
        assert report.paired(wider, lines)
    assert verdicts["FedAvg", "accuracy_tshirt"] != "not run"


@pytest.mark.parametrize("holds", ["another job's run", "a run of train"])
def test_a_file_by_a_jobs_name_that_holds_another_run_leaves_the_record_alone(half_recorded, tmp_path, holds):
    experiment, _ = half_recorded
    jobs, before = select(experiment, ["FedAvg"]), files(tmp_path / "recorded")
    mine, other = (runner.where(tmp_path / "old", job) for job in jobs)
    history = History.load(other)
    if holds == "a run of train":
        del history.settings["key"]
    history.save(mine)
    other_key = [jobs[1].key] if holds == "another job's run" else []
    with refused("file", mine.name, jobs[0].key, *other_key):
        results.compile(experiment, tmp_path / "old", tmp_path / "recorded")
    assert files(tmp_path / "recorded") == before


def test_nothing_is_written_where_nothing_is_new(half_recorded, tmp_path):
    experiment, _ = half_recorded
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "whole").iterdir()}
    results.compile(experiment, tmp_path / "nothing", tmp_path / "whole")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "whole").iterdir()} == before
    assert not (tmp_path / "nothing").exists()


def test_two_reports_at_once_do_not_mix(half_recorded, tmp_path):
    experiment, _ = half_recorded
    with locks.take(tmp_path / "new" / "locks", ["report-small"]), refused("state", "small"):
        results.compile(experiment, tmp_path / "new", tmp_path / "recorded")


def test_the_reports_command_counts_what_was_declared_earlier(half_recorded, tmp_path, monkeypatch, capsys):
    own.small(tmp_path, own.TOML.replace('alpha = "1/3"', 'alpha = "1/2"'))
    found = result_folders.find()
    monkeypatch.setattr(result_folders.Records, "results", property(lambda self: tmp_path / "whole"))
    monkeypatch.setattr(result_folders.Records, "papers", property(lambda self: found.root / "data" / "papers"))
    assert main(["report", str(tmp_path / "small.toml"), "--runs", str(tmp_path / "nothing")]) == 0
    assert "not judged: 2 runs" in capsys.readouterr().out


LOSSES = own.TOML.replace("rounds = 6", "rounds = 6\ntraining_losses = true").replace(
    "[columns]", '[columns]\nlosses_that_rose = "losses that rose"'
)


def test_the_share_of_training_losses_that_rose_is_recorded(tmp_path):
    experiment = own.small(tmp_path, LOSSES.replace("rounds = 6", "rounds = 6\nparticipation = 0.5"))
    jobs = select(experiment, ["FedAvg"])
    runner.run(jobs, tmp_path / "runs", report=quiet)
    results.compile(experiment, tmp_path / "runs", tmp_path / "results")
    curves = results._read((tmp_path / "results" / "small.curves.csv").read_text())
    for job, line in zip(jobs, results.load(experiment, tmp_path / "results")):
        history = runner.load_run(tmp_path / "runs", job)
        losses, drawn = history.train_loss, history.participants
        assert losses.shape == (7, 5) and drawn.shape == (6, 2)
        rose = [[losses[t + 1, k] > losses[t, k] for k in drawn[t]] for t in range(6)]
        assert line["losses_that_rose"] == pytest.approx(100 * np.mean(rose), abs=1e-4)
        shares = [float(one["rose"]) for one in curves if int(one["seed"]) == job.seed and one["round"] != "0"]
        np.testing.assert_allclose(shares, 100 * np.mean(rose, 1))


def test_the_same_job_without_training_losses_is_another_and_has_the_same_accuracies(tmp_path):
    plain, scored = own.small(tmp_path), own.small(tmp_path, LOSSES)
    lines = []
    for name, experiment in (("plain", plain), ("scored", scored)):
        runner.run(select(experiment, ["FedAvg"]), tmp_path / name, report=quiet)
        results.compile(experiment, tmp_path / name, tmp_path / name / "results")
        lines.append(results.load(experiment, tmp_path / name / "results"))
    for one, other in zip(*lines):
        assert one["key"] != other["key"] and one["mean_accuracy"] == other["mean_accuracy"]
    header = (tmp_path / "plain" / "results" / "small.curves.csv").read_text().splitlines()[0]
    assert "rose" not in header and "losses_that_rose" not in lines[0][0]


def test_a_loss_that_is_no_number_anymore_rose(tmp_path):
    losses = np.array([[1.0, 1.0, 1.0], [0.5, 1.0, 2.0], [np.nan, 2.0, np.inf], [np.nan, 1.0, 1.0]])
    drawn = np.array([[0, 1, 2], [0, 1, -1], [0, 2, -1]])  # client 2 is not in round 1, client 1 not in round 2
    history = History(
        rounds=np.arange(4),
        accuracy=None,
        loss=losses,
        participants=drawn,
        direction_norm=np.ones(3),
        smallest_rate=np.ones(3),
        test_sizes=np.ones(3),
        train_loss=losses,
    )
    # Round 0: client 2 of three; round 1: both; round 2: client 0 of two. An unchanged loss did not rise.
    assert measures.losses_that_rose(history) == pytest.approx(100 * 4 / 7)
    assert [measures.losses_that_rose(history, t, t + 1) for t in range(3)] == pytest.approx([100 / 3, 100, 50])
    assert np.isnan(measures.losses_that_rose(history, 3))
    history.train_loss = None
    with refused("missing", "training losses"):
        measures.losses_that_rose(history)


def test_a_table_of_which_nothing_is_printed_is_reported_and_is_not_in_the_ledger(half_recorded, tmp_path, monkeypatch):
    text = own.TOML.replace('algorithm = "FedAvg"\n', "").replace(
        'algorithm = "FedFV"\nhyperparameters = "alpha=1/3;tau=0"\n', ""
    )
    experiment, papers = own.small(tmp_path, text), result_folders.find().papers
    lines = results.load(experiment, tmp_path / "whole")
    ours = [line["mean_accuracy"] for line in lines if line["row"] == "FedAvg"]
    told = f"{np.mean(ours):.2f} ± {np.std(ours, ddof=1):.2f}"
    assert report.unprinted(experiment, lines)[1] == ["FedAvg", "mean_accuracy", told, "2", "0"]
    for page in (report.render(experiment, lines, papers), terminal_report.render(experiment, lines, papers)):
        assert told in page and report.UNPRINTED in page and "Cells" not in page
    diverged = [line | {"failed": "it diverged"} for line in lines]
    assert report.unprinted(experiment, diverged)[1] == ["FedAvg", "mean_accuracy", "", "0", "2"]
    monkeypatch.setattr(catalogue, "names", lambda: [str(tmp_path / "small.toml")])
    monkeypatch.setattr(result_folders.Records, "results", property(lambda self: tmp_path / "whole"))
    assert ledger.ledger(result_folders.find()) == {}
