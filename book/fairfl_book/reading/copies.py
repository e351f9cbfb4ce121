"""The reader's copies of the chapters: refreshed while untouched, never overwritten once they hold an answer.

A copy counts as edited when its cells' text is not the text it was copied with. Outputs, execution counts and
empty cells do not count: running a chapter is not writing in it. What cannot be read counts as edited, and
so does a copy of unknown origin. ``RECORD`` remembers, beside the copies, what each was copied from; without it
nothing is lost, only refreshed more timidly.
"""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from fairfl import atomic
from fairfl.errors import Refused
from fairfl_book.reading import renames

RECORD = ".fairfl.json"
NOTICE = "NEWER_VERSIONS.ipynb"


@dataclass
class Report:
    """What ``prepare`` did. File names inside the folder of copies; ``newer`` maps an edited copy to the newer
    version beside it, ``arrived`` lists the newer versions that were not there before, and ``renewed`` the edited copies whose imports were brought up to date."""

    created: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    newer: dict[str, str] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The report for the terminal; empty where there is nothing to say."""
        said = []
        if self.created:
            said.append(f"New copies for you: {', '.join(self.created)}.")
        if self.refreshed:
            said.append(f"Brought up to date (you had not written in them): {', '.join(self.refreshed)}.")
        if self.renewed:
            said.append(
                f"The imports in {', '.join(self.renewed)} were brought up to date: parts of the package have moved. "
                f"All else in there is as you left it."
            )
        said += [
            f"{copy} holds your work and was left alone. The chapter has changed since: its newer version is {new}, "
            f"beside it."
            for copy, new in self.newer.items()
        ]
        return said


def fingerprint(path: Path) -> str:
    """The identity of a notebook's text: types and sources of its non-empty cells. Empty if it cannot be read."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    kept = [(kind, source) for kind, source in text if source.strip()]
    return hashlib.sha256(json.dumps(kept).encode()).hexdigest()


def prepare(chapters: Path, work: Path) -> Report:
    """Bring the copies in ``work`` up to date with the notebooks in ``chapters``.

    A missing copy is made, an untouched one refreshed, an edited one left alone byte for byte: if its chapter
    changed since, the newer version is put beside it as ``NAME.newer.ipynb`` and a page that says so is written
    (``NOTICE``). A newer version is itself a copy: once edited it is kept too. One that the reader deletes stays
    away until the chapter changes again.
    """
    work.mkdir(parents=True, exist_ok=True)
    record = _load(work / RECORD)
    report = Report()
    for chapter in sorted(chapters.glob("*.ipynb")):
        _update(chapter, work, record, report)
    for copy in sorted(work.glob("*.ipynb")):
        _renew(copy, record, report)
    atomic.write(work / RECORD, (json.dumps(record, indent=1, sort_keys=True) + "\n").encode())
    if report.newer:
        atomic.write(work / NOTICE, _notice(report).encode("utf-8"))
    else:
        (work / NOTICE).unlink(missing_ok=True)
    return report


def _renew(copy: Path, record: dict, report: Report) -> None:
    """Bring a copy's imports up to date; one that nobody has written in still counts as untouched afterwards."""
    untouched = _untouched(copy, record)
    if renames.renew_copy(copy):
        report.renewed.append(copy.name)
        if untouched:
            record[copy.name]["text"] = fingerprint(copy)


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
    """A chapter's notebook as it is now: its bytes, their hash, and the identity of its text."""

    content: bytes
    file: str
    text: str


def _put(path: Path, source: _Source, record: dict) -> None:
    atomic.write(path, source.content)
    record.setdefault(path.name, {}).update(text=source.text, file=source.file)


def _update(chapter: Path, work: Path, record: dict, report: Report) -> None:
    content = chapter.read_bytes()
    source = _Source(content, hashlib.sha256(content).hexdigest(), fingerprint(chapter))
    if not source.text:
        raise Refused(
            f"chapters/{chapter.name} cannot be read as a notebook; restore it with "
            f"'git checkout chapters/{chapter.name}'. Your copies were left alone."
        )
    copy = work / chapter.name
    known = record.setdefault(copy.name, {})
    if not copy.exists():
        _put(copy, source, record)
        report.created.append(copy.name)
    elif _untouched(copy, record):
        if known.get("file") != source.file:
            _put(copy, source, record)
            report.refreshed.append(copy.name)
    elif fingerprint(copy) == source.text:  # what is written in it is what the chapter says: nothing newer to offer
        known.update(text=source.text, file=source.file)
    elif known.get("text") != source.text:
        _offer(copy, source, record, report)
        return
    _withdraw(copy, record)


def _newer_names(copy: Path):
    """NAME.newer.ipynb, NAME.newer-2.ipynb, …: existing ones, then the first that is free."""
    number = 1
    while True:
        path = copy.with_name(f"{copy.stem}.newer{'' if number == 1 else f'-{number}'}.ipynb")
        yield path
        if not path.exists():
            return
        number += 1


def _offer(copy: Path, source: _Source, record: dict, report: Report) -> None:
    """Put the chapter's newer version beside an edited copy, unless it was offered already."""
    beside = list(_newer_names(copy))
    if record[copy.name].get("offered") == source.text:
        for path in beside:
            if path.exists() and record.get(path.name, {}).get("text") == source.text:
                report.newer[copy.name] = path.name
        return
    path = next(path for path in beside if not path.exists() or _untouched(path, record))
    _put(path, source, record)
    record[copy.name]["offered"] = source.text
    report.newer[copy.name] = path.name
    report.arrived.append(path.name)


def _withdraw(copy: Path, record: dict) -> None:
    """Take away untouched newer versions of a copy that is up to date itself; edited ones stay."""
    record[copy.name].pop("offered", None)
    for path in list(_newer_names(copy))[:-1]:
        if _untouched(path, record):
            path.unlink()
            record.pop(path.name)


def _notice(report: Report) -> str:
    """A notebook of one text cell, which JupyterLab shows as a page."""
    rows = "\n".join(
        f"- [{copy}]({copy}) is yours, as you left it. The newer chapter: [{new}]({new})."
        for copy, new in report.newer.items()
    )
    page = (
        "# Newer versions of chapters you have worked in\n\n"
        f"{rows}\n\n"
        "Nothing of yours was changed. Copy your answers over and continue in the newer file, or keep your own and "
        "delete the newer one: it stays away until the chapter changes again.\n\n"
        "To start a chapter afresh, delete your own copy and start again: it comes back as the newest version."
    )
    cell = {"cell_type": "markdown", "id": "newer-versions", "metadata": {}, "source": page}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )
