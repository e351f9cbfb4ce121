"""What is written twice stays the same: dependencies, versions, commands, the table of chapters."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from fairfl import extras
from fairfl_book import command as book_command
from fairfl_book import places
from fairfl_book.build import frontmatter, guards, twins
from reproductions import command as reproduce_command

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def pins():
    return dict(line.split("==") for line in LOCK.splitlines() if line and not line.startswith("#"))


def requirements():
    """Every requirement of the project and its extras on other packages."""
    # TorchJD, Ray and Flower are for a few readers only; neither make lab nor make test installs them, and so the lock does not hold them.
    locked = [needs for name, needs in PROJECT["optional-dependencies"].items() if name not in ("torchjd", "ray", "flower")]
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
    for file in (file for room in ("fairfl", "book/fairfl_book", "reproductions", "examples") for file in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            modules = ([alias.name for alias in node.names] if isinstance(node, ast.Import)
                       else [node.module] if isinstance(node, ast.ImportFrom) and not node.level else [])
            yield from (module.partition(".")[0] for module in modules)


def test_what_is_imported_is_a_dependency_or_known_to_come_with_an_extra():
    always = {Requirement(text).name for text in PROJECT["dependencies"]} - {"scikit-learn"} | {"sklearn", "fairfl", "fairfl_book", "reproductions", "post_offices"}
    assert set(imported()) - sys.stdlib_module_names - always | {"torchvision"} == set(extras.BROUGHT_BY)  # vision.py imports it by name
    assert set(extras.BROUGHT_BY.values()) == set(PROJECT["optional-dependencies"]) - {"dev"}
    needs = {Requirement(text).name.lower(): extra for extra, texts in PROJECT["optional-dependencies"].items() for text in texts}
    for module, extra in extras.BROUGHT_BY.items():
        assert needs.get(module.lower(), extra) == extra, module


def test_no_range_is_listed_twice():
    names = [canonicalize_name(requirement.name) for requirement in requirements()]
    assert len(names) == len(set(names))


def targets():
    return set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_commands_in_the_pages_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named and named <= targets()


def test_the_readme_shows_both_commands_and_the_windows_equivalent():
    assert re.search(r"^make lab\b", README, re.MULTILINE) and re.search(r"^make test\b", README, re.MULTILINE)
    assert '-c requirements.lock -e ".[lab]"' in README
    told = README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for program, parser in (("fairfl-book", book_command.parser()), ("fairfl-reproduce", reproduce_command.parser())):
        commands = re.findall(rf"{program} ([a-z-]+)", told)
        assert commands and all(parser.parse_args([command]).run for command in commands)
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert set(scripts) == {"fairfl-book", "fairfl-reproduce"}


def test_ci_runs_the_readmes_test_command_first():
    script = ROOT / ".ci" / "run"
    commands = re.findall(r"^make ([a-z-]+)", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[0] == "test" and "make test" in README and set(commands) <= targets()
    assert re.search(r"^set -eu$", script.read_text(encoding="utf-8"), re.MULTILINE), "a failing command must end the script"
    assert sys.platform == "win32" or script.stat().st_mode & 0o100


def test_every_target_is_explained():
    explained = set(re.findall(r'"make ([a-z-]+) ', MAKEFILE))
    assert explained == targets() - {"help", "afresh"}


def test_links_of_the_pages_lead_somewhere():
    known = {name for name in places.Book(ROOT).names()}
    for page in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
            if link.startswith("chapters/") and Path(link).stem in known:
                continue  # a chapter whose text is here and whose notebook is about to be made
            assert (ROOT / link).exists(), f"{page}: {link}"


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    init = (ROOT / "fairfl" / "__init__.py").read_text(encoding="utf-8")
    assert citation["version"] == PROJECT["version"] == re.search(r'__version__ = "(.+)"', init)[1]
    assert PROJECT["license"] == " AND ".join(citation["license"])


def table():
    """Rows of the README's table of chapters: name → (title, minutes, seconds)."""
    rows = re.findall(r"^\| (\d\d) \| \[(.+)\]\(chapters/(\w+)\.ipynb\) \| (\d+) \| (\d+) s \|$", README, re.MULTILINE)
    return {name: (title, int(minutes), int(seconds)) for number, title, name, minutes, seconds in rows if name.startswith(number)}


def test_the_table_of_chapters_is_the_book():
    book = places.Book(ROOT)
    names = book.names()
    if not names:
        pytest.skip("the book has no chapters yet")
    fronts = {name: frontmatter.read(twins.read(book.twin(name)).metadata.get("fairfl")) for name in names}
    plain = {name: (re.sub(r"^\d+\. ", "", front.title), front.minutes) for name, front in fronts.items()}
    assert {name: row[:2] for name, row in table().items()} == plain


def test_the_run_times_are_those_of_the_notebooks():
    book = places.Book(ROOT)
    for name, (_, _, told) in table().items():
        measured = json.loads(book.notebook(name).read_text(encoding="utf-8"))["metadata"]["fairfl_run"]["seconds"]
        # Another machine may be slower or faster; a chapter whose work has changed is told apart.
        assert measured / 2 <= told <= 3 * measured + 5, name


def test_the_ledgers_headline_is_the_ledgers():
    from reproductions import ledger
    from reproductions.places import Records

    assert ledger.headline(Records(ROOT)) in README


def test_the_header_to_copy_is_valid():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    header = yaml.safe_load(re.search(r"```yaml\n---\n(.+?)---\n```", text, re.DOTALL)[1])
    assert frontmatter.read(header["fairfl"]) and header["jupytext"]["text_representation"]["format_name"] == "myst"


def test_the_tags_explained_are_the_tags_allowed():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| tag | meaning |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == guards.TAGS


def test_both_places_that_forgive_an_address_agree():
    assert f"regex: {twins.ADDRESS.pattern}\n" in (ROOT / "tests" / "nbval.cfg").read_text(encoding="utf-8")
