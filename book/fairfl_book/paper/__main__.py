"""``python -m fairfl_book.paper``: the whole book as one PDF, from the stored notebooks."""

import argparse
import sys
import time
from collections.abc import Sequence

from fairfl import _atomic_files
from fairfl_book import book_paths, terminal
from fairfl_book.paper import press


def main(arguments: Sequence[str] | None = None) -> int:
    """Set the book and return ``terminal.obey``'s exit status."""

    def run(given: argparse.Namespace) -> int:
        book, begun = book_paths.clone("make pdf"), time.monotonic()
        folder = book.pdf.parent / "paper"
        folder.mkdir(parents=True, exist_ok=True)
        chosen = book.with_companions(book.select(given.chapters)) if given.chapters else []
        press.write(press.manuscript(book, folder, chosen, given.with_answers), folder)
        parts = [book.pdf.stem, *given.chapters, *(["with-answers"] if given.with_answers else [])]
        target = book.pdf.with_name(f"{'-'.join(parts)}.pdf")
        pdf = press.printed(folder)
        _atomic_files.write(target, pdf)
        print(f"set {target.relative_to(book.root)}: {len(pdf) / 1e6:.1f} MB in {time.monotonic() - begun:.0f} s")
        return 0

    parser = terminal.Parser(
        prog="python -m fairfl_book.paper",
        description="Set the whole book as book/_build/fairfl.pdf with Typst, from the stored notebooks.",
    )
    parser.add_argument(
        "chapters", nargs="*", metavar="CHAPTER", help="only these chapters and their companions, by name or number"
    )
    parser.add_argument(
        "--with-answers",
        action="store_true",
        help="add an appendix with the answers to turns and exercises, in a file of its own",
    )
    parser.set_defaults(run=run)
    return terminal.obey(parser, arguments)


if __name__ == "__main__":
    sys.exit(main())
