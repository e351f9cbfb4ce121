"""Atomic writes, and the leftovers of killed writers."""

import errno
import os
import signal
import threading

import pytest

from fairfl import _atomic_files


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_failed_write_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "a.txt"
    _atomic_files.write(path, b"old")
    with pytest.raises(RuntimeError):
        with _atomic_files.writing(path) as file:
            file.write(b"half")
            raise RuntimeError
    assert path.read_bytes() == b"old" and names(tmp_path) == ["a.txt"]
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which this system does not have")
@pytest.mark.parametrize("name", ["a.pt", "run [1] *.pt"])
def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path, name):
    path = tmp_path / name
    (tmp_path / f".{name}.notes").write_text("mine")
    for _ in range(2):
        child = os.fork()
        if not child:
            with _atomic_files.writing(path) as file:
                file.write(b"half")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        left = [n for n in names(tmp_path) if n.endswith(".part")]
        assert len(left) == 1, "each writer takes away what the one before it left"
    _atomic_files.write(path, b"whole")
    assert names(tmp_path) == sorted([name, f".{name}.notes"]) and path.read_bytes() == b"whole"


def test_a_folder_that_is_not_there_is_named_and_no_file_that_nobody_gave(tmp_path):
    path = tmp_path / "none" / "h.npz"
    with pytest.raises(FileNotFoundError) as caught:
        _atomic_files.write(path, b"")
    assert caught.value.filename == str(path) and str(path.parent) in caught.value.strerror


def test_an_attempt_leaves_nothing_and_the_old_file_as_it_was(tmp_path):
    path = tmp_path / "a.pt"
    path.write_bytes(b"old")
    _atomic_files.attempt(path)
    assert names(tmp_path) == ["a.pt"] and path.read_bytes() == b"old"
    with pytest.raises(OSError) as caught:
        _atomic_files.attempt(tmp_path / (253 * "a"))
    assert caught.value.errno == errno.ENAMETOOLONG


def test_a_living_writers_file_stays(tmp_path):
    path = tmp_path / "a.pt"
    with _atomic_files.writing(path) as file:
        file.write(b"first begun, last done")
        _atomic_files.write(path, b"in between")
        assert path.read_bytes() == b"in between" and len(names(tmp_path)) == 2
    assert path.read_bytes() == b"first begun, last done" and names(tmp_path) == ["a.pt"]


def test_many_writers_of_one_path_all_succeed(tmp_path):
    path, failed = tmp_path / "a", []

    def write(number):
        try:
            for _ in range(20):
                _atomic_files.write(path, bytes([number]) * 5000)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and names(tmp_path) == ["a"] and len(set(path.read_bytes())) == 1
