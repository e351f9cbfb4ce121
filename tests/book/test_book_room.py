"""What the room's own description promises: every file in it is named, and chapters import ``places`` at most."""

import pkgutil
import re

from fairfl import book as room
from fairfl.book import places

BOOK = places.find()


def test_every_file_is_named_in_the_description():
    files = {module.name for module in pkgutil.iter_modules(room.__path__)}
    assert files <= set(re.findall(r"``(\w+)``", room.__doc__))


def test_chapters_import_places_at_most():
    assert "a chapter imports ``places`` at most" in room.__doc__
    lines = [line.strip() for name in BOOK.names() for line in BOOK.twin(name).read_text(encoding="utf-8").splitlines()]
    imported = {line for line in lines
                if re.match(r"\s*(from|import) fairfl\.book\b|\s*from fairfl import .*\bbook\b", line)}
    assert imported <= {"from fairfl.book import places"}
