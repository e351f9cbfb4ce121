"""Each guard finds what it is there for, and nothing else."""

import dataclasses

import nbformat
import numpy as np
import pytest
from fairfl_book.build import notebook_checks, text_checks
from fairfl_book.exercises import Verdict
from fairfl_book.exercises.compare import short
from fairfl_book.exercises.display import bundle
from fairfl_book.exercises.display import marked_up as said_in_html

V4 = nbformat.v4


def problems(chapter, **changed):
    return notebook_checks.inspect(dataclasses.replace(chapter, **changed))


def add(chapter, source, *outputs, **metadata):
    """Append an executed code cell."""
    count = sum(1 for _ in notebook_checks.code_cells(chapter.notebook)) + 1
    chapter.notebook.cells.append(
        V4.new_code_cell(source, execution_count=count, outputs=list(outputs), metadata=metadata)
    )


def test_a_good_chapter_has_no_problems(chapter):
    assert problems(chapter) == []


def only(chapter, words, **changed):
    """Exactly one problem is found, and it says ``words``."""
    [problem] = problems(chapter, **changed)
    assert words in problem and problem.startswith("01_ferries: ")


@pytest.mark.parametrize(
    "source, said",
    [
        ("import numpy as np\nfrom fairfl import rules", "imports and does nothing else"),
        ("figures.show(figure, 'a dot')", "draws, but is not folded"),
        ("claim('a dot is small', small)", "tries a claim, but is not folded"),
    ],
)
def test_in_the_third_manner_plumbing_is_folded(chapter, source, said):
    """Elsewhere, as in chapters that are not rewritten yet, nobody asks for it."""
    chapter.notebook.cells[0].source += "\n\n" + EXERCISES.format("2, 3 and 4")
    add(chapter, source)
    assert problems(chapter) == []
    only(chapter, said, third=True)
    chapter.notebook.cells[-1].metadata["jupyter"] = {"source_hidden": True}
    only(chapter, "does not begin with a comment", third=True)
    chapter.notebook.cells[-1].source = "# The code of the figure\n" + source
    assert problems(chapter, third=True) == []


def test_the_shortest_way_goes_through_sections_that_there_are(chapter):
    chapter.notebook.cells[0].source += f"\n\n## Piers\n\n{notebook_checks.ON_THE_WAY}\n\n## Bows\n\nWet."
    front = dataclasses.replace(chapter.front, shortest=("Piers", "Bow"))
    only(chapter, "unknown section 'Bow'", front=front)
    assert problems(chapter, front=dataclasses.replace(front, shortest=("Piers",))) == []


def test_a_section_on_the_shortest_way_carries_the_mark_and_no_other_does(chapter):
    chapter.notebook.cells[0].source += f"\n\n## Piers\n\nDry.\n\n## Bows\n\n{notebook_checks.ON_THE_WAY}\n\nWet."
    front = dataclasses.replace(chapter.front, shortest=("Piers",))
    bare, marked = problems(chapter, front=front)
    assert "'Piers'" in bare and notebook_checks.ON_THE_WAY in bare
    assert "'Bows'" in marked and "the front matter does not list it" in marked


def test_a_link_within_the_chapter_leads_to_a_heading_as_jupyterlab_calls_it(chapter):
    chapter.notebook.cells[0].source += "\n\n## Two piers, one bow\n\nSee [there](#Two-piers,-one-bow)."
    assert problems(chapter) == []
    chapter.notebook.cells[0].source += "\n\nAnd [there](#two-piers-one-bow)."
    only(chapter, "unknown section '#two-piers-one-bow'")


CAPTION = "> **Figure {}.** A ferry."


@pytest.mark.parametrize(
    "text, said",
    [
        ("See Figure 1.1.\n\n" + CAPTION.format("1.2"), "refers to Figure 1.1"),
        ("See Figure 1.2.\n\n" + CAPTION.format("1.2"), "Figure 1.1 is expected"),
        ("A ferry.\n\n" + CAPTION.format("1.1"), "never refers to Figure 1.1"),
    ],
)
def test_figures_count_from_one_and_the_text_speaks_of_each(chapter, text, said):
    chapter.notebook.cells[0].source += f"\n\n{text}"
    assert any(said in problem for problem in problems(chapter))


def test_numbered_figures_pass_in_order_and_so_do_those_of_other_chapters(chapter):
    chapter.notebook.cells[
        0
    ].source += f"\n\nFigures: Figure 1.1 and Figure 1.2; Figure 4.2 is elsewhere.\n\n{CAPTION.format('1.1')}\n\n{CAPTION.format('1.2')}"
    assert problems(chapter) == []
    chapter.notebook.cells[2].source = "# The code of Figure 1.3\n" + chapter.notebook.cells[2].source
    only(chapter, "refers to Figure 1.3")


EXERCISES = "## Exercises\n\n**For an hour:** exercises {}.\n\n**1.** *(warm-up)* A.\n\n**2.** *(work)* B.\n\n**3.** *(proof)* C.\n\n**4.** *(open)* D."


@pytest.mark.parametrize(
    "given, said",
    [("1, 2 and 5", "has no line **For an hour:**"), ("1, 2 and 4", "takes 42"), ("2, 3 and 4", "takes 67")],
)
def test_a_first_set_of_three_takes_about_an_hour(chapter, given, said):
    chapter.notebook.cells[0].source += "\n\n" + EXERCISES.format(given)
    found = list(notebook_checks.first_set_of_three(dataclasses.replace(chapter, third=True)))
    assert found == [] if said.startswith("takes") else len(found) == 1 and said in found[0]
    assert list(notebook_checks.first_set_of_three(chapter)) == []


def test_a_first_set_that_takes_too_little_is_named(chapter, monkeypatch):
    chapter.notebook.cells[0].source += "\n\n" + EXERCISES.format("1, 2 and 4")
    monkeypatch.setattr(notebook_checks, "HOUR", (50, 70))
    [problem] = notebook_checks.first_set_of_three(dataclasses.replace(chapter, third=True))
    assert "take 42 minutes" in problem


def test_what_the_text_teaches_stays_open_in_the_third_manner(chapter):
    chapter.notebook.cells[0].source += "\n\n" + EXERCISES.format("2, 3 and 4")
    add(chapter, "from fairfl import train\nhistory = train()")
    add(chapter, "figures.show(lab, 'a lab')", tags=["lab"])
    assert problems(chapter, third=True) == []


@pytest.mark.parametrize("count", [None, 7])
def test_cells_out_of_order(chapter, count):
    chapter.notebook.cells[2].execution_count = count
    only(chapter, f"cell 3: executed as {count}, expected 2")


def test_an_error_output(chapter):
    add(chapter, "1 / 0", V4.new_output("error", ename="ZeroDivisionError", evalue="division by zero", traceback=[]))
    only(chapter, "cell 7: ends in ZeroDivisionError: division by zero")


def test_an_intended_error_passes(chapter):
    add(chapter, "1 / 0", V4.new_output("error", ename="E", evalue="", traceback=[]), tags=["raises-exception"])
    assert problems(chapter) == []


def test_stderr(chapter):
    add(chapter, "warn()", V4.new_output("stream", name="stderr", text="UserWarning: beware"))
    only(chapter, "cell 7: writes to stderr ('UserWarning: beware')")


@pytest.mark.parametrize("metadata", [{}, {"image/png": {"alt": " "}}])
def test_a_picture_without_words(chapter, metadata):
    chapter.notebook.cells[2].outputs[0].metadata = nbformat.from_dict(metadata)
    only(chapter, "cell 3: a picture without alternative text")


@pytest.mark.parametrize(
    "html", ['<img src="data:image/png;base64,AAAA">', '<img alt=" " src="a">', '<img alt="a > b" src="a"><img alt>']
)
def test_a_picture_in_html_without_words(chapter, html):
    add(chapter, "show()", V4.new_output("display_data", {"text/html": html, "text/plain": "words"}))
    only(chapter, "cell 7: a picture without alternative text")


@pytest.mark.parametrize("html", ['<img alt="a > b, &quot;c&quot;" src="a">', "<table><tr><td>1</td></tr></table>"])
def test_html_with_words_and_html_without_pictures_pass(chapter, html):
    add(chapter, "show()", V4.new_output("display_data", {"text/html": html, "text/plain": "words"}))
    assert problems(chapter) == []


@pytest.mark.parametrize("text", ["saved to /home/ada/book/a.npz", "'/tmp/x'", r"C:\Users\ada\a.npz"])
def test_a_path_of_one_machine(chapter, text):
    add(chapter, "save()", V4.new_output("stream", name="stdout", text=text))
    only(chapter, "cell 7: prints a path of one machine")


@pytest.mark.parametrize("text", ["12 samples/usr/day", "https://example.org/home/ada", "and/or", "chapters/home/x"])
def test_other_slashes_pass(chapter, text):
    add(chapter, "save()", V4.new_output("stream", name="stdout", text=text))
    assert problems(chapter) == []


def test_an_unknown_tag(chapter):
    chapter.notebook.cells[3].metadata["tags"] = ["excercise"]
    only(
        chapter,
        "cell 4: unknown tag 'excercise'; known: check, exercise, head, lab, nbval-ignore-output, raises-"
        "exception, setup, turn. Did you mean 'exercise'?",
    )


@pytest.mark.parametrize("call", ['hint("ferries.count")', 'if True:\n    solution("ferries.count")'])
def test_an_answer_that_would_be_stored(chapter, call):
    add(chapter, call)
    only(chapter, f"cell 7: calls {call.strip().split('(')[0].split()[-1]}(…), whose output would be stored")


def test_a_hint_in_words_passes(chapter):
    add(chapter, '# hint("ferries.count") helps\nprint("solution(…) too")\nresolution(2)')
    assert problems(chapter) == []


def checked(chapter, slug, said, tags=("check",)):
    """Append an executed check that said what ``check`` says."""
    data = said_by(slug, said)
    add(chapter, f'check("{slug}", n)', V4.new_output("display_data", data=data), tags=list(tags))


def said_by(slug, status):
    return bundle(*Verdict(slug, status).words)


@pytest.mark.parametrize("status", ["not attempted yet", "not yet"])
def test_a_check_that_is_not_passed_passes(chapter, status):
    checked(chapter, "ferries.count", status)
    assert problems(chapter) == []


def test_a_stub_that_solves_its_exercise(chapter):
    checked(chapter, "ferries.count", "right")
    only(chapter, "cell 7: the stub above passes this check")


def test_an_exercise_that_nobody_registered(chapter):
    checked(chapter, "ferries.cuont", "not attempted yet")
    only(chapter, "cell 7: unknown exercise 'ferries.cuont'")


def test_an_open_stub_that_nobody_registered(chapter):
    chapter.notebook.cells[3].source = "# ferries.who: your prediction"
    only(chapter, "cell 4: unknown exercise 'ferries.who'")


def test_exercises_of_the_other_kind(chapter):
    checked(chapter, "ferries.why", "not attempted yet")
    chapter.notebook.cells[3].source = "# ferries.count: your prediction"
    first, second = problems(chapter)
    assert "cell 4: ferries.count has a check in" in first and "cell 7: ferries.why is an open question in" in second


def test_a_check_without_its_tag_and_a_tag_without_its_check(chapter):
    checked(chapter, "ferries.count", "not attempted yet", tags=())
    add(chapter, "2", tags=["check"])
    first, second = problems(chapter)
    assert "cell 7: calls check(…) without the tag" in first and "cell 8: is tagged check without a call" in second


def test_a_long_cell(chapter):
    add(chapter, "\n".join(["a = 1"] * 19))
    only(chapter, "cell 7: 19 lines, at most 18")


@pytest.mark.parametrize(
    "source, tags", [("a = 1", []), ("\n".join(["a = 1"] * 18), []), ("\n".join(["a = 1"] * 40), ["setup"])]
)
def test_short_and_excused_cells_pass(chapter, source, tags):
    add(chapter, source, tags=tags)
    assert problems(chapter) == []


def test_a_wide_line(chapter):
    add(chapter, f"a = 1\nb = '{'x' * 95}'")
    only(chapter, "cell 7: line 2 has 101 characters, at most 100")


def test_a_line_that_just_fits_passes(chapter):
    add(chapter, f"b = '{'x' * 94}'")
    assert problems(chapter) == []


def test_a_large_file(chapter):
    only(chapter, "1600 KB, at most 1500 KB", size=1_600_000)


def test_a_slow_run(chapter):
    chapter.notebook.metadata["fairfl_run"] = {"seconds": 95.0}
    only(chapter, "took 95.0 s, at most 60 s")


def test_an_unrecorded_run(chapter):
    del chapter.notebook.metadata["fairfl_run"]
    only(chapter, "no recorded run")


@pytest.mark.parametrize(
    "source",
    [
        "```{note}\nListen.\n```",
        ":::{tip}\nListen.\n:::",
        ":::\n:::",
        "See {ref}`there`.",
        "(label)=\n## Title",
        "% a comment",
        "+++",
    ],
)
def test_myst(chapter, source):
    chapter.notebook.cells[0].source += f"\n\n{source}"
    only(chapter, "is MyST")


def test_a_formula_in_a_heading(chapter):
    chapter.notebook.cells.append(V4.new_markdown_cell("## Which $\\eta$?"))
    only(chapter, "contains a formula")


def test_a_check_says_true_as_python_says_it_and_stresses_what_it_stresses():
    assert short(np.True_) == "True"
    said = said_in_html("the gradient *there* is not a * b * c, nor `x*y*z`")
    assert said == "the gradient <em>there</em> is not a * b * c, nor <code>x*y*z</code>"


@pytest.mark.parametrize(
    "source",
    [
        "```python\nprint(f'{x}`y`')\n% 2\n```",
        "Write `{note}` and `x`.",
        r"$\frac{a}{b}$ `x`",
        "~~~\n```{note}\n~~~",
        "``{note}`a` ``",
        "50 % of it",
        "a {b} `c`",
    ],
)
def test_native_markdown_passes(chapter, source):
    chapter.notebook.cells[0].source += f"\n\n{source}"
    assert problems(chapter) == []


def test_a_linked_picture_without_words(chapter):
    chapter.notebook.cells[0].source += "\n\n![ ](a.png)"
    only(chapter, "write ![what it shows](...)")


def test_another_title(chapter):
    chapter.notebook.cells[0].source = "# Boats"
    only(chapter, "cell 1: starts with '# Boats'; expected the title of the front matter, '# Ferries'")


def test_a_chapter_that_starts_with_code(chapter):
    chapter.notebook.cells.pop(0)
    assert list(text_checks.title(chapter)) and len(problems(chapter)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "## References",
        "## References\n\n- A. Lovelace (1843). [Another title](https://example.org/ada). *Scientific Memoirs*.",
        "## References\n\n- Somebody else.\n- A. Lovelace (1843). [Notes on the Analytical Engine](https://example.org/ada). "
        "*Scientific Memoirs*.",
    ],
)
def test_references_that_do_not_follow_from_cites(chapter, source):
    chapter.notebook.cells[5].source = source
    only(
        chapter,
        "cell 6: the reference list does not follow from 'cites'; expected:\n## References\n\n- A. Lovelace (1843).",
    )


def test_references_without_cites(chapter):
    only(chapter, "expected:\nno list, since nothing is cited", front=dataclasses.replace(chapter.front, cites=()))


def test_an_unknown_key(chapter):
    only(chapter, "unknown BibTeX key 'ada1834'", front=dataclasses.replace(chapter.front, cites=("ada1834",)))


def test_what_follows_the_references_is_not_part_of_them(chapter):
    chapter.notebook.cells[5].source += "\n\n## Next\n\n- one more thing"
    assert problems(chapter) == []


def test_check_names_what_is_missing(book, write_twin, chapter):
    write_twin("01_ferries", "# Ferries", needs=["sailing"])
    nbformat.write(chapter.notebook, book.notebook("02_boats"))
    found = "\n".join(notebook_checks.check(book, book.names()))
    assert "01_ferries: has a text but no notebook" in found
    assert "02_boats: has a notebook but no text in chapters/src" in found
    assert "01_ferries: needs: unknown term 'sailing'" in found
