"""``fairfl-book student``, ``solutions``, ``slides``, ``questions``, ``cards``, ``wheels``, ``release`` and ``map``: commands for teachers."""

import argparse
from pathlib import Path


def add(commands: "argparse._SubParsersAction") -> None:
    """Add the eight commands to the parser's ``commands``."""
    for kind, what in (
        ("student", "write notebooks without outputs and with unsolved exercises"),
        ("solutions", "write notebooks with solved exercises, if the book has solutions"),
    ):
        make = commands.add_parser(kind, help=f"{what}, into dist/{kind}")
        make.add_argument("names", nargs="*", help="chapters, by name or two-digit number (default: all executed ones)")
        make.add_argument("--out", type=Path, help=f"another folder (default: dist/{kind}/ beside chapters/)")
        make.set_defaults(run=_notebooks, kind=kind)

    decks = commands.add_parser(
        "slides", help="write a deck of slides per chapter, as HTML and as PDF, into dist/slides"
    )
    decks.add_argument("names", nargs="*", help="chapters, by name or two-digit number (default: all executed ones)")
    decks.add_argument("--out", type=Path, help="another folder (default: dist/slides/ beside chapters/)")
    decks.set_defaults(run=_slides)

    asked = commands.add_parser(
        "questions", help="write the questions on misconceptions, before and after the course, into dist/questions"
    )
    asked.add_argument("--out", type=Path, help="another folder (default: dist/questions/ beside chapters/)")
    asked.add_argument(
        "--key", action="store_true", help="print the right answers and the misconceptions, and write nothing"
    )
    asked.set_defaults(run=_questions)

    cards = commands.add_parser("cards", help="write the glossary as cards for spaced review in Anki, into dist/cards")
    cards.add_argument("--language", default="en", help="language of the cards, en or zh (default: en)")
    cards.add_argument("--out", type=Path, help="path of the file (default: dist/cards/fairfl-cards-en.txt)")
    cards.set_defaults(run=_cards)

    build = commands.add_parser(
        "wheels",
        help="build the book as a Python wheel, which opens it without a clone, and its solutions as another, into dist",
    )
    build.add_argument("--out", type=Path, help="another folder (default: dist/ beside chapters/)")
    build.set_defaults(run=_wheels)

    pack = commands.add_parser("release", help="write an archive with everything that a class needs without a network")
    pack.add_argument(
        "--out",
        type=Path,
        help="path of the archive (default: in dist/, named after the version and what it leaves out)",
    )
    pack.add_argument(
        "--wheels",
        action="store_true",
        help="download the packages that make lab installs on this system, and add them: some hundred MB or more",
    )
    pack.add_argument(
        "--without-solutions",
        action="store_true",
        help="leave out book/solutions, the notes on open exercises in book/teachers.md, the slides, the questions after the course, and a site that shows solutions",
    )
    pack.set_defaults(run=_release)

    maps = commands.add_parser("map", help="update the map of prerequisites in book/teachers.md")
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


def _slides(given: argparse.Namespace) -> int:
    from fairfl.errors import NotInstalled, Refused
    from fairfl_book import book_paths
    from fairfl_book.build.chromium import chromium
    from fairfl_book.teaching.slides import files

    decks = []
    for deck in files.write(book_paths.clone("slides"), given.names, given.out):
        print(deck, flush=True)
        decks.append(deck)
    try:
        with chromium() as browser:
            for deck in decks:
                print(files.printed(browser, deck), flush=True)
    except (Refused, NotInstalled) as error:
        print(f"No PDFs: {error}. The HTML needs only a browser, which can print it too, a slide on each page.")
    return 0


def _questions(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.misconceptions import notebooks
    from fairfl_book.misconceptions.questions import QUESTIONS

    if given.key:
        for number, question in enumerate(QUESTIONS, 1):
            print(f"{number}. {question.right}: {question.choices[question.right].text}")
            print(f"   Answered in {question.chapter}, {question.section}")
            for letter, choice in question.choices.items():
                if choice.mistake:
                    print(f"   {letter}: {choice.mistake}")
        return 0
    files = notebooks.write(given.out or book_paths.find().dist / "questions")
    print(f"{', '.join(file.name for file in files)}, in {files[0].parent}")
    return 0


def _cards(given: argparse.Namespace) -> int:
    from fairfl import _atomic_files
    from fairfl_book import book_paths
    from fairfl_book.output_option import refuse_unwritable
    from fairfl_book.teaching import anki_cards

    refuse_unwritable(given.out)
    book = book_paths.find()
    content = anki_cards.made(book, given.language)
    path = given.out or book.dist / "cards" / anki_cards.file_name(given.language)
    path.parent.mkdir(parents=True, exist_ok=True)
    _atomic_files.write(path, content)
    count = sum(not line.startswith(b"#") for line in content.splitlines())
    print(f"{path}: {count} cards. In Anki: File, Import.")
    return 0


def _wheels(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.teaching import release, wheels

    book = book_paths.clone("wheels")
    for wheel in wheels.build(book, given.out):
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB, sha256 {release.digest(wheel)}")
    return 0


def _release(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.output_option import refuse_unwritable
    from fairfl_book.teaching import release, wheels

    refuse_unwritable(given.out)
    book = book_paths.clone("release")
    fetched = wheels.fetch(book) if given.wheels else None
    for made, what, remedy in ((release.front_page(book), "site", "make book"), (book.pdf, "PDF", "make pdf")):
        if old := release.newer(book, made):
            print(f"The {what} in book/_build is older than {', '.join(old)}; run {remedy} first to include them.")
    new = release.left_out(book.root)
    if new:
        print(
            f"Left out, because they are not tracked by git: {', '.join(new)}. Use git add for files that belong in the archive."
        )
    other = release.changed(book.root)
    if other:
        print(f"Packed with uncommitted changes: {', '.join(other)}. Nobody else can reproduce this archive.")
    answered = not given.without_solutions
    path = release.write(book, given.out, fetched, answered)
    build = "make book" if answered else "make book ARGS=--without-solutions"
    site = "with the site" if release.site(book, answered) else f"without the site ({build} builds it)"
    why = "make slides fetches what they need" if answered else "they answer the turns"
    slides = "with slides" if release.with_slides(book, answered) else f"without slides ({why})"
    pdf = "with the PDF" if book.pdf.exists() else "without the PDF (make pdf sets it)"
    parts = [
        site,
        slides,
        pdf,
        f"{'with' if fetched else 'without'} wheels",
        *([] if answered else ["without solutions"]),
    ]
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {', '.join(parts)}")
    print(f"sha256 {release.digest(path)}")
    return 0


def _map(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.build import prerequisites

    print(
        "book/teachers.md: updated"
        if prerequisites.refresh(book_paths.clone("map"))
        else "book/teachers.md: already up to date"
    )
    return 0
