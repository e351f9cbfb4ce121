"""Sentences in the reader's language, by the English sentence: ``tr("Hint {n} of {all}", n=1, all=3)``.

``FAIRFL_LANGUAGE`` chooses the language, for a whole program or by the first line of a translated chapter. A sentence that the catalogue lacks stays
English. Catalogues are the files ``LANGUAGE/*.toml`` beside this one: tables ``[[say]]`` with the English sentence, ``en``, and its translation, ``to``.
"""

import functools
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.resources import files

from fairfl.errors import refuse, unknown

SETTING = "FAIRFL_LANGUAGE"
ENGLISH = "en"
LANGUAGES = {ENGLISH: "en", "zh": "zh-CN"}  # as a reader names them → as HTML does
_CHOSEN: ContextVar[str] = ContextVar("language", default="")


def current() -> str:
    """The language chosen by ``using``, else by the environment, else English. Raises ``ValueError`` for one that the book does not have."""
    return _known(_CHOSEN.get() or os.environ.get(SETTING) or ENGLISH)


def _known(language):
    if language not in LANGUAGES:
        raise unknown(SETTING, language, LANGUAGES, "It names the language of what checks and labs say.")
    return language


def refuse_unknown(language: str, allowed: Iterable[str] = LANGUAGES) -> None:
    """Refuse a ``language`` that was named by the option --language and is not ``allowed``: asked before anything is made in it."""
    names = sorted(allowed)
    if language not in names:
        raise unknown("--language", language, names, "It is the language of the chapters.")


@contextmanager
def using(language: str) -> Iterator[None]:
    """Speak ``language`` in here. Raises ``ValueError`` for one that the book does not have."""
    before = _CHOSEN.set(_known(language))
    try:
        yield
    finally:
        _CHOSEN.reset(before)


def choosing(language: str) -> str:
    """The code that chooses ``language`` in a notebook, for what its kernel will say; none for English, which is spoken anyhow."""
    return f'import os\nos.environ["{SETTING}"] = "{language}"\n' if language != ENGLISH else ""


def tr(english: str, **values: object) -> str:
    """The sentence in the current language with ``{name}`` filled in from ``values``; other braces stay as they are."""
    said = catalogue(current()).get(english, english)
    for name, value in values.items():
        said = said.replace("{" + name + "}", str(value))
    return said


@functools.cache
def catalogue(language: str) -> dict[str, str]:
    """Every translated sentence of ``language``; none of English. Raises ``ValueError`` for an entry that is not whole, or there twice."""
    known: dict[str, str] = {}
    folder = files("fairfl_book.translation") / language
    for file in sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else ():
        if file.name.endswith(".toml"):
            for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("say", []):
                _add(known, entry, f"{language}/{file.name}")
    return known


def _add(known, entry, place):
    if set(entry) != {"en", "to"} or not all(isinstance(text, str) for text in entry.values()) or not entry["en"]:
        raise refuse(
            f"an entry of {place}", entry, "en and to, both texts", 'Write [[say]], en = "…" and to = "…" below it.'
        )
    if known.setdefault(entry["en"], entry["to"]) != entry["to"]:
        raise refuse(f"an entry of {place}", entry["en"], "each sentence with one translation", "Keep one of the two.")
