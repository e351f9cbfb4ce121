"""What the search finds on a page, and what it must not find."""

import json

import pytest

pytest.importorskip("sphinx", reason="the site's packages are not installed (pip install -e '.[book]')")

from docutils import nodes, utils
from fairfl_book.site import passages, search_index
from sphinx import addnodes


def paragraph(*inside):
    return nodes.paragraph(
        "", "", nodes.Text(""), *(nodes.Text(one) if isinstance(one, str) else one for one in inside)
    )


def bold(words):
    return nodes.strong("", words)


def raw(html):
    return nodes.raw("", html, format="html")


def document(*inside, anchor="conflict", title="Conflict"):
    made = utils.new_document("page")
    made += nodes.section("", nodes.title("", title), *inside, ids=[anchor])
    return made


def found(*inside, **named):
    [section] = passages.sections(document(*inside, **named))
    return section.passages


def test_a_paragraph_gets_an_anchor_that_its_page_shows():
    one, two = paragraph("Two gradients."), paragraph("Their angle ", nodes.math("", r"\theta"), ".")
    first, second = found(one, two)
    assert (one["ids"], two["ids"]) == (["conflict-p1"], ["conflict-p2"])
    assert (first.anchor, second.anchor, second.text) == ("conflict-p1", "conflict-p2", r"Their angle \(\theta\).")


def test_an_anchor_that_is_there_is_kept():
    caption = nodes.block_quote("", paragraph(bold("Figure 4.2."), " Two arrows."), ids=["figure-4-2"])
    [hit] = found(caption)
    assert (hit.anchor, hit.kind, caption["ids"]) == ("figure-4-2", "figure", ["figure-4-2"])


def test_a_tight_list_stays_tight():
    item = nodes.list_item("", paragraph("one point"))
    found(nodes.bullet_list("", item))
    assert item["ids"] == ["conflict-p1"] and item[0]["ids"] == []


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ((bold("Your turn."), " Which client?"), "turn"),
        ((bold("轮到你了"), "。哪个客户端？"), "turn"),
        ((bold("3."), " ", nodes.emphasis("", "(proof)"), " Show it."), "exercise"),
        ((bold("Proof."), " By induction."), ""),
        ((bold("3."), " is no exercise without its level"), ""),
    ],
)
def test_the_kind_of_a_paragraph(inside, kind):
    assert [hit.kind for hit in found(paragraph(*inside))] == [kind]


def test_answers_code_and_marks_are_no_passages():
    hits = found(
        paragraph(raw("<small>"), "On the shortest way", raw("</small>")),
        nodes.container("", nodes.literal_block("", "secret = 1"), paragraph("an output"), classes=["cell"]),
        raw('<details class="answer">\n<summary>One solution</summary>\n'),
        paragraph("The secret is 7."),
        raw("</details>"),
        paragraph("Seen."),
    )
    assert [hit.text for hit in hits] == ["Seen."]


def test_a_fold_names_its_first_paragraph_and_ends():
    hits = found(
        raw("<details>\n<summary>Look closer: <b>why?</b></summary>\n"),
        paragraph("Because."),
        raw("<details><summary>Yes.</summary>It is.</details>\n"),
        paragraph("And so on."),
        raw("</details>"),
        paragraph("After."),
    )
    assert [(hit.name, hit.text) for hit in hits] == [
        ("Look closer: why?", "Because."),
        ("", "And so on."),
        ("", "After."),
    ]


def test_a_chapters_own_references_are_left_to_the_bibliography():
    line = "Z. Hu and Y. Yu (2022). Federated Learning Meets. IEEE."
    assert (
        passages.sections(document(nodes.bullet_list("", nodes.list_item("", paragraph(line))), anchor="references"))
        == []
    )
    [hit] = found(nodes.bullet_list("", nodes.list_item("", paragraph(line))), anchor="bibliography")
    assert (hit.kind, hit.name) == ("work", "Z. Hu and Y. Yu (2022)") and hit.text.startswith("Federated")


def test_a_term_has_both_names_and_both_definitions():
    item = nodes.definition_list_item(
        "",
        nodes.term("", "rate", ids=["term-rate"]),
        nodes.term("", "速率", ids=["term-0"]),
        nodes.definition("", paragraph("How fast."), paragraph("多快。")),
    )
    [hit] = found(addnodes.glossary("", nodes.definition_list("", item)))
    assert (hit.anchor, hit.kind, hit.name, hit.text) == ("term-rate", "term", "rate · 速率", "How fast.\n多快。")


def test_a_class_and_its_methods_are_found_by_their_full_names():
    def described(name, *inside):
        signature = addnodes.desc_signature("", name, ids=[f"fairfl.{name}"])
        return addnodes.desc("", signature, addnodes.desc_content("", *inside))

    hits = found(described("Rule", paragraph("A rule."), described("Rule.direction", paragraph("Its answer."))))
    assert [(hit.anchor, hit.name, hit.text) for hit in hits] == [
        ("fairfl.Rule", "fairfl.Rule", "A rule."),
        ("fairfl.Rule.direction", "fairfl.Rule.direction", "Its answer."),
    ]


def test_the_index_is_one_script_with_the_language_of_every_page():
    pages = {
        "zh/04": passages.sections(document(paragraph("一"))),
        "04": passages.sections(document(paragraph("a </script> b"), paragraph(bold("Your turn."), " Go."))),
        "glossary": [],
    }
    written = search_index.script(pages)
    assert written.startswith("globalThis.SEARCH_INDEX=") and written.endswith(";\n")
    index = json.loads(written.removeprefix("globalThis.SEARCH_INDEX=").removesuffix(";\n"))
    assert index == [
        ["04", "en", [[0, "conflict", "Conflict", ["a </script> b", ["", "turn", "", "Your turn. Go."]]]]],
        ["glossary", "", []],
        ["zh/04", "zh", [[0, "conflict", "Conflict", ["一"]]]],
    ]
