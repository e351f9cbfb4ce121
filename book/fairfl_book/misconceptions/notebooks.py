"""The two notebooks with the questions: one for before the course, one for after it. They run without the book, because a class has not installed it before the course."""

import re
from collections.abc import Iterable
from pathlib import Path

import nbformat

from fairfl import _atomic_files
from fairfl.errors import Refused, unknown
from fairfl_book.misconceptions.questions import QUESTIONS

BEFORE, AFTER = NAMES = ("questions_before", "questions_after")
TITLES = {BEFORE: "Questions before the course", AFTER: "Questions after the course"}
_ANSWER = re.compile(r"[ \t]*(before|after)_(\d{1,2})[ \t]*=(?!=)")

_HOW = """\
# {title}

These {count} questions have no marks. They show your teacher what to talk about, and they are asked {when}.

Exactly one answer to each question is right. Write its letter in the place of the three dots, in quotes:

    {name}_1 = "a"

If you do not know an answer, leave the three dots. You need not run anything. Save the notebook and hand it in.

The words: a *client*, such as a hospital or a phone, keeps its own data. The *server* sends a model to the clients and combines what they send back, by a *rule*. All this is one *round*. A client's *loss* says how badly the model does on that client's data, and its *gradient* points where this loss grows fastest. A step lowers a loss *to first order* if its dot product with the gradient is negative.

A client *gains* if its loss falls, and *loses* if its loss rises. Its *accuracy* is the share of its test images that the model gets right. What it sends back is its *update*. The server multiplies each update by a *weight*; weights are not negative and add up to 1. *Plain averaging* gives everybody the same weight."""
_WHEN = {BEFORE: "again after the course", AFTER: "a second time, now that you have read the book"}


def variable(name: str, number: int) -> str:
    """The variable that holds the answer to a question: ``before_1`` for the first question of ``BEFORE``."""
    return f"{name.removeprefix('questions_')}_{number}"


def made(name: str) -> bytes:
    """The notebook ``name``, one of ``NAMES``. Raises ``Refused`` for another name."""
    if name not in NAMES:
        raise unknown("questionnaire", name, NAMES)
    v4 = nbformat.v4
    words = _HOW.format(
        title=TITLES[name], count=len(QUESTIONS), when=_WHEN[name], name=name.removeprefix("questions_")
    )
    cells = [v4.new_markdown_cell(words, id=name)]
    for number, question in enumerate(QUESTIONS, 1):
        choices = "\n".join(f"- **{letter}.** {choice.text}" for letter, choice in question.choices.items())
        cells.append(v4.new_markdown_cell(f"**{number}.** {question.text}\n\n{choices}", id=f"question-{number}"))
        stub = f"{variable(name, number)} = ..."
        cells.append(v4.new_code_cell(stub, id=f"answer-{number}", metadata={"tags": ["exercise"]}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "fairfl": {"title": TITLES[name]}})
    return (nbformat.writes(notebook) + "\n").encode("utf-8")


def write(out: Path) -> list[Path]:
    """Write both notebooks into the folder ``out`` and return the files. Raises ``Refused``, and writes nothing, if one is there with other content."""
    contents = {out / f"{name}.ipynb": made(name) for name in NAMES}
    for path, content in contents.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != content):
            raise Refused(
                f"{path} exists and is not the notebook that this command writes; somebody may have answered in it. Nothing was changed. Move it "
                "away, or choose another folder with --out.",
                "file",
            )
    out.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        _atomic_files.write(path, content)
    return list(contents)


def answers(sources: Iterable[str]) -> dict[str, dict[int, str]]:
    """What the code cells assign to the variables of each questionnaire, as written: name → number of the question → text. Nothing is run."""
    found: dict[str, dict[int, str]] = {name: {} for name in NAMES}
    for source in sources:
        for line in source.splitlines():
            if one := _ANSWER.match(line):
                found[f"questions_{one[1]}"][int(one[2])] = line[one.end() :].partition("#")[0].strip()
    return found
