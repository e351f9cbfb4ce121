"""The Chinese front door: the same commands, chapters and links as the English one."""

import re
from pathlib import Path

from fairfl_book import book_paths
from fairfl_book.build import notebook_checks
from fairfl_book.translation import edition

BOOK = book_paths.find()
ENGLISH = (BOOK.root / "README.md").read_text(encoding="utf-8")
CHINESE = (BOOK.root / "README.zh.md").read_text(encoding="utf-8")
CHAPTERS = (BOOK.chapters / "README.zh.md").read_text(encoding="utf-8")
COMMAND = r"`((?:make|conda|python|py|pip)\b[^`\n]*)`"


def blocks(page, language):
    """The lines of code blocks in a language, without comments."""
    code = "\n".join(re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S))
    return [line for line in (re.sub(r"\s*#.*", "", line).rstrip() for line in code.splitlines()) if line]


def test_commands_and_code_are_the_same():
    for language in ("sh", "python"):
        assert blocks(ENGLISH, language) and blocks(CHINESE, language) == blocks(ENGLISH, language), language


def test_every_command_in_the_english_text_is_in_the_chinese_one():
    assert set(re.findall(COMMAND, ENGLISH)) <= set(re.findall(COMMAND, CHINESE))


def test_the_chapters_are_the_books_with_their_minutes():
    rows = re.findall(r"^\| (\d\d) \| \[(.+)\]\((\w+)\.ipynb\) \| (\d+) \|", CHAPTERS, re.M)
    told = {name: (number, int(minutes)) for number, _, name, minutes in rows}
    book = {name: (name[:2], front.minutes) for name, front in notebook_checks.fronts(BOOK).items()}
    lacking = [
        f"| {number} | [中文标题]({name}.ipynb) | {minutes} |"
        for name, (number, minutes) in book.items()
        if told.get(name) != (number, minutes)
    ]
    assert told == book and len(rows) == len(told), (
        "chapters/README.zh.md needs these rows, with Chinese titles:\n" + "\n".join(lacking)
    )
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert all(re.search(r"[\u4e00-\u9fff]", title) for _, title, _, _ in rows)


def test_the_titles_are_those_of_the_translations():
    """The site and the cover of the Chinese copies take them from there."""
    listed = dict(re.findall(r"^\| (\d\d) \| \[(.+)\]\(", CHAPTERS, re.M))
    shown = edition.of_all(notebook_checks.fronts(BOOK), edition.fronts(BOOK, "zh"), "zh")
    assert {name[:2]: front.title for name, front in shown.items()} == {
        number: f"{int(number)}. {title}" for number, title in listed.items()
    }


def test_links_lead_somewhere_and_to_the_glossary():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", CHINESE)
    assert {"README.md", "book/glossary.toml"} <= set(links)
    texts = {f"chapters/{name}.ipynb" for name in BOOK.names()}  # a notebook may still have to be made from its text
    missing = [link for link in links if link not in texts and not Path(BOOK.root, link).exists()]
    assert not missing


def test_the_terms_are_the_glossarys():
    """The words of the one picture, as the glossary has them."""
    for term in ("联邦学习", "联邦平均", "客户端", "格拉姆矩阵", "权重", "速率", "聚合规则", "帕累托前沿"):
        assert term in CHINESE and term in (BOOK.root / "book" / "glossary.toml").read_text(encoding="utf-8"), term
