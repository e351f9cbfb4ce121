"""The reader's copies of the chapters: updated while unedited, never overwritten once edited.

A copy counts as edited if the text of its cells differs from the text it was copied with. Outputs, execution counts,
empty cells and the links that ``copy_extras`` adds do not count, so running a chapter does not edit it. A file that cannot be read
counts as edited, and so does a copy of unknown origin. The file ``RECORD`` beside the copies stores what each was copied from. Without it
nothing is lost, but fewer copies are updated.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fairfl import _atomic_files
from fairfl.errors import Refused
from fairfl_book.reading import copy_extras, renames

RECORD = ".fairfl.json"
NOTICE = "NEWER_VERSIONS.ipynb"


@dataclass
class Report:
    """What ``prepare`` did, as file names in the folder of copies.

    ``newer`` maps an edited copy to the newer version beside it, ``arrived`` lists the newer versions that were just added, ``renewed`` the copies whose
    imports were updated, ``aside`` maps an edited page to its new name, and ``written`` lists the files that the book has just written, unedited by anybody.
    """

    created: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    newer: dict[str, str] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    aside: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The report for the terminal; empty if nothing changed."""
        lines = []
        if self.created:
            lines.append(f"New copies for you: {_some(self.created)}.")
        if self.refreshed:
            lines.append(f"Updated (you had not edited them): {_some(self.refreshed)}.")
        if self.renewed:
            lines.append(
                f"Updated the imports in {', '.join(self.renewed)}, because modules of the package were renamed. "
                f"The rest is as you left it."
            )
        lines += [
            f"{copy} contains your work and was not changed. The chapter has changed since; its newer version is {new}, "
            f"beside it."
            for copy, new in self.newer.items()
        ]
        return lines + [f"{page} has changed. Your edited copy is now {old}." for page, old in self.aside.items()]


def _some(names: list[str]) -> str:
    """A few names in full, or the first, the last and the number of many."""
    return ", ".join(names) if len(names) < 4 else f"{names[0]} … {names[-1]} ({len(names)})"


def fingerprint(path: Path) -> str:
    """The identity of a notebook's text (``_identity``), or "" if it cannot be read."""
    try:
        return _identity(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""


def _identity(notebook: dict) -> str:
    """A hash of the types and sources of the chapter's own non-empty cells."""
    text = [(cell["cell_type"], "".join(cell["source"])) for cell in copy_extras.own(notebook["cells"])]
    kept = [(kind, source) for kind, source in text if source.strip()]
    return hashlib.sha256(json.dumps(kept).encode()).hexdigest()


def prepare(
    chapters: Path, work: Path, pages: Mapping[str, bytes] | None = None, others: Mapping[str, str] | None = None
) -> Report:
    """Update the copies in ``work`` to the notebooks in ``chapters``, and the book's own ``pages`` (name → notebook) there.

    A missing copy is created, an unedited one updated, and an edited one left byte for byte as it is. If the chapter of an edited copy
    has changed since, the newer version is written beside it as ``NAME.newer.ipynb``, and the page ``NOTICE`` lists it.
    A newer version is itself a copy: once edited it is kept too. If the reader deletes it, it is not written again
    until the chapter changes again. An edited page is renamed when the book's page changes. ``others``: as in ``copy_extras.chapter``.
    """
    work.mkdir(parents=True, exist_ok=True)
    record = _load(work / RECORD)
    report = Report()
    for source in _sources(chapters, others):
        _update(source, work / source.name, record, report)
    for copy in sorted(work.glob("*.ipynb")):
        _renew(copy, record, report)
    for name, content in (pages or {}).items():
        _page(work / name, content, record, report)
    _save(work / RECORD, record)
    if report.newer:
        _atomic_files.write(work / NOTICE, _notice(report))
    else:
        (work / NOTICE).unlink(missing_ok=True)
    return report


def reset(chapters: Path, work: Path, name: str, others: Mapping[str, str] | None = None) -> Path | None:
    """Restore the copy of chapter ``name``; returns the new path of the reader's edited copy, or ``None`` if it was not edited."""
    [source] = [source for source in _sources(chapters, others) if source.name == f"{name}.ipynb"]
    work.mkdir(parents=True, exist_ok=True)
    record = _load(work / RECORD)
    copy = work / source.name
    kept = _set_aside(copy) if copy.exists() and not _untouched(copy, record) else None
    _put(copy, source, record, Report())
    _withdraw(copy, record)
    _save(work / RECORD, record)
    return kept


def _set_aside(copy: Path) -> Path:
    """Rename an edited copy to the first free name of NAME.yours.ipynb, NAME.yours-2.ipynb, …"""
    *_, free = _names(copy, "yours")
    return copy.rename(free)


def _page(path: Path, content: bytes, record: dict, report: Report) -> None:
    """Write one of the book's own pages unless it exists with the same text."""
    known = record.get(path.name, {})
    notebook = json.loads(content)
    source = _Source(path.name, content, hashlib.sha256(content).hexdigest(), _identity(notebook))
    untouched = not path.exists() or _untouched(path, record)
    if path.exists() and known.get("file" if untouched else "text") == (source.file if untouched else source.text):
        return
    if not untouched:
        report.aside[path.name] = _set_aside(path).name
    _put(path, source, record, report)


def _renew(copy: Path, record: dict, report: Report) -> None:
    """Update a copy's imports; an unedited copy still counts as unedited afterwards."""
    untouched = _untouched(copy, record)
    if renames.renew_copy(copy):
        report.renewed.append(copy.name)
        if untouched:
            record[copy.name]["text"] = fingerprint(copy)


def _save(path: Path, record: dict) -> None:
    _atomic_files.write(path, (json.dumps(record, indent=1, sort_keys=True) + "\n").encode())


def _load(path: Path) -> dict[str, dict[str, str]]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    entries = record.items() if isinstance(record, dict) else ()
    return {name: entry for name, entry in entries if isinstance(entry, dict)}


def _untouched(path: Path, record: dict) -> bool:
    """Whether ``path`` still holds the text it was copied with."""
    now = fingerprint(path)
    return bool(now) and now == record.get(path.name, {}).get("text")


@dataclass(frozen=True)
class _Source:
    """The current contents for a copy: file name, bytes, their hash, and the identity of the text."""

    name: str
    content: bytes
    file: str
    text: str


def _sources(chapters: Path, others: Mapping[str, str] | None = None) -> list[_Source]:
    """The contents for every chapter's copy, in book order. Raises ``Refused`` for an unreadable chapter before anything is written."""
    notebooks = {}
    for path in sorted(chapters.glob("*.ipynb")):
        if not fingerprint(path):
            raise unreadable(path)
        notebooks[path.stem] = json.loads(path.read_text(encoding="utf-8"))
    titles = {name: notebook["metadata"].get("fairfl", {}).get("title", name) for name, notebook in notebooks.items()}
    sources = []
    for name, notebook in notebooks.items():
        content = copy_extras.chapter(notebook, name, titles, others)
        sources.append(_Source(f"{name}.ipynb", content, hashlib.sha256(content).hexdigest(), _identity(notebook)))
    return sources


def unreadable(path: Path) -> Refused:
    """The error for a chapter's file that is not a notebook."""
    return Refused(
        f"chapters/{path.name} cannot be read as a notebook; restore it with "
        f"'git checkout chapters/{path.name}'. Your copies were not changed.",
        "file",
    )


def _put(path: Path, source: _Source, record: dict, report: Report) -> None:
    _atomic_files.write(path, source.content)
    record.setdefault(path.name, {}).update(text=source.text, file=source.file)
    report.written.append(path.name)


def _update(source: _Source, copy: Path, record: dict, report: Report) -> None:
    known = record.setdefault(copy.name, {})
    if not copy.exists():
        _put(copy, source, record, report)
        report.created.append(copy.name)
    elif _untouched(copy, record):
        if known.get("file") != source.file:
            _put(copy, source, record, report)
            report.refreshed.append(copy.name)
    elif fingerprint(copy) == source.text:  # the edits agree with the chapter, so there is nothing newer to offer
        known.update(text=source.text, file=source.file)
    elif known.get("text") != source.text:
        _offer(copy, source, record, report)
        return
    _withdraw(copy, record)


def _names(copy: Path, kind: str) -> Iterator[Path]:
    """NAME.newer.ipynb, NAME.newer-2.ipynb, … (or another ``kind``): the existing ones, then the first free one."""
    number = 1
    while True:
        path = copy.with_name(f"{copy.stem}.{kind}{'' if number == 1 else f'-{number}'}.ipynb")
        yield path
        if not path.exists():
            return
        number += 1


def _offer(copy: Path, source: _Source, record: dict, report: Report) -> None:
    """Write the chapter's newer version beside an edited copy, unless that was done before."""
    beside = list(_names(copy, "newer"))
    if record[copy.name].get("offered") == source.text:
        for path in beside:
            if path.exists() and record.get(path.name, {}).get("text") == source.text:
                report.newer[copy.name] = path.name
        return
    path = next(path for path in beside if not path.exists() or _untouched(path, record))
    _put(path, source, record, report)
    record[copy.name]["offered"] = source.text
    report.newer[copy.name] = path.name
    report.arrived.append(path.name)


def _withdraw(copy: Path, record: dict) -> None:
    """Remove unedited newer versions of a copy that is up to date; edited ones stay."""
    record[copy.name].pop("offered", None)
    for path in list(_names(copy, "newer"))[:-1]:
        if _untouched(path, record):
            path.unlink()
            record.pop(path.name)


def _notice(report: Report) -> bytes:
    """A notebook with a single Markdown cell, which JupyterLab shows as a page."""
    rows = "\n".join(
        f"- [{copy}]({copy}) is yours, as you left it. The newer chapter: [{new}]({new})."
        for copy, new in report.newer.items()
    )
    page = (
        "# Newer versions of chapters that you have edited\n\n"
        f"{rows}\n\n"
        "Your copies were not changed. Copy your answers over and continue in the newer file, or keep your own and "
        "delete the newer one: it does not come back until the chapter changes again.\n\n"
        "To start a chapter afresh: `fairfl-book reset 04` restores its newest version and keeps yours beside it.\n\n"
        f"[The map]({copy_extras.COVER})"
    )
    return copy_extras.page(copy_extras.text(page, "newer-versions"))
