"""A student's notebook beside the book's: which cell is which, and what of the given ones was changed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.marking.chapter_exercises import Asked, Chapter
from fairfl_book.marking.submissions import Cell, Paper
from fairfl_book.reading import copy_extras

ENOUGH = 3  # cells in common with a chapter that make a notebook one of its copies
SHOWN = 6  # changed cells that are named; beyond that their number says more
_LOOKS = re.compile(r"\bexercises\.(?:registry|chapters|slips|solutions)\b|\bregistry\(|\bright_answers\(|\.right\b")


@dataclass(frozen=True)
class Run:
    """Run the student's cell at this place."""

    at: int


@dataclass(frozen=True)
class Judge:
    """Judge the answer to this exercise as it stands now."""

    asked: Asked


def chapter_of(paper: Paper, chapters: Mapping[str, Chapter]) -> str:
    """The chapter that ``paper`` is a copy of: the one it has most cells in common with, else the one whose title it carries; "" if none."""
    mine = {cell.source.strip() for cell in paper.cells}
    common = {
        name: len(mine & {cell.source.strip() for cell in chapter.cells} - {""}) for name, chapter in chapters.items()
    }
    best = max(common, key=lambda name: common[name], default="")
    if best and common[best] >= ENOUGH:
        return best
    return next((name for name, chapter in chapters.items() if paper.title == chapter.title), "")


def align(ours: Sequence[Cell], theirs: Sequence[Cell]) -> dict[int, int]:
    """Places in the book's notebook → places in the student's: by the cells' ids, else by equal text, and a stub by where it stands."""
    found: dict[int, int] = {}
    free = dict(enumerate(theirs))
    for alike in (_same_id, _same):
        for at, cell in enumerate(ours):
            same = next((j for j, other in free.items() if at not in found and alike(other, cell)), None)
            if same is not None:
                found[at] = same
                del free[same]
    for at, cell in enumerate(ours):
        if (
            at not in found and {"exercise", "turn"} & set(cell.tags) and {at - 1, at + 1} & found.keys()
        ):  # its task, or its check
            after = max((j for i, j in found.items() if i < at), default=-1)
            before = min((j for i, j in found.items() if i > at), default=len(theirs))
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
    """The chapter's code cells, answers apart, that are missing in ``paper`` or say something else, each in words; then stubs that are missing."""
    said = []
    for at, cell in enumerate(chapter.cells):
        if cell.kind != "code" or not cell.source.strip():
            continue
        if at not in found:
            said.append(f"{_called(chapter, at)} missing")
        elif {"exercise", "turn"}.isdisjoint(cell.tags) and not _same(paper.cells[found[at]], cell):
            said.append(f"{_called(chapter, at)} changed")
    return said


def listed(changes: Sequence[str], chapter: Chapter) -> str:
    """``changed`` in one field of a table."""
    given = sum(cell.kind == "code" for cell in chapter.cells)
    if len(changes) > SHOWN:
        many = f"{len(changes)} of {given} given cells"
        checks = [one for one in changes if one.startswith("check of ")]
        return "; ".join([many, *checks]) + ("; another edition?" if 2 * len(changes) > given else "")
    return "; ".join(changes)


def _called(chapter: Chapter, at: int) -> str:
    """A cell in words: what it is tagged, and how it begins."""
    cell = chapter.cells[at]
    slug = answered_after({"source": cell.source, "metadata": {"tags": cell.tags}})
    if slug and "check" in cell.tags:
        return f"check of {slug}"
    for asked in chapter.asked:
        if asked.stub == at:
            return f"stub of {asked.slug}"
    kind = next((f"{tag} cell" for tag in cell.tags if tag in ("head", "setup", "lab")), "cell")
    return f"{kind} “{cell.source.strip().splitlines()[0][:40]}”"


def written(chapter: Chapter, paper: Paper, found: Mapping[int, int], asked: Asked) -> bool:
    """Whether somebody has written something where ``asked`` is answered: in its stub, or in a new cell before the chapter's next one."""
    start = found.get(asked.stub)
    if start is None:
        return False
    if not _same(paper.cells[start], chapter.cells[asked.stub]):
        return True
    end = min((j for j in found.values() if j > start), default=len(paper.cells))
    return any(
        paper.cells[j].source.strip() and copy_extras.NAVIGATION not in paper.cells[j].tags
        for j in range(start + 1, end)
    )


def looks(chapter: Chapter, paper: Paper) -> bool:
    """Whether new or changed code names the place where the book keeps its right answers."""
    ours = {cell.source.strip() for cell in chapter.cells}
    return any(
        _LOOKS.search(cell.source) for cell in paper.cells if cell.kind == "code" and cell.source.strip() not in ours
    )


def untouched(chapter: Chapter, paper: Paper, found: Mapping[int, int]) -> bool:
    """Whether every code cell of ``paper`` is the chapter's, so that running it solves nothing."""
    ours = {j: i for i, j in found.items()}
    return all(
        j in ours and _same(cell, chapter.cells[ours[j]])
        for j, cell in enumerate(paper.cells)
        if cell.kind == "code" and cell.source.strip()
    )


def steps(chapter: Chapter, paper: Paper, found: Mapping[int, int]) -> list[Run | Judge]:
    """How ``paper`` is gone through, from the top: its cells run, and each answer is judged where the book's check stands, which itself is never run.

    Where a check is missing its exercise is judged after its stub. A check cell that says something else is the student's code, and is run. What stands
    after the last judgement is left out: nothing of it counts.
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
