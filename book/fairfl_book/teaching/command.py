"""``fairfl-book student``, ``solutions``, ``release`` and ``map``: what a teacher runs."""

import argparse
from pathlib import Path


def add(commands: "argparse._SubParsersAction") -> None:
    """Add the four commands to the parser's ``commands``."""
    for kind, what in (
        ("student", "write notebooks without outputs, nothing solved"),
        ("solutions", "write notebooks with the exercises solved, where the book has solutions"),
    ):
        make = commands.add_parser(kind, help=f"{what}, into dist/{kind}")
        make.add_argument("names", nargs="*", help="names or their two digits (default: all that have been executed)")
        make.add_argument("--out", type=Path, help=f"another folder (default: dist/{kind}/ beside chapters/)")
        make.set_defaults(run=_notebooks, kind=kind)

    pack = commands.add_parser("release", help="write one archive with all that a class needs without a network")
    pack.add_argument(
        "--out",
        type=Path,
        help="the archive's path (default: in dist/, named by the version, and by what it leaves out)",
    )
    pack.add_argument(
        "--wheels",
        action="store_true",
        help="download what make lab installs, for this system, and add it: some hundred MB or more",
    )
    pack.add_argument(
        "--without-solutions",
        action="store_true",
        help="leave out book/solutions, what book/teachers.md says of open exercises, and a site that shows solutions",
    )
    pack.set_defaults(run=_release)

    maps = commands.add_parser("map", help="bring the map of prerequisites in book/teachers.md up to date")
    maps.set_defaults(run=_map)


def _notebooks(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.teaching import class_notebooks

    files = class_notebooks.write(book_paths.find(), given.kind, given.names, given.out)
    print(
        f"notebooks written: {len(files)}, in {files[0].parent}"
        if files
        else "no chapter has been executed yet; run make chapters"
    )
    return 0


def _release(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.output_option import refuse_unwritable
    from fairfl_book.teaching import release, wheels

    refuse_unwritable(given.out)
    book = book_paths.find()
    fetched = wheels.fetch(book) if given.wheels else None
    old = release.older_than_the_chapters(book)
    if old:
        print(f"The site in book/_build is older than {', '.join(old)}; run make book first if it should show them.")
    new = release.left_out(book.root)
    if new:
        print(
            f"Left out, because git does not know them: {', '.join(new)}. Use git add for what belongs in the archive."
        )
    other = release.changed(book.root)
    if other:
        print(
            f"Packed as they stand here, not as last committed: {', '.join(other)}. Nobody else can make these bytes."
        )
    answered = not given.without_solutions
    path = release.write(book, given.out, fetched, answered)
    build = "make book" if answered else "make book ARGS=--without-solutions"
    site = "with the site" if release.site(book, answered) else f"without the site ({build} builds it)"
    parts = [site, f"{'with' if fetched else 'without'} wheels", *([] if answered else ["without solutions"])]
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {', '.join(parts)}")
    print(f"sha256 {release.digest(path)}")
    return 0


def _map(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.build import prerequisites

    print(
        "book/teachers.md: brought up to date"
        if prerequisites.refresh(book_paths.find())
        else "book/teachers.md: up to date already"
    )
    return 0
