"""Pack the book beside the packages when a wheel is built. Everything else about the project is in ``pyproject.toml``.

The solutions are in a wheel of their own, ``book/solutions``, so that a class can have the book without them.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

EDITION = "fairfl_edition"  # where fairfl/_repository.py looks for the book
FILES = (
    "chapters/*.ipynb",
    "chapters/more/*.ipynb",
    "chapters/zh/*.md",
    "data/papers/*.csv",
    "data/results/*.csv",
    "data/results/*.json",
    "book/glossary.toml",
)


class WithTheBook(build_py):
    """Builds the packages, and copies ``FILES`` beside them. An editable installation reads them in the clone."""

    def run(self) -> None:
        super().run()
        for target, source in self._book().items():
            self.mkpath(str(Path(target).parent))
            self.copy_file(source, target)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *self._book()]

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *self._book(always=True).values()]

    def _book(self, always: bool = False) -> dict[str, str]:
        """Where each of the book's files goes → the file, or nothing in an editable installation unless ``always``."""
        if self.editable_mode and not always:
            return {}
        found = {pattern: sorted(Path().glob(pattern)) for pattern in FILES}
        if missing := [pattern for pattern, files in found.items() if not files]:
            raise FileNotFoundError(f"the book is incomplete: no file matches {', '.join(missing)}")
        files = [file.as_posix() for each in found.values() for file in each]
        return {f"{self.build_lib}/{EDITION}/{file}": file for file in files}


setup(cmdclass={"build_py": WithTheBook})
