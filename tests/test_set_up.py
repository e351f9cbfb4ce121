"""The set-up before anything is installed: which PyTorch, when a set-up is redone, and what it says."""

import contextlib
import http.server
import importlib.util
import json
import re
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("set_up", ROOT / "book" / "set_up.py")
set_up = importlib.util.module_from_spec(spec)
spec.loader.exec_module(set_up)
YES, NO = (lambda: True), (lambda: False)


def never():
    raise AssertionError("nobody needs to ask")


@pytest.fixture(autouse=True)
def _as_at_home(monkeypatch):
    for name in ("PIP_NO_INDEX", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "asked, system, seen, reachable, which",
    [
        ("cpu", "linux", never, never, "cpu"),
        ("cuda", "linux", never, never, "cuda"),
        ("", "linux", YES, never, "cuda"),
        ("", "linux", NO, YES, "cpu"),
        ("", "linux", NO, NO, "cuda"),
        ("", "darwin", never, never, "own"),
    ],
)
def test_which_pytorch(asked, system, seen, reachable, which):
    assert set_up.build(asked, system, seen, reachable)[0] == which


def test_without_an_index_it_takes_what_it_was_given(monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert set_up.build("", "linux", never, never)[0] == "cuda"


class Index(http.server.BaseHTTPRequestHandler):
    """/whl/cpu is there, /slow answers when the test is over, anything else is not found."""

    over = threading.Event()

    def do_GET(self):
        if self.path.startswith("/slow"):
            self.over.wait(20)
        self.send_response(200 if self.path.startswith(("/whl/cpu/torch/", "/slow")) else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


def test_an_index_answers_in_time_or_does_not_count(monkeypatch):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_address[1]}"
        assert set_up.answers(f"{here}/whl/cpu", 20)
        assert not set_up.answers(f"{here}/elsewhere", 20)
        assert not set_up.answers(f"{here}/slow", 0.2)
        Index.over.set()
        server.shutdown()
    assert not set_up.answers(here + "/whl/cpu", 20)  # nobody there
    assert not set_up.answers("no address", 20)
    assert set_up.PATIENCE == 3


def test_a_name_server_that_thinks_for_long_is_not_waited_for(monkeypatch):
    late = threading.Event()

    def urlopen(*_, **__):
        late.wait(5)
        return contextlib.nullcontext(type("Page", (), {"status": 200}))

    monkeypatch.setattr(set_up.urllib.request, "urlopen", urlopen)
    assert not set_up.answers("http://somewhere", 0.1)
    late.set()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script poses as the card's tool")
@pytest.mark.parametrize(
    "says, there",
    [
        ("echo 'GPU 0: NVIDIA H100'", True),
        ("echo 'No devices were found'", False),
        ("echo failed; exit 9", False),
        (None, False),
    ],
)
def test_a_card_is_seen_by_its_own_tool(tmp_path, monkeypatch, says, there):
    if Path("/proc/driver/nvidia/gpus").exists():
        pytest.skip("this computer has a card")
    if says:
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\n{says}\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set_up.card() is there


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty place for a set-up, with pip played by a list of what it was asked for: (extra, build)."""
    asked = []
    monkeypatch.setattr(set_up, "ROOT", tmp_path)
    monkeypatch.setattr(set_up, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(set_up, "card", NO)
    monkeypatch.setattr(set_up, "answers", lambda index: True)
    monkeypatch.setattr(set_up, "SIZES", dict.fromkeys(("cpu", "cuda", "own"), "its size"))
    monkeypatch.setattr(set_up.sys, "platform", "linux")

    def run(command, **_):
        if command[1:3] == ["-m", "venv"]:
            set_up.python(tmp_path / ".venv").parent.mkdir(parents=True)
            set_up.python(tmp_path / ".venv").touch()
        return type("Done", (), {"returncode": 0})

    monkeypatch.setattr(set_up.subprocess, "run", run)
    monkeypatch.setattr(set_up, "install", lambda venv, root, extra, which: asked.append((extra, which)) or 0)
    return asked


def test_a_choice_lasts_until_torch_insists_on_the_other(home, capsys):
    for extra, torch in (("lab", ""), ("dev", ""), ("dev", "cpu"), ("lab", "cuda"), ("dev", ""), ("lab", "cpu")):
        assert set_up.main(extra, torch) == 0
    assert home == [("lab", "cpu"), ("dev", "cpu"), ("dev", "cpu"), ("lab", "cuda"), ("dev", "cuda"), ("lab", "cpu")]
    said = capsys.readouterr().out
    assert said.count("Setting up .venv") == 3 and said.count("its size") == 3
    assert "it holds PyTorch for TORCH=cpu" in said and "it holds PyTorch for TORCH=cuda" in said
    assert len(said.splitlines()) <= 3 * 2 + 3


def test_what_cannot_be_gone_on_with_is_made_afresh(home, tmp_path):
    venv = tmp_path / ".venv"
    assert set_up.unsound(venv, tmp_path, "") == "it is not there"
    set_up.main("lab", "")
    assert set_up.unsound(venv, tmp_path, "") == "" == set_up.unsound(venv, tmp_path, "cpu")
    (venv / ".unfinished").touch()
    assert set_up.unsound(venv, tmp_path, "") == "it was interrupted"
    (venv / ".unfinished").unlink()
    assert set_up.unsound(venv, tmp_path / "elsewhere", "") == "the folder was moved"


def test_a_pip_that_fails_leaves_the_set_up_unfinished(home, tmp_path, monkeypatch):
    monkeypatch.setattr(set_up, "install", lambda *_: 1)
    assert set_up.main("lab", "") == 1
    assert set_up.unsound(tmp_path / ".venv", tmp_path, "") == "it was interrupted"


def test_an_unknown_build_is_refused_before_anything_is_removed(home, tmp_path, capsys):
    set_up.main("lab", "cuda")
    assert set_up.main("lab", "gpu") == 1 and set_up.python(tmp_path / ".venv").exists()
    assert "TORCH is 'gpu'; allowed: cpu, cuda" in capsys.readouterr().err


def test_an_old_python_is_told_so(home, monkeypatch, capsys):
    monkeypatch.setattr(set_up.sys, "version_info", (3, 9, 1))
    assert set_up.main("lab", "") == 1 and not home
    assert "this is 3.9" in capsys.readouterr().err


def test_an_archive_that_is_not_the_locked_one_is_named(tmp_path):
    digest, other = 64 * "a", 64 * "b"
    (tmp_path / "hashes").write_text(
        f"a-package==1.0 \\\n    --hash=sha256:{digest}\nbeta==2 \\\n    --hash=sha256:{digest}\n"
    )
    archive = lambda name, version, **found: {
        "metadata": {"name": name, "version": version},
        "download_info": {"archive_info": found},
    }
    packages = [
        archive("A_package", "1.0", hashes={"sha256": digest}),
        archive("beta", "2", hash=f"sha256={other}"),
        archive("beta", "2+cpu", hashes={"sha256": other}),
        archive("gamma", "3", hashes={"sha256": other}),
    ]
    (tmp_path / "report").write_text(json.dumps({"install": packages}))
    assert set_up.strangers(tmp_path / "report", tmp_path / "hashes") == ["beta==2"]
    assert set_up.strangers(tmp_path / "none", tmp_path / "hashes") == []


def test_every_locked_package_has_its_hashes():
    pinned = lambda text: set(re.findall(r"^([A-Za-z0-9._-]+==[^ ;\n]+)", text, re.MULTILINE))
    lock, hashes = (ROOT / name for name in ("requirements.lock", "requirements.hashes"))
    plain = lambda names: {name.replace("_", "-").lower() for name in names}
    assert plain(pinned(lock.read_text())) == plain(pinned(hashes.read_text()))
    assert hashes.read_text().count("==") <= hashes.read_text().count("sha256:")
