"""A student's sheet as one page of HTML that needs no other file. It is made from the rows of one student, so it contains nothing about the others.

The teacher's remarks (``note``, changed cells) stay in the table. Everything that comes from a student is escaped.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from fairfl_book import anchors
from fairfl_book.exercises.display import marked_up
from fairfl_book.exercises.registry import Exercise, everything
from fairfl_book.exercises.registry import Question as Open
from fairfl_book.marking import marks_table, notebook_marker, read_on
from fairfl_book.marking.chapter_exercises import Chapter
from fairfl_book.marking.marks_table import NOT_MARKED, READ, Row
from fairfl_book.marking.submissions import NOTEBOOK
from fairfl_book.misconceptions import notebooks as questionnaires
from fairfl_book.misconceptions.question import Question
from fairfl_book.misconceptions.questions import QUESTIONS
from fairfl_book.repository_address import Address

_STYLE = """\
body { max-width: 44em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff }
h1 { font-size: 1.6em; margin-bottom: 0.2em; overflow-wrap: anywhere } h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #c9d0da }
h3 { font-size: 1em; margin: 1.4em 0 0.2em } p { margin: 0.3em 0; overflow-wrap: anywhere }
.wrong { border-left: 4px solid #b3401f; padding-left: 0.8em; break-inside: avoid }
.read { color: #33475b } code { background: #f0f2f5; padding: 0 0.2em }"""


@dataclass(frozen=True)
class Library:
    """What a sheet refers to: the chapters by name, the book's published address, if any, the name of the class's folder, and the exercises.

    ``unnamed``: a file in the class's folder whose name names no student has this student in the table. Such files may come from several people.
    """

    chapters: Mapping[str, Chapter]
    address: Address | None = None
    unnamed: str = ""
    exercises: Mapping[str, Exercise | Open] = field(default_factory=everything)

    def student(self, row: Row) -> str:
        """Whose sheet a row belongs on: the student of the row, or the file if it names no student."""
        return row["file"] if row["student"] == self.unnamed and "/" not in row["file"] else row["student"]

    def place(self, name: str, heading: str) -> str:
        """Where to read, as HTML: a chapter and a section, linked if the book is published."""
        chapter = self.chapters.get(name)
        title = escape(f"chapter {chapter.title}" if chapter else name)
        words = f"{title}, section “{escape(heading)}”" if heading else title
        page = self.address.page(name) if self.address else ""
        if not page:
            return words
        fragment = f"#{anchors.on_a_page(anchors.of(heading))}" if heading else ""
        return f'<a href="{escape(page + fragment)}">{words}</a>'


def page(student: str, rows: Sequence[Row], library: Library) -> str:
    """The sheet of ``student`` as HTML. ``rows``: that student's rows."""
    name = escape(marks_table.shown(student))
    files: dict[tuple[str, str], list[Row]] = {}
    order = [*library.chapters, *questionnaires.NAMES]
    place = {name: at for at, name in enumerate(order)}
    for one in sorted(rows, key=lambda one: (place.get(one["chapter"], len(order)), one["chapter"], one["file"])):
        files.setdefault((one["chapter"], one["file"]), []).append(one)
    parts = [_part(chapter, some, library) for (chapter, _), some in files.items()]
    total = _total(rows, library)
    return f"""\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>
{_STYLE}
</style>
<h1>{name}</h1>
{total}
{"".join(parts)}
</html>"""


def _total(rows: Sequence[Row], library: Library) -> str:
    """The HTML of the sums, by the column of points, and of the notebooks that they leave out."""
    marked = [one for one in rows if one["verdict"] != NOT_MARKED and one["chapter"] not in questionnaires.NAMES]
    checked = [one for one in marked if _is_checked(one, library)]
    read = [one for one in marked if not _is_checked(one, library) and one["verdict"] == READ]
    said = []
    if checked:
        said.append(f"Checked exercises: {sum(map(_points, checked)):g} of {len(checked)} points.")
    if read:
        waiting = sum(marks_table.number(one["points"]) is None for one in read)
        later = f", and {waiting} still to be read" if waiting else ""
        said.append(f"Open exercises: {sum(map(_points, read)):g} points{later}.")
    left = {one["file"] for one in rows if one["verdict"] == NOT_MARKED and one["file"].lower().endswith(NOTEBOOK)}
    if left:
        names = ", ".join(map(_shown, sorted(left)))
        said.append(f"Not marked, so not counted here: {names}. The reason is below.")
    return f"<p>{' '.join(said)}</p>" if said else ""


def _points(row: Row) -> float:
    """A row's points as a number; where the teacher entered none, those of its verdict."""
    entered = marks_table.number(row["points"])
    return entered if entered is not None else marks_table.number(marks_table.points(row["verdict"])) or 0.0


def _is_checked(row: Row, library: Library) -> bool:
    """Whether a row is an exercise with a check: no open exercise, and no question of a questionnaire."""
    return row["chapter"] not in questionnaires.NAMES and not isinstance(library.exercises.get(row["exercise"]), Open)


def _part(name: str, rows: Sequence[Row], library: Library) -> str:
    """The HTML of one notebook."""
    if rows[0]["verdict"] == NOT_MARKED:
        return f"<h2>Not marked</h2>\n{_file(rows)}\n<p>The reason: {_shown(rows[0]['note'])}.</p>\n"
    if name in questionnaires.NAMES:
        return _questionnaire(name, rows, library)
    chapter = library.chapters.get(name)
    lines = [f"<h2>{escape(f'Chapter {chapter.title}' if chapter else name)}</h2>", _file(rows)]
    changed = [one for one in rows if one["verdict"] != READ and marks_table.changed_by_teacher(one)]
    as_checked = [one for one in rows if one not in changed]
    right = [one for one in as_checked if one["verdict"] == notebook_marker.RIGHT]
    if right:
        lines.append(f"<p>✓ Right: {_listed(map(_numbered, right))}.</p>")
    if proofs := [one for one in right if one["level"] == "proof" and _is_checked(one, library)]:
        lines.append(
            f"<p>✎ The check saw only the result of {_listed(map(_numbered, proofs))}. The proof is for your teacher to read.</p>"
        )
    lines += [
        f"<p>✎ {_numbered(one).capitalize()}: your teacher gave {_given(one)} (check: {_shown(one['verdict'])}).</p>"
        for one in changed
    ]
    if waiting := [one for one in rows if one["verdict"] == READ]:
        lines += [f"<p>✎ {_numbered(one).capitalize()} (open): {_read(one)}.</p>" for one in waiting]
    if empty := [one for one in as_checked if one["verdict"] == notebook_marker.NOTHING]:
        lines.append(f"<p>○ Not attempted: {_listed(map(_numbered, empty))}.</p>")
    lines += [
        _wrong(one, library)
        for one in rows
        if one["verdict"] in (notebook_marker.WRONG, notebook_marker.ERROR, notebook_marker.LATE)
        and not (one in changed and _points(one) >= 1)
    ]
    return "\n".join(lines) + "\n"


def _file(rows: Sequence[Row]) -> str:
    return f'<p class="read">File: {_shown(rows[0]["file"])}</p>'


def _read(row: Row) -> str:
    return _given(row) if row["points"] else "your teacher reads this one"


def _given(row: Row) -> str:
    """The points that the teacher entered, in words."""
    return f"{_shown(row['points'])} point{'' if marks_table.number(row['points']) == 1 else 's'}"


def _numbered(row: Row) -> str:
    return f"exercise {_shown(row['number'])}"


def _listed(names: Iterable[str]) -> str:
    """ "exercise 1", "exercise 2" → "exercises 1, 2"."""
    numbers = [name.removeprefix("exercise ") for name in names]
    return f"exercise{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _wrong(row: Row, library: Library) -> str:
    """The HTML of an exercise that is not right: the task, the answer, the mistake, and where to read on."""
    slug = row["exercise"]
    known = library.exercises.get(slug)
    lines = [f"<h3>✗ {_numbered(row).capitalize()}{f': {marked_up(known.task)}' if known else ''}</h3>"]
    if row["verdict"] != notebook_marker.WRONG:
        lines.append(f"<p>The code {_VERDICTS[row['verdict']]}.</p>")
    if row["tried"]:
        lines.append(f"<p>Your answer: <code>{_shown(row['tried'])}</code></p>")
    if row["mistake"] and row["mistake"] not in _FORMS:
        lines.append(f"<p>The mistake: <b>{_shown(row['mistake'])}</b></p>")
    if row["said"]:
        lines.append(f"<p>{marked_up(marks_table.shown(row['said']))}</p>")
    lines.append(f'<p class="read">Read on: {library.place(row["chapter"], read_on.section(slug))}.</p>')
    if known and known.hints:
        lines.append(f'<p class="read">For a first step, run <code>hint("{escape(slug)}")</code>.</p>')
    return '<div class="wrong">\n' + "\n".join(lines) + "\n</div>"


_VERDICTS = {notebook_marker.ERROR: "stopped with an error", notebook_marker.LATE: "ran too long and was stopped"}
_FORMS = ("form", "slip")  # names by which `check` only says that the reply below is not about the content


def _questionnaire(name: str, rows: Sequence[Row], library: Library) -> str:
    """The HTML of a questionnaire. Before the course it does not say which answers are right, because the same questions are asked again."""
    answered = sum(one["verdict"] != notebook_marker.NOTHING for one in rows)
    lines = [f"<h2>{escape(questionnaires.TITLES[name])}</h2>", _file(rows)]
    if name == questionnaires.BEFORE:
        lines.append(
            f"<p>{answered} of {len(rows)} questions answered. They are asked again after the course, and then you get the answers.</p>"
        )
        return "\n".join(lines) + "\n"
    right = sum(one["verdict"] == notebook_marker.RIGHT for one in rows)
    others = " The others:" if right < len(rows) else ""
    lines.append(f"<p>{right} of {len(rows)} answers are right.{others}</p>")
    asked = {question.slug: question for question in QUESTIONS}
    lines += [
        _answered(one, asked[one["exercise"]], library)
        for one in rows
        if one["verdict"] != notebook_marker.RIGHT and one["exercise"] in asked
    ]
    return "\n".join(lines) + "\n"


def _answered(row: Row, question: Question, library: Library) -> str:
    """The HTML of a question that was not answered correctly."""
    letter = marks_table.shown(row["tried"])
    chosen = question.choices.get(letter)
    lines = [f"<h3>Question {_shown(row['number'])}</h3>", f"<p>{marked_up(question.text)}</p>"]
    if chosen:
        lines += [f"<p>You chose: {marked_up(chosen.text)}</p>", f"<p>{marked_up(chosen.why)}</p>"]
    else:
        reason = f", because {_shown(row['said'])}" if row["said"] else ""
        lines.append(f"<p>You gave no answer{reason}.</p>")
    lines.append(f"<p>The right answer: {marked_up(question.choices[question.right].text)}</p>")
    lines.append(f'<p class="read">Read on: {library.place(question.chapter, question.section)}.</p>')
    return '<div class="wrong">\n' + "\n".join(lines) + "\n</div>"


def _shown(text: str) -> str:
    return escape(marks_table.shown(text))
