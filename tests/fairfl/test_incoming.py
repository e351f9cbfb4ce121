"""Files that others may have written: their kind, size and content; and files that are written in their place."""

import io
import os
import signal
import stat

import numpy as np
import pytest
import torch

from fairfl import _atomic_files, _incoming, data, partition, train
from fairfl.errors import Refused
from fairfl.training import History

posix = pytest.mark.skipif(os.name == "nt", reason="pipes, permissions and links of Unix")


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    return tmp_path / "pipe.toml"


@posix
@pytest.mark.parametrize(
    "read",
    [
        _incoming.text,
        _incoming.toml,
        _incoming.json_object,
        History.load,
        lambda path: data.load("parquet", path=str(path)),
        lambda path: train(partition.iid(data.load("digits"), 2), "FedAvg", rounds=1, checkpoint=path),
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(read, pipe):
    def waited(*_):
        pytest.fail("waits for the pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(15)
    try:
        with pytest.raises((Refused, FileNotFoundError)):
            read(pipe)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "read, content",
    [
        (_incoming.toml, b"a = " + b"[" * 100_000),
        (_incoming.toml, b"a = "),
        (_incoming.toml, b"a = '\xff'"),
        (_incoming.json_object, b"[" * 100_000),
        (_incoming.json_object, b'{"a'),
        (_incoming.json_object, b"[1]"),
    ],
)
def test_content_that_is_not_what_it_should_be_is_refused_by_name(read, content, tmp_path):
    (tmp_path / "given").write_bytes(content)
    with pytest.raises(Refused) as refused:
        read(tmp_path / "given")
    assert refused.value.kind == "file" and str(tmp_path / "given") in str(refused.value)


def test_a_file_without_end_is_refused(tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(_incoming.MOST_TEXT + 1)
    for path in (tmp_path / "large", *(["/dev/zero"] if os.path.exists("/dev/zero") else [])):
        with pytest.raises(Refused) as refused:
            _incoming.text(path)
        assert refused.value.kind == "file"


@posix
@pytest.mark.parametrize("write", [lambda path: _atomic_files.write(path, b"new"), _atomic_files.attempt])
def test_a_pipe_is_not_replaced_by_a_file(write, pipe):
    for path in (pipe, pipe.parent):
        with pytest.raises(Refused, match="allowed: an ordinary file") as refused:
            write(path)
        assert refused.value.kind == "file" and str(path) in str(refused.value)
    assert pipe.is_fifo() and list(pipe.parent.iterdir()) == [pipe]


@posix
def test_permissions_are_kept_and_new_files_follow_the_umask(tmp_path):
    mode = lambda path: stat.S_IMODE(os.stat(path).st_mode)
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.write_bytes(b"old")
    os.chmod(kept, 0o600)
    before = os.umask(0o027)
    try:
        _atomic_files.write(kept, b"new"), _atomic_files.write(new, b"new")
    finally:
        os.umask(before)
    assert mode(kept) == 0o600 and mode(new) == 0o640 and kept.read_bytes() == b"new"


@posix
def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    _atomic_files.write(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"


def test_an_interrupt_just_after_the_renaming_is_an_interrupt(tmp_path, monkeypatch):
    replace = os.replace

    def interrupted(*paths):
        replace(*paths)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _atomic_files.write(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new" and len(list(tmp_path.iterdir())) == 1


def test_a_checkpoint_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    train(partition.iid(data.load("digits"), 2), "FedAvg", rounds=1, checkpoint="~/run.pt", progress=False)
    assert (tmp_path / "run.pt").is_file() and not (tmp_path / "~").exists()


def test_a_sound_checkpoint_is_not_blamed_for_a_full_memory(tmp_path, monkeypatch):
    run = lambda: train(partition.iid(data.load("digits"), 2), "FedAvg", rounds=1, checkpoint=tmp_path / "run.pt")
    run()

    def full(*given, **settings):
        raise MemoryError

    monkeypatch.setattr(torch, "load", full)
    with pytest.raises(MemoryError):
        run()


def test_foreign_pixels_in_the_cache_are_decoded_anew(tmp_path, monkeypatch):
    pyarrow, image = pytest.importorskip("pyarrow"), pytest.importorskip("PIL.Image")
    write = pytest.importorskip("pyarrow.parquet").write_table

    def png(value):
        image.fromarray(np.full((4, 4), value, np.uint8)).save(file := io.BytesIO(), "PNG")
        return file.getvalue()

    write(pyarrow.table({"image": [png(9), png(7)], "label": [0, 1]}), tmp_path / "a.parquet")
    monkeypatch.setenv("FAIRFL_CACHE", str(tmp_path / "cache"))
    load = lambda: data.load("parquet", path=str(tmp_path / "a.parquet")).inputs
    wanted = load()
    [kept] = (tmp_path / "cache" / "pixels").glob("*.npz")
    np.savez(kept, images=np.zeros((5, 1, 4, 4)), labels=np.zeros(5, int), jpeg=np.array(False))
    assert torch.equal(load(), wanted)
    write(pyarrow.table({"image": [png(9)] * 2, "label": [0, 10**9]}), tmp_path / "a.parquet")
    with pytest.raises(Refused) as refused:
        load()
    assert refused.value.kind == "file"
