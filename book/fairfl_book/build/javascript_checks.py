"""Check the book's JavaScript with prettier and ESLint: ``python -m fairfl_book.build.javascript_checks [--fix]``, part of ``make check``.

Both are installed into ``.venv/javascript`` at the versions in ``book/javascript/package-lock.json``, once and again
after that file changes. If npm or its registry is not available, the command prints that JavaScript was not checked,
and the exit status is 0.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from fairfl_book.build import node

REPOSITORY = Path(__file__).resolve().parents[3]
SETTINGS = REPOSITORY / "book" / "javascript"
INSTALLED = REPOSITORY / ".venv" / "javascript"
FILES = ("package.json", "package-lock.json", "eslint.config.mjs")
SCRIPTS = (
    "book/fairfl_book/labs/js/*.js",
    "book/static/*.js",
    "book/fairfl_book/teaching/slides/*.js",
    "book/javascript/*.mjs",
)
NOT_CHECKED = "JavaScript was not checked: "


class Unavailable(Exception):
    """Prettier and ESLint cannot be installed here. The message says why."""


def install(folder: Path = INSTALLED) -> Path:
    """Install prettier and ESLint into ``folder`` unless they are already there and up to date. Returns ``folder``.

    Raises ``Unavailable`` if node, npm or npm's registry is missing, and ``CalledProcessError`` if npm fails although its registry answers.
    """
    stamp = folder / ".ready"
    newest = max((SETTINGS / name).stat().st_mtime for name in FILES)
    if stamp.exists() and stamp.stat().st_mtime >= newest:
        return folder
    program, npm = node.find(), node.find_npm()
    if program is None or npm is None:
        raise Unavailable("node or npm is missing")
    folder.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    for name in FILES:  # ESLint resolves the imports of its configuration from the configuration's own folder
        shutil.copyfile(SETTINGS / name, folder / name)
    quick = ["--fetch-retries=1", "--fetch-timeout=20000", "--fetch-retry-mintimeout=1000"]
    done = _run(program, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", *quick, folder=folder)
    if done.returncode:
        if _run(program, npm, "view", "prettier", "version", *quick, folder=folder).returncode:
            raise Unavailable("npm's registry cannot be reached")
        print(done.stdout + done.stderr, file=sys.stderr)
        done.check_returncode()
    stamp.touch()
    return folder


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fairfl_book.build.javascript_checks", description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format the files, and fix what ESLint can fix")
    fix = parser.parse_args(arguments).fix
    try:
        folder = install()
    except Unavailable as reason:
        print(f"{NOT_CHECKED}{reason}.")
        return 0
    modules, program = folder / "node_modules", str(node.find())
    checks = [
        ["eslint/bin/eslint.js", "--config", str(folder / FILES[-1]), *(["--fix"] if fix else []), *SCRIPTS],
        ["prettier/bin/prettier.cjs", "--log-level=warn", "--write" if fix else "--check", *SCRIPTS],
    ]
    return max(
        subprocess.run([program, str(modules / tool), *rest], cwd=REPOSITORY).returncode for tool, *rest in checks
    )


if __name__ == "__main__":
    sys.exit(main())
