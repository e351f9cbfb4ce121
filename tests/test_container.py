"""The Dockerfile and the development container ask for what pyproject.toml, the Makefile and the command line offer."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
DEVCONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
IGNORED = {
    line.strip("/") for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] != "#"
}
sys.path.insert(0, str(ROOT / "book"))
import set_up  # noqa: E402  (runs before anything is installed, and so belongs to no package)


def instructions():
    """The Dockerfile's instructions in their order, each with all of its lines as one."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [
        re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line.strip() and not line.startswith("#")
    ]
    return [tuple(line.split(" ", 1)) for line in lines]


def of(kind):
    return [rest for name, rest in instructions() if name == kind]


def test_both_run_a_python_that_the_lock_was_tried_on():
    (image,) = of("FROM")
    python = re.fullmatch(r"python:(\d+\.\d+)-slim", image)[1]
    tried = re.findall(
        r"\d\.\d+",
        re.search(r"lock was tested on (.+?)\.\n", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))[1],
    )
    assert SpecifierSet(PROJECT["requires-python"]).contains(f"{python}.0") and python in tried
    assert DEVCONTAINER["image"].endswith(f"/python:{python}")


def test_what_is_installed_is_what_make_lab_installs():
    install, editable = (rest for rest in of("RUN") if "pip install" in rest)
    wanted = re.search(r"^\$\(VENV\)/\.lab:.*\n\t\$\(call install,(\w+)\)", MAKEFILE, re.MULTILINE)[1]
    assert f'".[{wanted}]"' in install and wanted in PROJECT["optional-dependencies"]
    assert "--constraint requirements.lock" in install and f"--extra-index-url {set_up.CPU_INDEX}" in install
    assert "--no-deps --editable ." in editable


def test_the_layer_of_dependencies_knows_no_file_that_changes_more_often():
    kinds = [name for name, _ in instructions()]
    first, everything = of("COPY")
    assert set(first.split()) - {"--chown=reader:reader", "./"} == {"pyproject.toml", "requirements.lock"}
    assert everything.endswith(". .") and kinds.index("COPY") < kinds.index("RUN", kinds.index("COPY")) < len(
        kinds
    ) - 1 - kinds[::-1].index("COPY")


def test_the_hollow_packages_are_the_projects_and_go_again():
    install = of("RUN")[1]
    tops = re.findall(
        r'"(\w+)"',
        re.search(r"^include = \[(.+)\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1],
    )
    made = re.search(r"mkdir -p (.+?) &&", install)[1].split()
    assert {Path(folder).name for folder in made} == set(tops), "pyproject.toml's packages"
    needed = {PROJECT["readme"], *PROJECT["license-files"]}
    assert needed <= set(re.search(r"touch (.+?) &&", install)[1].split())
    assert {*made, *needed} <= set(install.partition("rm -rf")[2].split())


def test_it_is_not_run_by_root_and_leaves_no_tools():
    kinds = [name for name, _ in instructions()]
    (user,) = of("USER")
    assert int(user) > 0 and f"--uid {user} reader" in of("RUN")[0]
    assert kinds.index("USER") < kinds.index("COPY") < kinds.index("CMD")
    assert not re.search(r"apt|gcc|sudo|build-essential", " ".join(of("RUN")))


def test_one_port_everywhere():
    command = json.loads(of("CMD")[0])
    assert command[:2] == ["fairfl-book", "lab"] and command[0] in PROJECT["scripts"] and "--no-browser" in command
    port = command[command.index("--port") + 1]
    assert of("EXPOSE") == [port] and f"127.0.0.1:{port}/api" in of("HEALTHCHECK")[0]
    assert DEVCONTAINER["forwardPorts"] == [int(port)] and list(DEVCONTAINER["portsAttributes"]) == [port]
    assert f"127.0.0.1:{port}:{port}" in (ROOT / "Dockerfile").read_text(encoding="utf-8"), (
        "told for this computer alone"
    )


def test_the_command_that_it_runs_is_understood():
    from fairfl_book import command

    given = command.parser().parse_args(json.loads(of("CMD")[0])[1:])
    assert given.port == 8888 and given.no_browser


def test_the_container_that_marks_a_class_sees_it_read_only_and_has_no_network():
    from fairfl_book import command

    page = (ROOT / "book" / "teachers.md").read_text(encoding="utf-8").replace("\\\n", " ")
    options, given = re.search(r"^podman run (.+) fairfl-mark fairfl-book (mark .+)$", page, re.MULTILINE).groups()
    parsed = command.parser().parse_args(given.split())
    assert f":{parsed.folder}:ro" in options and f":{parsed.out.parent}" in options and "--network none" in options


def test_nothing_that_git_ignores_gets_into_the_image():
    named = {line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines() if line}
    assert {name.removeprefix("**/") for name in IGNORED} >= named | {".git"}


def test_the_development_container_makes_what_make_lab_needs():
    target, torch = re.fullmatch(r"make (\S+) TORCH=(\w+)", DEVCONTAINER["postCreateCommand"]).groups()
    assert target.replace(".venv", "$(VENV)", 1) + ":" in MAKEFILE and torch in ("cpu", "cuda")
    settings = DEVCONTAINER["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"].endswith("/.venv/bin/python")


@pytest.mark.parametrize("key", sorted(DEVCONTAINER))
def test_every_key_is_one_of_the_specifications(key):
    assert key in {
        "name",
        "image",
        "hostRequirements",
        "postCreateCommand",
        "forwardPorts",
        "portsAttributes",
        "customizations",
    }
