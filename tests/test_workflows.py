"""What GitHub runs and asks for a public home: it says what the Makefile and the command line say, and names no account."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
pytestmark = pytest.mark.skipif(not GITHUB.is_dir(), reason="this is the archive of a release, which has no .github")
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def steps(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_the_tests_the_site_and_the_links_have_a_workflow():
    run = {path.stem: " ".join(step.get("run", "") for step in steps(path)) for path in WORKFLOWS}
    assert set(run) == {"tests", "site", "links"}
    assert all(f"make {target}" in run["tests"] for target in ("test", "check", "test-browser", "test-wheel"))
    assert "make test-site" in run["site"] and "make book" in run["links"]
    weekly = yaml.safe_load((GITHUB / "workflows" / "links.yml").read_text(encoding="utf-8"))[True]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", weekly[0]["cron"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_targets_that_there_are(path):
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)) | {".venv/.dev"}
    called = [word for step in steps(path) for word in re.findall(r"make (\S+)", step.get("run", ""))]
    assert called and set(called) <= targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_an_action_is_pinned_to_one_commit_and_may_write_only_what_it_must(path):
    for step in steps(path):
        assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]), step
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    writing = {name for name, job in workflow["jobs"].items() if "write" in job.get("permissions", {}).values()}
    assert writing <= {"publish"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_the_output_of_version(path):
    asked = {field["id"]: field for field in yaml.safe_load(path.read_text(encoding="utf-8"))["body"]}
    assert "fairfl-book --version" in asked["version"]["attributes"]["description"]
    assert asked["version"]["validations"]["required"]


def test_nothing_names_an_account():
    for path in GITHUB.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"github\.com/|github\.io|(?<!\w)@[A-Za-z]", text), path
