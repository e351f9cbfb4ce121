"""``python -m fairfl_book.site``: download what is missing and build the pages."""

import argparse
import sys
import time
from collections.abc import Sequence

from fairfl._extras import needed_by
from fairfl_book import book_paths, terminal


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site of the enclosing book and return ``terminal.obey``'s exit status."""
    parser = terminal.Parser(
        prog="python -m fairfl_book.site", description="Build the static site into book/_build/html."
    )
    parser.add_argument(
        "--no-vendor",
        action="store_true",
        help="do not download KaTeX, the typefaces and MiniSearch if they are missing: formulas stay LaTeX, and the search finds nothing",
    )
    parser.add_argument(
        "--without-solutions",
        action="store_true",
        help="for a class: leave out the solutions and the notes on good answers",
    )
    parser.set_defaults(run=_build)
    return terminal.obey(parser, arguments)


def _build(given: argparse.Namespace) -> int:
    begun = time.perf_counter()
    book = book_paths.clone("make book")
    made = book.root / "book" / "_build"
    with needed_by("the site"):
        import sphinx  # noqa: F401  (first, for only the extra book brings it, and that has all the rest)

        from fairfl_book.site import build, third_party

        fetched = [] if given.no_vendor else third_party.fetch(book.vendored)
        for package in fetched:
            print(f"fetched {package}")
        chapters = build.build(book, made / "html", made, book.vendored, not given.without_solutions)
    print(
        f"{len(chapters)} chapters in {time.perf_counter() - begun:.0f} s; open {(made / 'html' / 'index.html').relative_to(book.root)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
