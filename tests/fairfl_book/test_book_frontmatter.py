"""What a chapter must promise, and how chapters build on each other."""

import pytest
from fairfl_book.build import frontmatter
from refusals import refused


def test_a_valid_block_is_read(front):
    read = frontmatter.read(front)
    assert (read.title, read.minutes, read.able, read.needs) == ("Ferries", 5, ("count to one",), ("calculus",))


@pytest.mark.parametrize(
    "field, value, message",
    [
        ("title", "", "front matter title"),
        ("title", 3, "front matter title is 3"),
        ("promise", "Two. Sentences.", "one sentence"),
        ("promise", "no end", "one sentence"),
        ("able", [], "at least one entry"),
        ("able", "text", "a list of texts"),
        ("teaches", ["a", "a"], "Remove the second 'a'"),
        ("needs", None, "Write 'needs: \\[\\]' for none"),
        ("minutes", 0, "minutes is 0.*1 or more"),
        ("minutes", True, "minutes is True"),
        ("exercise_minutes", "5", "exercise_minutes is '5'.*0 or more"),
        ("exercise_minutes", -5, "exercise_minutes is -5"),
        ("cites", [7], "front matter cites is 7"),
    ],
)
def test_a_malformed_field_is_refused(front, field, value, message):
    with pytest.raises(ValueError, match=message):
        frontmatter.read({**front, field: value})


def test_a_misspelt_field_offers_the_nearest(front):
    with refused("name", "minuts", "'minutes'"):
        frontmatter.read({**front, "minuts": 5})


def test_a_missing_field_is_named(front):
    del front["needs"]
    with refused("missing", "'needs'"):
        frontmatter.read(front)


def test_a_missing_block_says_where_to_find_one():
    with refused("missing", "CONTRIBUTING"):
        frontmatter.read(None)


def chapters(front, **changed):
    return {name: frontmatter.read({**front, **change}) for name, change in changed.items()}


def test_a_term_taught_before_it_is_needed_is_fine(front):
    assert frontmatter.dangling(chapters(front, a={"teaches": ["x"]}, b={"needs": ["x"], "teaches": []})) == []


def test_a_term_taught_later_is_named_with_its_chapter(front):
    [problem] = frontmatter.dangling(chapters(front, a={"needs": ["x"], "teaches": []}, b={"teaches": ["x"]}))
    assert problem == "a: needs: 'x' is taught in b, which comes after a; reorder the chapters, or teach it here."


def test_an_unknown_term_offers_the_nearest(front):
    [problem] = frontmatter.dangling(chapters(front, a={"needs": ["calculs"]}))
    assert "Did you mean 'calculus'" in problem


def test_a_term_is_taught_once(front):
    [problem] = frontmatter.dangling(chapters(front, a={"teaches": ["x"]}, b={"teaches": ["x"]}))
    assert problem.startswith("b: teaches 'x', which a already teaches")
