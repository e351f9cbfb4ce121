"""The pages of the repository say what is so: commands, links, the table of chapters, run times, the ledger's headline."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from fairfl_book import book_paths
from fairfl_book import command as book_command
from fairfl_book.build import chapter_notebooks, frontmatter, notebook_checks, reading_time

from reproductions import command as reproduce_command

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHAPTERS = (ROOT / "chapters" / "README.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "book" / "pages" / "install.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def targets():
    return set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "chapters/README.md", "book/pages/install.md"])
def test_commands_in_the_pages_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named and named <= targets()


def test_the_readme_shows_both_commands_and_the_windows_equivalent():
    assert re.search(r"^make lab\b", README, re.MULTILINE) and re.search(r"^make test\b", README, re.MULTILINE)
    assert '-c requirements.lock -e ".[lab]"' in INSTALL
    told = README + INSTALL + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for program, parser in (("fairfl-book", book_command.parser()), ("fairfl-reproduce", reproduce_command.parser())):
        commands = re.findall(rf"{program} ([a-z][a-z-]*)", told)
        assert commands and all(parser.parse_args([command]).run for command in commands)
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert set(scripts) == {"fairfl-book", "fairfl-reproduce"}


def test_links_of_the_pages_lead_somewhere():
    known = set(book_paths.Book(ROOT).names())
    for page in ("README.md", "CONTRIBUTING.md", "chapters/README.md", "book/pages/install.md"):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
            if link.endswith(".ipynb") and Path(link).stem in known:
                continue  # a chapter whose text is here and whose notebook is about to be made
            assert ((ROOT / page).parent / link).exists(), f"{page}: {link}"


def table():
    """Rows of the table of chapters: name → (title, minutes, seconds)."""
    rows = re.findall(r"^\| (\d\d) \| \[(.+)\]\((\w+)\.ipynb\) \| (\d+) \| (\d+) s \|$", CHAPTERS, re.MULTILINE)
    return {
        name: (title, int(minutes), int(seconds))
        for number, title, name, minutes, seconds in rows
        if name.startswith(number)
    }


def test_the_table_of_chapters_is_the_book():
    book = book_paths.Book(ROOT)
    names = book.names()
    if not names:
        pytest.skip("the book has no chapters yet")
    fronts = {name: frontmatter.read(chapter_notebooks.read(book.twin(name)).metadata.get("fairfl")) for name in names}
    plain = {name: (re.sub(r"^\d+\. ", "", front.title), front.minutes) for name, front in fronts.items()}
    assert {name: row[:2] for name, row in table().items()} == plain


def test_the_minutes_are_those_that_the_texts_take():
    book = book_paths.Book(ROOT)
    fronts = notebook_checks.fronts(book)
    for name in book.names():
        text = book.twin(name).read_text(encoding="utf-8")
        assert reading_time.with_minutes(text, reading_time.builds_on(name, fronts)) == text, (
            f"{name}: run python -m fairfl_book.build.reading_time"
        )


def test_the_run_times_are_those_of_the_notebooks():
    book = book_paths.Book(ROOT)
    for name, (_, _, told) in table().items():
        measured = json.loads(book.notebook(name).read_text(encoding="utf-8"))["metadata"]["fairfl_run"]["seconds"]
        # Another machine may be slower or faster; a chapter whose work has changed is told apart.
        assert measured / 2 <= told <= 3 * measured + 5, name


def test_the_ledgers_headline_is_the_ledgers():
    from reproductions import claim_verdict, ledger
    from reproductions.result_folders import Records

    assert claim_verdict.headline(Records(ROOT)) in README and ledger.headline(Records(ROOT)) in README


def test_the_tables_that_came_out_again_are_told_as_they_did():
    from reproductions import agreement, catalogue, results
    from reproductions.result_folders import Records

    for page in (README, (ROOT / "README.zh.md").read_text(encoding="utf-8")):
        head, *lines = page.split("```text\n" + agreement.HEAD[:5])[1].split("```")[0].splitlines()
        assert agreement.HEAD.endswith(head) and len(lines) == 3
        for line in lines:
            experiment = catalogue.load(line.split()[0])
            recorded = results.load(experiment, Records(ROOT).results)
            assert agreement.agreement(experiment, recorded, Records(ROOT).papers).line() == line


def test_the_sites_first_page_tells_the_best_table_as_it_came_out():
    from reproductions import agreement, catalogue, claim_verdict, paper_claim, results
    from reproductions.result_folders import Records

    page, records = " ".join((ROOT / "book/pages/index.md").read_text(encoding="utf-8").split()), Records(ROOT)
    experiment = catalogue.load("fedfv_table_3_logged")
    told = agreement.agreement(experiment, results.load(experiment, records.results), records.papers)
    assert f"(rank correlation {told.order[0]:.2f} to {told.order[1]:.2f})" in page
    assert f"half of its numbers are within {told.miss:.2f} points" in page
    words = [one.word for paper in paper_claim.papers() for one in claim_verdict.judge(paper, records)]
    assert f"Of {len(words)} claims, {words.count('holds')} hold, {words.count('undecided')} are undecided" in page


def test_the_header_to_copy_is_valid():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    header = yaml.safe_load(re.search(r"```yaml\n---\n(.+?)---\n```", text, re.DOTALL)[1])
    assert frontmatter.read(header["fairfl"]) and header["jupytext"]["text_representation"]["format_name"] == "myst"


def test_the_tags_explained_are_the_tags_allowed():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| tag | meaning |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == notebook_checks.TAGS
