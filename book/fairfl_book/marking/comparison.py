"""Compare a student's notebook with the book's: match the cells, and find the given cells that were changed."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.marking.chapter_exercises import Asked, Chapter
from fairfl_book.marking.submissions import Cell, Paper
from fairfl_book.reading import copy_extras

ENOUGH = 3  # cells in common with a chapter for a notebook to count as its copy
SHOWN = 6  # changed cells that are listed; if there are more, only their number
_LOOKS = re.compile(r"\bexercises\.(?:registry|chapters|slips|solutions)\b|\bregistry\(|\bright_answers\(|\.right\b")


@dataclass(frozen=True)
class Run:
    """Run the student's cell with index ``at``."""

    at: int


@dataclass(frozen=True)
class Judge:
    """Judge the current answer to the exercise ``asked``."""

    asked: Asked


def chapter_of(paper: Paper, chapters: Mapping[str, Chapter]) -> str:
    """The chapter that ``paper`` is a copy of: the one with most cells in common, else the one with the same title; "" if none."""
    sources = {cell.source.strip() for cell in paper.cells}
    common = {
        name: len(sources & {cell.source.strip() for cell in chapter.cells} - {""})
        for name, chapter in chapters.items()
    }
    best = max(common, key=lambda name: common[name], default="")
    if best and common[best] >= ENOUGH:
        return best
    return next((name for name, chapter in chapters.items() if paper.title == chapter.title), "")


def align(book_cells: Sequence[Cell], student_cells: Sequence[Cell]) -> dict[int, int]:
    """Cell indices of the book's notebook → those of the student's: matched by id, else by equal text, and stubs by position."""
    found: dict[int, int] = {}
    free = dict(enumerate(student_cells))
    for alike in (_same_id, _same):
        for at, cell in enumerate(book_cells):
            same = next((j for j, other in free.items() if at not in found and alike(other, cell)), None)
            if same is not None:
                found[at] = same
                del free[same]
    for at, cell in enumerate(book_cells):
        if (
            at not in found and {"exercise", "turn"} & set(cell.tags) and {at - 1, at + 1} & found.keys()
        ):  # beside its task or its check
            after = max((j for i, j in found.items() if i < at), default=-1)
            before = min((j for i, j in found.items() if i > at), default=len(student_cells))
            between = [j for j, other in free.items() if after < j < before and other.kind == "code"]
            if between:
                found[at] = between[-1]
                del free[between[-1]]
    return found


def _same_id(a: Cell, b: Cell) -> bool:
    return bool(b.id) and a.id == b.id and a.kind == b.kind


def _same(a: Cell, b: Cell) -> bool:
    return a.kind == b.kind and a.source.strip() == b.source.strip()


def changed(chapter: Chapter, paper: Paper, found: Mapping[int, int]) -> list[str]:
    """The chapter's code cells that are missing or changed in ``paper``, described in words; of answers, only missing stubs."""
    changes = []
    for at, cell in enumerate(chapter.cells):
        if cell.kind != "code" or not cell.source.strip():
            continue
        if at not in found:
            changes.append(f"{_called(chapter, at)} missing")
        elif {"exercise", "turn"}.isdisjoint(cell.tags) and not _same(paper.cells[found[at]], cell):
            changes.append(f"{_called(chapter, at)} changed")
    return changes


def listed(changes: Sequence[str], chapter: Chapter) -> str:
    """The list from ``changed`` as one field of the table."""
    given = sum(cell.kind == "code" for cell in chapter.cells)
    if len(changes) > SHOWN:
        many = f"{len(changes)} of {given} given cells"
        checks = [one for one in changes if one.startswith("check of ")]
        return "; ".join([many, *checks]) + ("; another edition?" if 2 * len(changes) > given else "")
    return "; ".join(changes)


def _called(chapter: Chapter, at: int) -> str:
    """Describe a cell by its tag and its first line."""
    cell = chapter.cells[at]
    slug = answered_after({"source": cell.source, "metadata": {"tags": cell.tags}})
    if slug and "check" in cell.tags:
        return f"check of {slug}"
    for asked in chapter.asked:
        if asked.stub == at:
            return f"stub of {asked.slug}"
    kind = next((f"{tag} cell" for tag in cell.tags if tag in ("head", "setup", "lab")), "cell")
    return f"{kind} “{cell.source.strip().splitlines()[0][:40]}”"


def answer_cells(
    chapter: Chapter, paper: Paper, found: Mapping[int, int], asked: Asked, after_check: bool = False
) -> list[int]:
    """The indices in ``paper`` of the answer to ``asked``: its stub and new cells before the chapter's next one; empty without the stub.

    ``after_check``: also the new cells below its check, where a proof may be written.
    """
    start = found.get(asked.stub)
    if start is None:
        return []
    own = {start} | ({found[asked.check]} if after_check and asked.check in found else set())
    end = min((j for j in found.values() if j > start and j not in own), default=len(paper.cells))
    return [start, *(j for j in range(start + 1, end) if j not in own)]


def written(chapter: Chapter, paper: Paper, found: Mapping[int, int], asked: Asked) -> bool:
    """Whether the student wrote an answer to ``asked``: in its stub, or in a new cell before the chapter's next one."""
    start, *more = answer_cells(chapter, paper, found, asked) or [None]
    if start is None:
        return False
    return not _same(paper.cells[start], chapter.cells[asked.stub]) or any(
        paper.cells[j].source.strip() and copy_extras.NAVIGATION not in paper.cells[j].tags for j in more
    )


def answer_digest(chapter: Chapter, paper: Paper, found: Mapping[int, int], asked: Asked) -> str:
    """A digest of the answer to ``asked``; without its stub, of the whole notebook, since the answer may be anywhere."""
    cells = answer_cells(chapter, paper, found, asked, after_check=True)
    text = "\0".join(paper.cells[j].source.strip() for j in cells) if cells else paper.digest
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def looks(chapter: Chapter, paper: Paper) -> bool:
    """Whether new or changed code refers to the modules that contain the right answers."""
    given = {cell.source.strip() for cell in chapter.cells}
    return any(
        _LOOKS.search(cell.source) for cell in paper.cells if cell.kind == "code" and cell.source.strip() not in given
    )


def untouched(chapter: Chapter, paper: Paper, found: Mapping[int, int]) -> bool:
    """Whether every code cell of ``paper`` is unchanged, so no exercise can be solved."""
    given = {j: i for i, j in found.items()}
    return all(
        j in given and _same(cell, chapter.cells[given[j]])
        for j, cell in enumerate(paper.cells)
        if cell.kind == "code" and cell.source.strip()
    )


def steps(chapter: Chapter, paper: Paper, found: Mapping[int, int]) -> list[Run | Judge]:
    """The plan for marking ``paper`` from the top: run its cells, and judge each answer at the book's check, which itself is not run.

    If a check is missing, its exercise is judged after its stub. A changed check cell counts as the student's code and is run. Cells
    after the last judgement are left out, because nothing depends on them.
    """
    after: dict[int, Asked] = {}
    for asked in chapter.asked:
        if asked.check is not None and (asked.check in found or asked.stub in found):
            after[found[asked.check] if asked.check in found else found[asked.stub]] = asked
    plan: list[Run | Judge] = []
    for j, cell in enumerate(paper.cells):
        one = after.get(j)
        checks = one is not None and one.check in found and _same(cell, chapter.cells[one.check])
        if cell.kind == "code" and cell.source.strip() and not checks:
            plan.append(Run(j))
        if one is not None:
            plan.append(Judge(one))
    last = max((place for place, step in enumerate(plan) if isinstance(step, Judge)), default=-1)
    return plan[: last + 1]
