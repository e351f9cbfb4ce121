"""The pages "How do I …": every script is in the index with its own question, and on the site with its own code."""

import ast
import re
from pathlib import Path

import pytest
from fairfl_book.book_paths import Book
from fairfl_book.build import notebook_checks
from fairfl_book.site import contents, how_to

ROOT = Path(__file__).resolve().parents[2]
INDEX = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
SCRIPTS = how_to.scripts(ROOT)


def test_the_index_lists_every_script_with_its_question():
    listed = {name: f"How do I {what}?" for what, name in re.findall(r"^- \[(.+)\]\(how_to/(\w+)\.py\)$", INDEX, re.M)}
    assert listed == {script.name: script.question for script in SCRIPTS}


def test_the_sites_index_links_the_pages_and_orders_them():
    text, _, order = how_to.index(ROOT).partition("```{toctree}")
    names = re.findall(r"\]\((\w+)\.md\)", text)
    assert sorted(names) == sorted(script.name for script in SCRIPTS) and re.findall(r"<(\w+)>", order) == names
    assert ".py)" not in text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_page_is_its_script(script):
    source = (ROOT / "examples" / "how_to" / f"{script.name}.py").read_text(encoding="utf-8")
    code = script.page.partition("```python\n")[2].partition("```")[0]
    assert source.endswith(code) and len(ast.parse(code).body) == len(ast.parse(source).body) - 1
    assert script.page.startswith(f"# {script.question}\n\n{script.answer}\n")


def test_what_a_page_calls_the_reference_has():
    used = {script.name: script.names for script in SCRIPTS}
    assert {"fairfl.training.backward", "fairfl.rules.make"} <= set(used["multi_task"])
    assert {"fairfl.training.summary", "fairfl.training.sweep", "fairfl.data.load"} <= set(used["compare_rules"])


def test_a_script_without_a_question_is_refused(tmp_path):
    (tmp_path / "odd.py").write_text('"""Compare rules."""\n', encoding="utf-8")
    with pytest.raises(ValueError, match="How do I"):
        how_to.Script.read(tmp_path / "odd.py")


def test_the_menu_of_the_site_and_both_readmes_lead_there():
    trees = re.findall(r"```\{toctree\}(.+?)```", contents.contents(notebook_checks.fronts(Book(ROOT))), re.DOTALL)
    [own] = [tree for tree in trees if "how_to/index" in tree.split()]
    assert "API <api/index>" in own
    for page in ("README.md", "README.zh.md"):
        assert "](examples/README.md)" in (ROOT / page).read_text(encoding="utf-8"), page


def test_the_scripts_are_short():
    assert {script.name for script in SCRIPTS if script.code.count("\n") > 40} <= {"token_language_model"}
