"""Prettier and ESLint: findings fail the check, a missing npm or registry is reported in one line and does not."""

import json
import subprocess

import pytest
from fairfl_book.build import javascript_checks, javascript_tools, node

install = javascript_tools.install


def test_without_node_one_line_says_that_nothing_was_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(node, "find", lambda: None)
    monkeypatch.setattr(javascript_tools, "install", lambda: install(tmp_path / "tools"))
    assert javascript_checks.main([]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith(javascript_checks.NOT_CHECKED) and "node" in line


@pytest.mark.skipif(node.find() is None or node.find_npm() is None, reason="npm is not installed")
def test_an_unreachable_registry_is_told_from_a_failing_installation(tmp_path, monkeypatch):
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    with pytest.raises(javascript_tools.Unavailable):
        install(tmp_path / "tools")
    assert not (tmp_path / "tools" / ".ready").exists()

    done = subprocess.CompletedProcess([], 1, "", "")
    answers = iter([done, subprocess.CompletedProcess([], 0, "3.0.0", "")])
    monkeypatch.setattr(javascript_tools, "_run", lambda *command, folder: next(answers))
    with pytest.raises(subprocess.CalledProcessError):
        install(tmp_path / "tools")


def test_every_version_is_pinned():
    package, lock = (json.loads((javascript_tools.SETTINGS / name).read_text()) for name in javascript_tools.FILES[:2])
    assert package["devDependencies"] == lock["packages"][""]["devDependencies"]
    assert all(version[0].isdigit() for version in package["devDependencies"].values())
