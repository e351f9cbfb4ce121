"""Translate single sentences into the reader's language: ``tr("Hint {n} of {all}", n=1, all=3)``.

``FAIRFL_LANGUAGE`` sets the language, for a whole program or in the first line of a translated chapter. A sentence that the catalogue lacks stays in
English. Catalogues are the files ``LANGUAGE/*.toml`` beside this one: tables ``[[say]]`` with the English sentence, ``en``, and its translation, ``to``.
Tables ``[[frame]]`` are the same for the words around a page of the site, which the theme writes and not ``tr``.
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
LANGUAGES = {ENGLISH: "en", "zh": "zh-CN"}  # name on the command line → HTML language code
_CHOSEN: ContextVar[str] = ContextVar("language", default="")


def current() -> str:
    """The language set by ``using``, else by the environment, else English. Raises ``Refused`` for an unknown language."""
    return _known(_CHOSEN.get() or os.environ.get(SETTING) or ENGLISH)


def _known(language):
    if language not in LANGUAGES:
        raise unknown(SETTING, language, LANGUAGES, "It sets the language of checks and labs.")
    return language


def refuse_unknown(language: str, allowed: Iterable[str] = LANGUAGES) -> None:
    """Raise ``Refused`` for a ``language`` from the option --language that is not ``allowed``. Called before anything is written."""
    names = sorted(allowed)
    if language not in names:
        raise unknown("--language", language, names, "It sets the language of the chapters.")


@contextmanager
def using(language: str) -> Iterator[None]:
    """Use ``language`` inside the block. Raises ``Refused`` for an unknown language."""
    before = _CHOSEN.set(_known(language))
    try:
        yield
    finally:
        _CHOSEN.reset(before)


def choosing(language: str) -> str:
    """The code that sets ``language`` in a notebook's kernel; "" for English, the default."""
    return f'import os\nos.environ["{SETTING}"] = "{language}"\n' if language != ENGLISH else ""


def tr(english: str, **values: object) -> str:
    """The sentence in the current language with each ``{name}`` replaced from ``values``; other braces stay."""
    text = catalogue(current()).get(english, english)
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


@functools.cache
def catalogue(language: str) -> dict[str, str]:
    """Every translated sentence of ``language``; empty for English. Raises ``Refused`` for an incomplete or duplicate entry."""
    return _tables(language, "say")


@functools.cache
def framed(language: str) -> dict[str, str]:
    """The translated words around a page of the site. Raises what ``catalogue`` raises."""
    return _tables(language, "frame")


def _tables(language, name):
    known: dict[str, str] = {}
    folder = files("fairfl_book.translation") / language
    for file in sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else ():
        if file.name.endswith(".toml"):
            for entry in tomllib.loads(file.read_text(encoding="utf-8")).get(name, []):
                _add(known, entry, f"{language}/{file.name}")
    return known


def _add(known, entry, place):
    if set(entry) != {"en", "to"} or not all(isinstance(text, str) for text in entry.values()) or not entry["en"]:
        raise refuse(
            f"an entry of {place}", entry, "en and to, both strings", 'Write [[say]], en = "…" and to = "…" below it.'
        )
    if known.setdefault(entry["en"], entry["to"]) != entry["to"]:
        raise refuse(f"an entry of {place}", entry["en"], "each sentence with one translation", "Keep one of the two.")
