"""Translations that cannot drift: known by the digest of their English, the same but for the words, and marked where they are behind."""

import copy
import json

import nbformat
import pytest
from fairfl_book import command
from fairfl_book.build import chapter_notebooks
from fairfl_book.exercises import check, hint
from fairfl_book.exercises.registry import _EXERCISES
from fairfl_book.reading import copies, copy_extras
from fairfl_book.site import chapter_index, languages
from fairfl_book.translation import (
    edition,
    invariants,
    pending,
    required_sentences,
    sentences,
    translated_copies,
    translation_file,
    units,
)
from fairfl_book.translation.sentences import tr, using
from refusals import refused

BODY = """# Ferries

One `好` ferry, see [the list](#References) and [below](#Two-ferries).

```{code-cell}
:tags: [head]
# Run this first
import os
print(os.environ.get("FAIRFL_LANGUAGE"))
```

Three boats.

## Two ferries

The second one.

```{code-cell}
:tags: [check]
check("ferries.count", ...)
```

## References

- A. Lovelace (1843). [Notes on the Analytical Engine](https://example.org/ada). *Scientific Memoirs*."""
CHINESE = {
    "Ferries": "渡船",
    "You will see one ferry.": "你将看到一艘渡船。",
    "count to one": "数到一",
    "# Ferries\n\nOne `好` ferry, see [the list](#References) and [below](#Two-ferries).": "# 渡船\n\n一艘渡船，见[列表](#References)和[下文](#Two-ferries)。\n`好`\n的。\n“好”。",
    "Three boats.": "三条船。",
    "## Two ferries\n\nThe second one.": "## 两艘渡船\n\n第二艘。",
}


@pytest.fixture
def ferries(book, write_twin, exercises):
    """A chapter that is executed, as it were, and translated whole."""

    def publish(body=BODY):
        notebook = chapter_notebooks.read(write_twin("01_ferries", body))
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="as it ran\n")]
        nbformat.write(notebook, book.notebook("01_ferries"))
        return notebook

    publish()
    path = translation_file.file(book, "01_ferries", "zh")
    path.parent.mkdir()
    entries = {units.digest(en): translation_file.Entry(units.digest(en), zh) for en, zh in CHINESE.items()}
    path.write_text(translation_file.written(CHINESE, entries), encoding="utf-8")
    return publish


def made(book):
    folder = edition.build(book, "zh")
    return nbformat.read(folder / "01_ferries.ipynb", as_version=4)


def test_a_chapter_in_another_language_keeps_code_and_outputs(book, ferries):
    english, chinese = nbformat.read(book.notebook("01_ferries"), as_version=4), made(book)
    assert [cell.cell_type for cell in chinese.cells] == [cell.cell_type for cell in english.cells]
    sources = [cell.source for cell in chinese.cells]
    assert (
        sources[0].startswith("# 渡船\n")
        and "<small>译自英文版。" in sources[0]
        and sources[2] == "三条船。\n\n## 两艘渡船\n\n第二艘。"
    )
    assert "见[列表](#参考文献)和[下文](#两艘渡船)。`好`\n的。“好”。" in sources[0]
    assert sources[4].startswith("## 参考文献\n\n- A. Lovelace (1843).")
    assert chinese.metadata["fairfl"]["title"] == "渡船" and chinese.metadata["fairfl"]["able"] == ["数到一"]
    assert chinese.cells[1].outputs == english.cells[1].outputs
    assert chinese.cells[3].outputs[0].data["text/plain"].startswith("○ ferries.count：尚未作答\n")
    chosen = '# Run this first\nimport os\nos.environ["FAIRFL_LANGUAGE"] = "zh"\nimport os\n'
    assert sources[1].startswith(chosen) and not english.cells[1].source.startswith(chosen)


def test_a_changed_cell_is_english_again_marked_and_counted(book, ferries):
    assert pending.counted(book, "zh") == {"01_ferries": 0}
    ferries(BODY.replace("The second one.", "The second one sinks."))
    assert pending.pieces(book, "01_ferries", "zh") == ["## Two ferries\n\nThe second one sinks."]
    changed = made(book).cells[2].source
    with using("zh"):
        mark = tr(edition.CHANGED)
    assert changed == f"三条船。\n\n## Two ferries\n\n> {mark}\n\nThe second one sinks."
    assert pending.state(book, "zh") == pending.stated(book, "zh") == {"01_ferries": 1}
    assert "[下文](#Two-ferries)" in made(book).cells[0].source, "the heading is English, and so is its address"


def test_the_translators_file_keeps_what_there_was_and_shows_the_english_whole(book, ferries):
    path = translation_file.file(book, "01_ferries", "zh")
    before = path.read_text(encoding="utf-8")
    assert pending.refresh(book, "01_ferries", "zh") == 0 and path.read_text(encoding="utf-8") == before
    now = "## Two ferries\n\nThe second one sinks --> slowly, and here are more words than one line wants to show."
    ferries(
        BODY.replace("## Two ferries\n\nThe second one.", now).replace("Three boats.", "Four boats.\n\n## New\n\nA.")
    )
    assert pending.refresh(book, "01_ferries", "zh") == 3
    todo = path.read_text(encoding="utf-8")
    head = f"<!-- todo {units.digest(now)} \n{now.replace('-->', '--&gt;')}\n-->\n## 两艘渡船\n\n第二艘。"
    assert head in todo and todo.count("<!-- todo ") == 3 and "Four boats.\n-->\n三条船。" in todo
    assert "## New\n\nA.\n-->\n\n" in todo, "nothing is left of an older translation of what is new"
    assert translation_file.read(path) == {units.digest(en): zh for en, zh in list(CHINESE.items())[:4]}
    assert pending.refresh(book, "01_ferries", "zh") == 3 and path.read_text(encoding="utf-8") == todo, "twice is once"
    path.write_text(todo.replace(f"<!-- todo {units.digest(now)}", f"<!-- {units.digest(now)}"), encoding="utf-8")
    assert pending.refresh(book, "01_ferries", "zh") == 2
    assert f"<!-- {units.digest(now)} ## Two ferries The second one sinks --&gt; slowly," in path.read_text(
        encoding="utf-8"
    )


def test_a_digest_that_is_there_twice_and_a_file_of_no_chapter_are_refused(book, ferries):
    path = translation_file.file(book, "01_ferries", "zh")
    with refused("value", "digest"):
        translation_file.parse(path.read_text(encoding="utf-8") * 2)
    with refused("value", "'no head'", "<!-- "):
        translation_file.parse("no head\n")
    path.rename(path.with_name("02_boats.md"))
    with refused("name", "02_boats"):
        translation_file.names(book, "zh")


ENGLISH = """# A

Of 1,797 see `code`, $a_1$, [Ada, 1843](#References), [here](https://example.org) and ![a dot](dot.png).

$$ b \\text{ if } c $$

**One**.

Two.

<details>
<summary>Why</summary>

| a | b |
|---|---|
| 7 | $x$ |

```python
run()
```

</details>"""
SAME = (
    ENGLISH.replace("1,797", "1797").replace("\\text{ if }", "\\text{若}").replace("Why", "为何").replace("a dot", "点")
)


def test_a_translation_may_change_words_alone():
    assert list(invariants.differences(ENGLISH, SAME)) == []


@pytest.mark.parametrize(
    "kind, before, after",
    [
        ("a formula", "$a_1$", "$a_2$"),
        ("a formula", "b \\text{若} c", "b \\text{若} d"),
        ("a code span", "`code`", "code"),
        ("a code block", "run()", "walk()"),
        ("a citation", "Ada, 1843", "Ada, 1844"),
        ("the target of a link", "https://example.org", "https://example.com"),
        ("a picture", "dot.png", "dash.png"),
        ("an HTML tag", "</details>", ""),
        ("a heading", "# A", "## A"),
        ("a row of a table", "| 7 | $x$ |\n", ""),
        ("a number", "1797", "1798"),
        ("a number", "| 7 |", "| 8 |"),
        ("a passage in bold", "**One**", "One"),
        ("a paragraph", "\n\nTwo.", " Two."),
    ],
)
def test_what_is_more_than_words_is_missed(kind, before, after):
    assert before in SAME
    assert kind in " ".join(invariants.differences(ENGLISH, SAME.replace(before, after, 1)))


def test_sentences_are_compared_by_places_code_and_numbers():
    assert list(invariants.in_sentence("{n} of `a` and 2", "2 里 {n} 个 `a`")) == []
    for spoilt in ("2 里 {m} 个 `a`", "2 里 {n} 个 `b`", "3 里 {n} 个 `a`"):
        assert list(invariants.in_sentence("{n} of `a` and 2", spoilt)) != []


def test_a_sentence_without_translation_stays_english(monkeypatch):
    assert tr("Hint {n} of {all}", n=1, all=2) == "Hint 1 of 2"
    with using("zh"):
        assert tr("Hint {n} of {all}", n=1, all=2) == "第 1 步提示，共 2 步"
        assert tr("{nobody} said {this}", this="that") == "{nobody} said that"
    monkeypatch.setenv("FAIRFL_LANGUAGE", "zh")
    assert tr("The map") == "各章地图"
    monkeypatch.setenv("FAIRFL_LANGUAGE", "zw")
    with refused("name", "'zw'", "zh"):
        tr("The map")


def test_an_entry_that_is_not_whole_or_there_twice_is_refused():
    for entry in ({"en": "a"}, {"en": "", "to": "b"}, {"en": "a", "to": 1}, {"en": "a", "to": "c"}):
        with refused("value", "here"):
            sentences._add({"a": "b"}, entry, "here")


def test_checks_and_hints_answer_in_the_chosen_language(monkeypatch, capsys):
    monkeypatch.setenv("FAIRFL_LANGUAGE", "zh")
    check("start.threshold", 5 / 6)
    check("start.threshold", -0.5)
    check("start.rates", lambda G, weights: G @ G.T @ weights)
    hint("start.threshold")
    said = capsys.readouterr().out.replace("\n", "")
    assert "✗ start.threshold：还不对。 5/6 是客户端 2 的速率变为零的地方" in said and "问的是客户端 1" in said
    assert "正负号反了" in said and "对 G = [[1, 0], [-1, 2]], weights = [0.5, 0.5]，你的回答是" in said
    assert "第 1 步提示，共 3 步" in said and "还不对" in said and "not yet" not in said


def test_what_code_says_is_found_however_it_is_handed_over():
    code = "A = 'by name'\ndef f(x):\n    said = 'here'\n    return tr(A), tr(said, n=1), tr('one' if x else 'two'), tr(x), other('no')"
    assert set(required_sentences.spoken(code)) == {"by name", "here", "one", "two"}


def test_a_reader_gets_copies_of_their_own_beside_the_english(book, ferries, capsys, monkeypatch):
    monkeypatch.delitem(_EXERCISES, "ferries.count")
    monkeypatch.delitem(_EXERCISES, "ferries.why")
    front = edition.fronts(book, "zh")
    fronts = {"00_boats": copy.copy(front["01_ferries"]), "01_ferries": front["01_ferries"]}
    assert translated_copies.prepare(book, book.work, "zh", fronts) == copy_extras.COVER
    chinese = book.work / "zh" / "01_ferries.ipynb"
    cells = json.loads(chinese.read_text(encoding="utf-8"))["cells"]
    assert "[English](../01_ferries.ipynb)" in cells[0]["source"] and "../00_boats.ipynb" in cells[0]["source"]
    cover = (book.work / "zh" / copy_extras.COVER).read_text(encoding="utf-8")
    assert "公平联邦学习" in cover and "[渡船](01_ferries.ipynb)" in cover and "(../00_boats.ipynb)" in cover
    cells[3]["source"] = "mine"
    chinese.write_text(json.dumps({**json.loads(chinese.read_text(encoding="utf-8")), "cells": cells}))
    ferries(BODY.replace("Three boats.", "Four boats."))
    assert translated_copies.prepare(book, book.work, "zh", fronts) == copies.NOTICE
    assert "mine" in chinese.read_text(encoding="utf-8") and (book.work / "zh" / "01_ferries.newer.ipynb").exists()
    kept = translated_copies.reset(book, book.work / "zh", "zh", "01_ferries")
    assert "mine" in kept.read_text(encoding="utf-8") and "mine" not in chinese.read_text(encoding="utf-8")
    with refused("name", "'00_boats'"):
        translated_copies.prepare(book, book.work, "zh", fronts, "00_boats")
    with refused("name", "'fr'"):
        translated_copies.prepare(book, book.work, "fr", fronts)
    assert "01_ferries" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lab --language fr", "unknown --language 'fr'; known: en, zh."),
        ("reset 00 --language fr", "unknown --language 'fr'; known: en, zh."),
        ("chapters 00 --language fr", "unknown --language 'fr'; known: en, zh."),
        ("translate 00 --language en", "unknown --language 'en'; known: zh."),
        ("lab 01 --language zh", "unknown chapter in zh '01_ferries'; known: 00_boats."),
        ("reset 00 01 --language zh", "unknown chapter in zh '01_ferries'; known: 00_boats."),
    ],
)
def test_a_language_or_a_chapter_that_is_not_there_is_refused_before_a_copy_is_made(
    line, said, book, monkeypatch, capsys
):
    for name in ("00_boats", "01_ferries"):
        book.twin(name).touch()
    (book.chapters / "zh").mkdir(exist_ok=True)
    monkeypatch.chdir(book.root)
    monkeypatch.setattr(edition, "fronts", lambda *given: {"00_boats": None})
    monkeypatch.setattr("fairfl_book.reading.server.promises", lambda book: {})
    for name in ("prepare", "reset"):
        monkeypatch.setattr(copies, name, lambda *given: pytest.fail("a copy would have been made"))
    assert command.main(line.split()) == 2
    assert said in capsys.readouterr().err and not book.work.exists()


def test_a_page_says_its_language_and_where_the_others_are(tmp_path):
    english = {name: {"title": f"{name[:2]}. Boats", "promise": "One."} for name in ("01_ferries", "02_boats")}
    chinese = {name: {"title": f"{name[:2]}. 船", "promise": "一。"} for name in english}
    known = {"chapters": english, "words": {}, "translated": {"zh": chinese}}
    (tmp_path / chapter_index.FILE).write_text(json.dumps(known), encoding="utf-8")

    class App:
        srcdir = tmp_path

        class env:
            found_docs = {"index", "zh/index", "01_ferries", "zh/01_ferries", "02_boats"}

    def marked(page):
        context = {"pathto": lambda other: f"to/{other}.html", "body": "<h1>", "language": "en"}
        languages.mark(App, page, "", context, object())
        return context

    chinese, english, alone = (marked(page) for page in ("zh/01_ferries", "01_ferries", "02_boats"))
    assert (chinese["language"], english["language"]) == ("zh-CN", "en") and alone["body"] == "<h1>"
    assert '<a href="to/01_ferries.html" hreflang="en" lang="en">English</a>' in chinese["body"]
    assert '<a href="to/zh/01_ferries.html" hreflang="zh-CN" lang="zh-CN">简体中文</a>' in english["body"]
    assert '<link rel="alternate" hreflang="zh-CN" href="to/zh/01_ferries.html">' in english["metatags"]
    assert (chinese["prev"]["link"], chinese["next"]["link"]) == ("to/zh/index.html", "to/02_boats.html")
    assert chinese["next"]["title"] == "02. 船" and "next" not in english
