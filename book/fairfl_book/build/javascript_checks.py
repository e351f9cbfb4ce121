"""Check the book's JavaScript with prettier and ESLint: ``python -m fairfl_book.build.javascript_checks [--fix]``, part of ``make check``.

``javascript_tools`` installs both. If npm or its registry is not available, the command prints that JavaScript was not
checked, and the exit status is 0.
"""

import argparse
import subprocess
import sys

from fairfl_book.build import javascript_tools, node

SCRIPTS = (
    "book/fairfl_book/labs/js/*.js",
    "book/static/*.js",
    "book/fairfl_book/teaching/slides/*.js",
    "book/javascript/*.mjs",
)
NOT_CHECKED = "JavaScript was not checked: "


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fairfl_book.build.javascript_checks", description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format the files, and fix what ESLint can fix")
    fix = parser.parse_args(arguments).fix
    try:
        folder = javascript_tools.install()
    except javascript_tools.Unavailable as reason:
        print(f"{NOT_CHECKED}{reason}.")
        return 0
    modules, program = folder / "node_modules", str(node.find())
    checks = [
        [
            "eslint/bin/eslint.js",
            "--config",
            str(folder / javascript_tools.FILES[-1]),
            *(["--fix"] if fix else []),
            *SCRIPTS,
        ],
        ["prettier/bin/prettier.cjs", "--log-level=warn", "--write" if fix else "--check", *SCRIPTS],
    ]
    return max(
        subprocess.run([program, str(modules / tool), *rest], cwd=javascript_tools.REPOSITORY).returncode
        for tool, *rest in checks
    )


if __name__ == "__main__":
    sys.exit(main())
