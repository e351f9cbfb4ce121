"""Install the JavaScript that checks the book: prettier, ESLint and axe-core, from npm's registry.

They go into ``.venv/javascript`` at the versions in ``book/javascript/package-lock.json``, once and again after that
file changes.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from fairfl_book.build import node

REPOSITORY = Path(__file__).resolve().parents[3]
SETTINGS = REPOSITORY / "book" / "javascript"
INSTALLED = REPOSITORY / ".venv" / "javascript"
FILES = ("package.json", "package-lock.json", "eslint.config.mjs")


class Unavailable(Exception):
    """The tools cannot be installed here. The message says why."""


def install(folder: Path = INSTALLED) -> Path:
    """Install the tools into ``folder`` unless they are already there and up to date. Returns ``folder``.

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


def axe(folder: Path = INSTALLED) -> str:
    """The script of axe-core, which finds barriers for readers with disabilities in a page. Installs it first if need be; raises as ``install`` does."""
    return (install(folder) / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
