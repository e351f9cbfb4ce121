"""Hold the book's JavaScript to a formatter and a linter: ``python -m fairfl_book.build.javascript_checks [--write]``.

prettier and eslint come from the npm registry, at the versions of ``book/javascript/package-lock.json``. The book itself
needs neither.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from fairfl_book import book_paths
from fairfl_book.build import node

SOURCES = ("book/fairfl_book/labs/js", "book/static", "tests/fairfl_book/site")
# Written by ``fairfl_book.build.dropout_data``, one number after another.
GENERATED = ("dropout_data.js",)


def files(root: Path) -> list[Path]:
    """The JavaScript files that people write."""
    found = [path for folder in SOURCES for path in sorted((root / folder).glob("*.js"))]
    return [path for path in found if path.name not in GENERATED]


def install(folder: Path, program: str) -> str:
    """Install prettier and eslint below ``folder`` unless the locked versions are there; return npm's last line if that failed."""
    lock, done = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    if done.exists() and done.stat().st_mtime >= lock.stat().st_mtime:
        return ""
    npm = Path(program).parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [program, str(npm)] if npm.exists() else ["npm"]
    options = ["ci", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000"]
    try:
        ended = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if ended.returncode:
        return (ended.stderr.strip().splitlines() or ["npm failed"])[-1]
    done.touch()
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Check all files, or with ``--write`` format them first. 0: sound, or the tools could not be installed, which is said."""
    parser = argparse.ArgumentParser(description="Check the format of the book's JavaScript, and look for mistakes in it.")
    parser.add_argument("--write", action="store_true", help="format the files instead of only checking them")
    given = parser.parse_args(arguments)
    root = book_paths.find().root
    folder, program = root / "book" / "javascript", node.find()
    failed = install(folder, program) if program else 'node is not here; pip install -e ".[dev]" brings it'
    if program is None or failed:
        print(f"JavaScript was not checked: prettier and eslint could not be installed ({failed})", file=sys.stderr)
        return 0
    paths, modules = [str(path) for path in files(root)], folder / "node_modules"
    prettier = [program, str(modules / "prettier" / "bin" / "prettier.cjs"), "--config", str(folder / ".prettierrc.json")]
    eslint = [program, str(modules / "eslint" / "bin" / "eslint.js"), "--config", str(folder / "eslint.config.js")]
    formatted = subprocess.run([*prettier, "--write" if given.write else "--check", "--log-level", "warn", *paths], cwd=root)
    linted = subprocess.run([*eslint, *paths], cwd=root)
    return formatted.returncode or linted.returncode


if __name__ == "__main__":
    sys.exit(main())
