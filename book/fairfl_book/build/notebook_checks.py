"""Check executed notebooks: execution order, errors, alternative texts, tags, exercises, sizes.

Each check takes a ``Chapter`` and yields one message per problem. ``inspect`` runs all checks.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from fairfl.errors import unknown
from fairfl_book.book_paths import Book, is_companion
from fairfl_book.build import (
    bibtex,
    chapter_notebooks,
    embedded_images,
    figure_numbers,
    frontmatter,
    reading_time,
    text_checks,
)
from fairfl_book.build.frontmatter import Companion, FrontMatter
from fairfl_book.exercises import turns
from fairfl_book.exercises.check import MARKS
from fairfl_book.exercises.exercise_cells import answered_after, turn_in
from fairfl_book.exercises.registry import Exercise, everything
from fairfl_book.reading import cloud_launch, copy_extras
from fairfl_book.repository_address import address

TAGS = frozenset({"head", "exercise", "check", "turn", "lab", "nbval-ignore-output", "raises-exception", "setup"})
LONG = frozenset({"lab", "setup"})  # cells with these tags may be longer than LINES
LINES = 18
CHARACTERS = 100  # fits a cell without horizontal scrolling, in JupyterLab and on the site
KILOBYTES = 1500
HOUR = (40, 70)  # minutes that the first three exercises may take
# Written below the heading of each section on the shortest way.
ON_THE_WAY = "<small>◆ On the shortest way through the book</small>"
# Folders of one machine. An output that contains one would differ on every other machine.
_LOCAL = re.compile(r"(?<![\w/.:])(?:/(?:home|Users|root|tmp|private|work|opt|usr)/\S+|[A-Z]:\\\S+)")


@dataclass(frozen=True)
class Chapter:
    """An executed chapter or companion, with everything that the checks need.

    ``size``: file size in bytes. ``third``: whether it follows the third edition's conventions, that is, has a
    companion or is one.
    """

    name: str
    notebook: NotebookNode
    front: FrontMatter | Companion
    size: int
    bibliography: Mapping[str, bibtex.Reference]
    third: bool = False


def code_cells(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    """Non-empty code cells with their number in the notebook, from 1."""
    return ((n, cell) for n, cell in enumerate(notebook.cells, 1) if cell.cell_type == "code" and cell.source.strip())


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def _outputs(chapter: Chapter) -> Iterator[tuple[int, NotebookNode, NotebookNode]]:
    return ((n, cell, output) for n, cell in code_cells(chapter.notebook) for output in cell.outputs)


def executed(chapter: Chapter) -> Iterator[str]:
    """Code cells were run once, from top to bottom. (nbval skips cells without an execution count.)"""
    for count, (number, cell) in enumerate(code_cells(chapter.notebook), 1):
        if cell.execution_count != count:
            yield f"cell {number}: executed as {cell.execution_count}, expected {count}; run make chapters"
            return


def no_errors(chapter: Chapter) -> Iterator[str]:
    """No error outputs, except in cells tagged ``raises-exception``."""
    for number, cell, output in _outputs(chapter):
        if output.output_type == "error" and "raises-exception" not in _tags(cell):
            yield f"cell {number}: ends in {output.ename}: {output.evalue}; fix it, or tag the cell raises-exception"


def no_stderr(chapter: Chapter) -> Iterator[str]:
    """Nothing on the standard error stream: warnings and progress bars differ between machines."""
    for number, _, output in _outputs(chapter):
        if output.output_type == "stream" and output.name == "stderr":
            yield f"cell {number}: writes to stderr ({output.text.strip()[:60]!r}); fix the cause, or print it"


def alternative_text(chapter: Chapter) -> Iterator[str]:
    """Every image has an alternative text: in ``alt`` if it is in HTML, otherwise in its output's metadata."""
    for number, _, output in _outputs(chapter):
        data = output.get("data", {})
        bare = [str(output.metadata.get(kind, {}).get("alt", "")).strip() for kind in data if kind.startswith("image/")]
        if not all(bare + embedded_images.words(data.get("text/html", ""))):
            yield f"cell {number}: a picture without alternative text; show it with figures.show(figure, '...')"


def portable_outputs(chapter: Chapter) -> Iterator[str]:
    """No output contains a folder of the machine that executed it."""
    for number, _, output in _outputs(chapter):
        if found := _LOCAL.search(_text(output)):
            yield f"cell {number}: prints a path of one machine ({found[0]}); print the file's name only"


def known_tags(chapter: Chapter) -> Iterator[str]:
    """All tags are known. (A misspelt tag would silently do nothing.)"""
    for number, cell in enumerate(chapter.notebook.cells, 1):
        for tag in sorted(set(_tags(cell)) - TAGS):
            yield f"cell {number}: {unknown('tag', tag, TAGS)}"


def nothing_given_away(chapter: Chapter) -> Iterator[str]:
    """No cell calls for a hint or a solution, because their output would be stored in the notebook."""
    for number, cell in code_cells(chapter.notebook):
        for name in sorted({"hint", "solution"} & set(_called(cell.source))):
            yield f"cell {number}: calls {name}(…), whose output would be stored; remove the call"


def nothing_solved(chapter: Chapter) -> Iterator[str]:
    """No stored check is passed, because no exercise is solved in the published notebook."""
    for number, cell, output in _outputs(chapter):
        if {"check", "turn"} & set(_tags(cell)) and MARKS["right"] in _text(output):
            yield f"cell {number}: the stub above passes this check; leave more of the answer to the reader"


def known_exercises(chapter: Chapter) -> Iterator[str]:
    """Every check and every stub of an open exercise names a registered exercise, and cells that call check are
    tagged."""
    known = everything()
    for number, cell in code_cells(chapter.notebook):
        slug, checks = answered_after(cell), "check" in _called(cell.source)
        if "turn" in _tags(cell):
            continue
        if checks != ("check" in _tags(cell)):
            yield f"cell {number}: {'calls check(…) without the tag' if checks else 'is tagged check without a call of'} check"
        elif slug and slug not in known:
            yield f"cell {number}: {unknown('exercise', slug, known)}"
        elif slug and isinstance(known[slug], Exercise) != checks:
            wanted = "has a check" if isinstance(known[slug], Exercise) else "is an open question"
            yield f"cell {number}: {slug} {wanted} in fairfl_book.exercises.chapters, but not in this chapter; make them agree"


def turns_in_the_story(chapter: Chapter) -> Iterator[str]:
    """Every turn follows its question, is registered, is tagged, and leaves its answer open."""
    known, above = turns.every_turn(), ""
    for number, cell in enumerate(chapter.notebook.cells, 1):
        if cell.cell_type == "code" and "turn" in _tags(cell):
            slug = turn_in(cell)
            if not above.strip().rpartition("\n\n")[2].startswith(turns.LINE):
                yield f"cell {number}: no paragraph directly above begins with {turns.LINE}; write the question there"
            if not slug:
                yield f'cell {number}: a turn ends with check("chapter.turn.topic", answer)'
            elif slug not in known:
                yield f"cell {number}: {unknown('turn', slug, known)}"
            if "..." not in cell.source:
                yield f"cell {number}: nothing is left open; write ... where the reader's answer goes"
        elif cell.cell_type == "code" and ".turn." in cell.source and "check" in _called(cell.source):
            yield f"cell {number}: checks a turn without the tag turn"
        above = cell.source if cell.cell_type == "markdown" else ""


def folded(chapter: Chapter) -> Iterator[str]:
    """In the third edition, cells that only import, draw or test a claim are folded, and each fold begins with a
    comment on its content."""
    for number, cell in code_cells(chapter.notebook) if chapter.third else ():
        shut = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        if not shut and not {"exercise", "turn", "lab"} & set(_tags(cell)) and (what := _machinery(cell.source)):
            yield f"cell {number}: {what}, but is not folded; add :jupyter: {{source_hidden: true}} to it"
        elif shut and not cell.source.startswith("#"):
            yield f"cell {number}: is folded and does not begin with a comment; add one that says what the cell contains, such as # The code of Figure 4.2"


def _machinery(source: str) -> str:
    """Why a cell should be folded: "imports ...", "draws" or "tries a claim". Empty if it should not."""
    tree = ast.parse(source)
    if all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body):
        return "imports and does nothing else"
    if any(isinstance(node, ast.Attribute) and ast.unparse(node) == "figures.show" for node in ast.walk(tree)):
        return "draws"
    return "tries a claim" if "claim" in _called(source) else ""


def _called(source: str) -> list[str]:
    """The names of the functions that a cell calls. Empty if the cell is not valid Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def _text(output: NotebookNode) -> str:
    """The text of one output."""
    return str(output.get("text", "")) + str(output.get("data", {}).get("text/plain", ""))


def short_cells(chapter: Chapter) -> Iterator[str]:
    """No cell has too many lines."""
    for number, cell in code_cells(chapter.notebook):
        lines = len(cell.source.splitlines())
        if lines > LINES and not LONG & set(_tags(cell)):
            yield f"cell {number}: {lines} lines, at most {LINES}; split it, or tag it {', '.join(sorted(LONG))}"


def narrow_lines(chapter: Chapter) -> Iterator[str]:
    """No line of code is so long that it needs horizontal scrolling, except on small screens."""
    for number, cell in code_cells(chapter.notebook):
        for line, text in enumerate(cell.source.splitlines(), 1):
            if len(text) > CHARACTERS:
                yield f"cell {number}: line {line} has {len(text)} characters, at most {CHARACTERS}; break it"


def no_exercises_in_a_companion(chapter: Chapter) -> Iterator[str]:
    """A companion has no exercises and no turns."""
    if is_companion(chapter.name):
        for number, cell in code_cells(chapter.notebook):
            for tag in sorted({"exercise", "check", "turn"} & set(_tags(cell))):
                yield f"cell {number}: is tagged {tag}; move exercises and turns to the chapter"


def shortest_way(chapter: Chapter) -> Iterator[str]:
    """Exactly the sections that the front matter lists under ``shortest`` carry the mark of the shortest way."""
    if isinstance(chapter.front, FrontMatter):
        text = "\n\n".join(cell.source for cell in chapter.notebook.cells if cell.cell_type == "markdown")
        sections = re.findall(r"^## (.+)\n+(.*)", text + "\n", re.MULTILINE)
        for heading in chapter.front.shortest:
            if heading not in dict(sections):
                yield f"front matter shortest: {unknown('section', heading, dict(sections))}"
        for heading, below in sections:
            if (wanted := heading in chapter.front.shortest) != (below == ON_THE_WAY):
                remedy = (
                    f"write {ON_THE_WAY} below it"
                    if wanted
                    else "the front matter does not list it; remove the mark, or list the section"
                )
                yield f"section {heading!r} and the shortest way: {remedy}"


def first_set_of_three(chapter: Chapter) -> Iterator[str]:
    """In the third edition, a chapter says which three of its exercises take about an hour."""
    if not chapter.third or is_companion(chapter.name):
        return
    text = "\n\n".join(cell.source for cell in chapter.notebook.cells if cell.cell_type == "markdown")
    took = reading_time.first_set(text)
    if took is None:
        yield "has no line **For an hour:**; below ## Exercises, write **For an hour:** exercises 1, 3 and 4."
    elif not HOUR[0] <= took <= HOUR[1]:
        yield f"the exercises for an hour take {took} minutes by their levels; allowed: {HOUR[0]} to {HOUR[1]}. Choose others"


def small_file(chapter: Chapter) -> Iterator[str]:
    """The file is small enough to review."""
    if chapter.size > KILOBYTES * 1000:
        yield f"{chapter.size / 1000:.0f} KB, at most {KILOBYTES} KB; draw fewer or simpler figures"


def in_budget(chapter: Chapter) -> Iterator[str]:
    """The recorded execution took no longer than its budget, on a machine that may be slow."""
    seconds = chapter.notebook.metadata.get(chapter_notebooks.RUN, {}).get("seconds")
    if seconds is None:
        yield "no recorded run; execute it by make chapters"
    elif seconds > chapter_notebooks.SLOWEST * chapter_notebooks.budget(chapter.name):
        yield f"took {seconds} s, at most {chapter_notebooks.budget(chapter.name):.0f} s; train less, or record the run and load it"


GUARDS: tuple[Callable[[Chapter], Iterator[str]], ...] = (
    executed,
    no_errors,
    no_stderr,
    alternative_text,
    portable_outputs,
    known_tags,
    nothing_given_away,
    nothing_solved,
    known_exercises,
    turns_in_the_story,
    no_exercises_in_a_companion,
    shortest_way,
    first_set_of_three,
    folded,
    short_cells,
    narrow_lines,
    small_file,
    in_budget,
    figure_numbers.figures_in_order,
    text_checks.native_markdown,
    text_checks.headings,
    text_checks.section_links,
    text_checks.title,
    text_checks.reference_list,
)


def inspect(chapter: Chapter) -> list[str]:
    """The problems that all checks find in a chapter."""
    return [f"{chapter.name}: {problem}" for guard in GUARDS for problem in guard(chapter)]


def load(book: Book, name: str) -> Chapter:
    """Load the committed notebook of chapter ``name``, without launch cells. Raises ``ValueError`` if its front matter
    is not valid."""
    path = book.notebook(name)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = copy_extras.own(notebook.cells)
    front = (frontmatter.read_companion if is_companion(name) else frontmatter.read)(notebook.metadata.get("fairfl"))
    third = is_companion(name) or book.companion(name) is not None
    return Chapter(name, notebook, front, path.stat().st_size, bibtex.load(book.bibliography), third)


def check(book: Book, names: list[str]) -> list[str]:
    """The problems in these chapters and in how the book's chapters build on each other."""
    checked = book.with_companions(names)
    return [problem for name in checked for problem in check_one(book, name)] + frontmatter.dangling(fronts(book))


def check_one(book: Book, name: str) -> list[str]:
    """The problems in the notebook and text of chapter ``name``, and the differences between the two."""
    if not book.notebook(name).exists():
        return [f"{name}: has a text but no notebook. Run make chapters"]
    if not book.twin(name).exists():
        return [f"{name}: has a notebook but no text in chapters/src. Add the text, or remove the notebook"]
    try:
        chapter = load(book, name)
        apart = chapter_notebooks.differences(chapter_notebooks.read(book.twin(name)), chapter.notebook)
        stored = nbformat.read(book.notebook(name), as_version=4).cells
        if not is_companion(name) and stored != cloud_launch.dressed(stored, address(book), name):
            apart.append("its first cell for Colab and Kaggle does not match book/address.toml. Run fairfl-book launch")
    except ValueError as error:
        return [f"{name}: {error}"]
    return inspect(chapter) + [f"{name}: {problem}" for problem in apart]


def fronts(book: Book) -> dict[str, FrontMatter]:
    """The front matter of all the book's chapters, without the invalid ones, which are reported elsewhere."""
    fronts = {}
    for name in book.names():
        try:
            fronts[name] = frontmatter.read(chapter_notebooks.front(book, name))
        except (ValueError, OSError):
            continue
    return fronts
