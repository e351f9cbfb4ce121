"""What is written twice stays the same: dependencies, versions, commands, the table of chapters."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from fairfl_book.build import chapter_notebooks
from fairfl_book.repository_address import address
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import fairfl
from fairfl import _extras

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def pins():
    return dict(line.split("==") for line in LOCK.splitlines() if line and not line.startswith("#"))


def requirements():
    """Every requirement of the project and its extras on other packages."""
    # TorchJD, Ray, Flower and TensorBoard are for a few readers only; neither make lab nor make test installs them, and so the lock does not hold them.
    unlocked = ("torchjd", "ray", "flower", "tensorboard")
    locked = [needs for name, needs in PROJECT["optional-dependencies"].items() if name not in unlocked]
    everything = PROJECT["dependencies"] + sum(locked, [])
    return [requirement for text in everything if (requirement := Requirement(text)).name != "fairfl"]


def test_the_conda_environment_lists_only_python_pip_and_this_project():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert set(environment) == {"name", "channels", "dependencies"}
    python, pip, project = environment["dependencies"]
    assert python == f"python{PROJECT['requires-python']}" and pip == "pip" and set(project) == {"pip"}
    lock, line = project["pip"]
    assert lock == "-c requirements.lock"
    editable = re.fullmatch(r"-e \.\[(\w+)\]", line)
    assert editable and editable[1] in PROJECT["optional-dependencies"]


def test_the_lock_can_be_installed_on_another_machine():
    for line in LOCK.splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.!]*", line), line


def test_the_lock_satisfies_the_projects_ranges():
    locked = {canonicalize_name(name): version for name, version in pins().items()}
    for requirement in requirements():
        version = locked.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} is not in requirements.lock; run make lock"
        assert requirement.specifier.contains(version, prereleases=True), f"{requirement} is locked to {version}"


def imported():
    """The packages that the project's own code imports, anywhere in a file."""
    for file in (
        file
        for room in ("fairfl", "book/fairfl_book", "reproductions", "examples")
        for file in (ROOT / room).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            modules = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
            yield from (module.partition(".")[0] for module in modules)


def test_what_is_imported_is_a_dependency_or_known_to_come_with_an_extra():
    always = {Requirement(text).name for text in PROJECT["dependencies"]} - {"scikit-learn"} | {
        "sklearn",
        "threadpoolctl",  # scikit-learn brings it
        "fairfl",
        "fairfl_book",
        "reproductions",
        "post_offices",
    }
    assert set(imported()) - sys.stdlib_module_names - always | {"torchvision", "tensorboard"} == set(
        _extras.BROUGHT_BY
    )  # _torchvision.py imports the one by name, and torch.utils.tensorboard the other
    assert set(_extras.BROUGHT_BY.values()) == set(PROJECT["optional-dependencies"])
    needs = {
        Requirement(text).name.lower(): extra
        for extra, texts in PROJECT["optional-dependencies"].items()
        for text in texts
    }
    for module, extra in _extras.BROUGHT_BY.items():
        assert needs.get(module.lower(), extra) == extra, module


def test_no_range_is_listed_twice():
    names = [canonicalize_name(requirement.name) for requirement in requirements()]
    assert len(names) == len(set(names))


def targets():
    return set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="this is the archive of a release, which has no .ci")
def test_ci_runs_the_readmes_test_command_first():
    script = ROOT / ".ci" / "run"
    commands = re.findall(r"^make ([a-z-]+)", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[0] == "test" and "make test" in README and set(commands) <= targets()
    assert re.search(r"^set -eu$", script.read_text(encoding="utf-8"), re.MULTILINE), (
        "a failing command must end the script"
    )
    assert sys.platform == "win32" or script.stat().st_mode & 0o100


def test_every_target_is_explained():
    explained = set(re.findall(r'"make ([a-z-]+) ', MAKEFILE))
    assert explained == targets() - {"help", "afresh"}


CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_version_stands_in_one_place_and_what_repeats_it_agrees():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "version" not in PROJECT and tool["setuptools"]["dynamic"]["version"] == {"attr": "fairfl.__version__"}
    assert yaml.safe_load(CITATION)["version"] == fairfl.__version__
    newest = re.search(r"^## (\d\S*): .+, (\d{4}-\d\d-\d\d)$", CHANGES, re.MULTILINE)
    assert newest and newest[1] == fairfl.__version__, "CHANGELOG.md: ## VERSION: a name, the day"
    assert yaml.safe_load(CITATION)["date-released"] == newest[2]
    for path in (ROOT / "chapters").glob("*.ipynb"):
        run = json.loads(path.read_text(encoding="utf-8"))["metadata"]["fairfl_run"]
        assert "fairfl" not in run, f"{path.name}: it is part of an edition, and names none; run make chapters"


def test_the_citation_tells_the_licence_and_has_a_place_for_a_doi():
    citation = yaml.safe_load(CITATION)
    assert PROJECT["license"] == " AND ".join(citation["license"])
    # cffconvert and GitHub refuse an empty DOI, and a reader would follow a made-up one: a comment until there is one.
    assert re.fullmatch(r"10\.\d{4,9}/\S+", citation["doi"]) if "doi" in citation else "\n# doi: 10." in CITATION
    place = address()
    assert citation.get("repository-code") == (place.repository if place else None), "as book/address.toml says"


def test_both_places_that_forgive_an_address_agree():
    assert f"regex: {chapter_notebooks.ADDRESS.pattern}\n" in (ROOT / "tests" / "nbval.cfg").read_text(encoding="utf-8")
