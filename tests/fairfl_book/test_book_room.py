"""Every file is named in its subpackage's docstring, and chapters import only the modules meant for them."""

import ast
import importlib
import pkgutil
import re

import pytest
from fairfl_book import book_paths

BOOK = book_paths.find()
FOR_CHAPTERS = {
    *(
        "book_paths",
        "companion",
        "exercises",
        "fault_injection",
        "figures",
        "labs",
        "objective_plots",
        "selftest",
        "tables",
        "toy",
    )
}


@pytest.mark.parametrize(
    "name",
    [
        "fairfl_book",
        "fairfl_book.build",
        "fairfl_book.marking",
        "fairfl_book.reading",
        "fairfl_book.teaching",
        "fairfl_book.translation",
    ],
)
def test_every_file_is_named_in_the_description(name):
    room = importlib.import_module(name)
    files = {module.name for module in pkgutil.iter_modules(room.__path__)} - {"__main__"}
    assert files <= set(re.findall(r"``(\w+)``", room.__doc__))


def test_chapters_import_only_what_is_meant_for_them():
    for name in BOOK.names():
        code = re.findall(
            r"```\{code-cell\}[^\n]*\n(?:---\n.*?---\n|(?::[^\n]*\n)*)(.*?)```",
            BOOK.twin(name).read_text(encoding="utf-8"),
            re.DOTALL,
        )
        statements = [
            node for cell in code for node in ast.walk(ast.parse(re.sub(r"^[%!].*$", "", cell, flags=re.MULTILINE)))
        ]
        used = {
            n.module.split(".")[1]
            for n in statements
            if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("fairfl_book.")
        }
        used |= {
            a.name for n in statements if isinstance(n, ast.ImportFrom) and n.module == "fairfl_book" for a in n.names
        }
        assert used <= FOR_CHAPTERS, name
