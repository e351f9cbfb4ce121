"""Declarations and notes that others may have written, and outputs that cannot show every letter."""

import errno
import json
import os
import subprocess
import sys

import pytest
from fairfl_book import terminal
from refusals import refused

from reproductions import catalogue, command, paper_claim, unfinished
from reproductions.command import main

CLAIM = '[[claims]]\nid = "x"\nquote = "q"\nwhere = "w"\nrefuted_by = "r"\n'


@pytest.mark.parametrize(
    "text, kind",
    [
        ("claims = [1]\n", "type"),
        ("claims = 5\n", "type"),
        (CLAIM + "tests = 5\n", "type"),
        (CLAIM + "tests = [1]\n", "type"),
        (
            CLAIM
            + 'tests = [{ tables = ["fedfv_table_3"], of = "std", expect = "equal", row = "FedAvg", margin = nan }]',
            "value",
        ),
        ("rows = [1]\n", "name"),
        ("claims = " + "[" * 100_000, "file"),
    ],
)
def test_claims_of_another_form(text, kind, tmp_path):
    (tmp_path / "x.toml").write_text(text)
    with refused(kind):
        paper_claim.load(tmp_path / "x.toml")


@pytest.mark.parametrize(
    "setting, kind",
    [
        (dict(seeds=10**9), "value"),
        (dict(seeds=0), "value"),
        (dict(seeds=True), "type"),
        (dict(rounds=10**12), "value"),
        (dict(model="mlp", model_settings={"hidden": [10**9]}), "value"),
    ],
)
def test_sizes_that_no_machine_has(setting, kind):
    given = dict(name="x", title="x", paper="x", table="x", federation="fedfv_mnist", model="mlp", rounds=1)
    given |= dict(rows=[{"label": "FedAvg"}], columns={"mean": "mean"}, seeds=2)
    assert catalogue.parse(given).seeds == (0, 1)
    with refused(kind):
        catalogue.parse(given | setting)


@pytest.mark.parametrize("text, kind", [("rows = [1]\n", "type"), ("columns = 3\n", "type"), ("rows = {}\n", "type")])
def test_tables_of_another_form(text, kind, tmp_path):
    (tmp_path / "x.toml").write_text(text)
    with refused(kind, "x.toml"):
        catalogue.load(tmp_path / "x.toml")


def test_junk_beside_the_notes_is_skipped_with_a_word(tmp_path):
    batch = unfinished.Batch(tmp_path, ("a", "b"), "cpu")
    batch.begin()
    junk = {"cut": b'{"keys', "list": b"[1]", "bytes": b"\xff\xfe", "other": json.dumps({"keys": 5}).encode()}
    for name, content in junk.items():
        (batch.note.parent / f"{name}.json").write_bytes(content)
    (batch.note.parent / "folder.json").mkdir()
    with pytest.warns(UserWarning) as warned:
        assert unfinished.left(tmp_path) == [batch]
    assert len(warned) == len(junk) + 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_on_an_encoding_that_lacks_letters(encoding):
    code = "from fairfl_book import terminal; import argparse; p = terminal.Parser(); "
    code += "p.set_defaults(run=lambda given: print('λ') or 0); raise SystemExit(terminal.obey(p, []))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert done.returncode == 0 and done.stdout.strip() == b"\\u03bb"


def test_codes_in_a_title_do_not_reach_the_terminal(capsys):
    command._write("a\x1b[2J\x9b λ\u00a0title\n", None)
    assert capsys.readouterr().out == "a\\x1b[2J\\x9b λ\u00a0title\n"


@pytest.mark.parametrize("doing", [["run", "fedfv_table_3"], ["report"]])
def test_an_empty_folder_is_not_the_current_one(doing, capsys):
    with pytest.raises(SystemExit) as left:
        main([*doing, "--runs", ""])
    assert left.value.code == 2 and "--runs: it is empty" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_link_to_itself(tmp_path, capsys):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert main(["report", "fedfv_table_3", "--out", str(tmp_path / "loop" / "x")]) == 2
    assert "loop" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
def test_no_report_waits_for_a_pipe(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDWR)  # so a program that writes to it fails this test, and does not wait
    try:
        assert main(["report", "fedfv_table_3", "--out", str(tmp_path / "pipe")]) == 2
    finally:
        os.close(pipe)
    assert "a pipe, a socket or a device" in capsys.readouterr().err and (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize(
    "number, words",
    [
        (errno.ENOSPC, "Finished results are kept. Free space or choose another path"),
        (errno.EACCES, "Change the permissions or choose another path"),
        (errno.EEXIST, "exists. Choose another path"),
    ],
)
def test_only_a_full_disk_is_told_of_space(number, words, capsys):
    def fails(given):
        raise OSError(number, "exists", "place")

    parser = terminal.Parser()
    parser.set_defaults(run=fails)
    assert terminal.obey(parser, []) == 2
    said = capsys.readouterr().err
    assert said.strip().endswith(words) and ("space" in said) == (number == errno.ENOSPC)


@pytest.mark.skipif(os.name == "nt", reason="Windows reports a closed pipe in another way")
@pytest.mark.parametrize("flush, lines", [(True, 3), (False, 3), (False, 100_000)])
def test_a_reader_who_leaves_early_sees_no_traceback(flush, lines):
    code = "import sys; from fairfl_book import terminal; p = terminal.Parser(); sys.stdin.read(); "
    code += f"p.set_defaults(run=lambda given: [print('line', flush={flush}) for _ in range({lines})] and 0); "
    code += "raise SystemExit(terminal.obey(p, []))"
    done = subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, stderr=-1)
    done.stdout.close()
    done.stdin.close()
    assert (done.wait(60), done.stderr.read()) == (141, b"")


def test_another_pipe_that_breaks_is_a_fault():
    def fails(given):
        raise BrokenPipeError

    parser = terminal.Parser()
    parser.set_defaults(run=fails)
    with pytest.raises(BrokenPipeError):
        terminal.obey(parser, [])
