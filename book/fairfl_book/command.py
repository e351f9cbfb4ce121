"""``fairfl-book``: open the book, execute and check its chapters, prepare class material, and mark submissions.

Slow imports are inside the functions that need them, so ``--help`` answers at once.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from fairfl_book import terminal, version_report


def parser() -> argparse.ArgumentParser:
    """The argument parser. Each command sets ``run``, which takes the parsed arguments and returns the exit status."""
    top = terminal.Parser(prog="fairfl-book", description="A computational textbook on fair federated learning.")
    top.add_argument(
        "--version", action=version_report.PrintVersion, help="print the edition and what it runs on, for a report"
    )
    copies = "folder for your copies (default: work/ in the clone; without a clone, ~/fairfl-book/work/)"
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    lab = commands.add_parser("lab", help="open the book in JupyterLab, on your own copies of the chapters")
    lab.add_argument("chapter", nargs="?", help="a chapter's name or number (default: the cover page)")
    lab.add_argument(
        "--more", action="store_true", help="open the chapter's companion: proofs, variants, further experiments"
    )
    lab.add_argument("--port", type=int, help="the server's port (default: 8888, or the next free one)")
    lab.add_argument("--no-browser", action="store_true", help="print the address instead of opening a browser")
    lab.add_argument("--work", type=Path, help=copies)
    lab.add_argument("--language", default="en", help="language of the chapters, en or zh (default: en)")
    lab.set_defaults(run=_lab)

    reset = commands.add_parser(
        "reset", help="restore your copy of a chapter to the published version, and keep the old one"
    )
    reset.add_argument("names", nargs="*", help="chapters, by name or number")
    reset.add_argument("--work", type=Path, help=copies)
    reset.add_argument("--language", default="en", help="language of the copy, en or zh (default: en)")
    reset.set_defaults(run=_reset)

    chapters = commands.add_parser("chapters", help="execute the chapters' texts and write their notebooks")
    chapters.add_argument("names", nargs="*", help="chapters, by name or two-digit number (default: all)")
    chapters.add_argument(
        "--language",
        default="en",
        help="zh: write the translated notebooks from the executed English ones, without running any code",
    )
    chapters.set_defaults(run=_chapters)

    translate = commands.add_parser("translate", help="update the translation files to match the English chapters")
    translate.add_argument(
        "names", nargs="*", help="chapters, by name or two-digit number (default: all translated ones)"
    )
    translate.add_argument("--language", default="zh", help="language of the translation (default: zh)")
    translate.set_defaults(run=_translate)

    check = commands.add_parser("check-chapters", help="report problems in the executed chapters")
    check.add_argument("names", nargs="*", help="chapters, by name or two-digit number (default: all)")
    check.set_defaults(run=_check)

    launch = commands.add_parser(
        "launch",
        help="add to the notebooks the cells that open them on Colab and Kaggle, from book/address.toml; without that file, remove them",
    )
    launch.set_defaults(run=_launch)

    from fairfl_book.marking import command as marking
    from fairfl_book.teaching import command as teaching

    teaching.add(commands)
    marking.add(commands)
    return top


def _lab(given: argparse.Namespace) -> int:
    from fairfl.errors import refuse
    from fairfl_book import book_paths
    from fairfl_book.reading import server
    from fairfl_book.translation import sentences

    if given.port is not None and not 1 <= given.port <= 65535:
        raise refuse("--port", given.port, "1 to 65535", "Leave it out to use 8888, or the next free port.")
    sentences.refuse_unknown(given.language)
    book = book_paths.find()
    chapter = book.select([given.chapter])[0] if given.chapter else None
    server.start(book, _work(given), given.port, not given.no_browser, chapter, given.language, given.more)
    return 0


def _work(given: argparse.Namespace) -> Path | None:
    """The folder given by ``--work``, if any. Raises ``Refused`` for a file."""
    from fairfl.errors import Refused

    if given.work is not None and given.work.exists() and not given.work.is_dir():
        raise Refused(
            f"--work is {given.work}, a file; allowed: a folder, which is created if missing. Give another path", "file"
        )
    return given.work


def _reset(given: argparse.Namespace) -> int:
    from fairfl.errors import Refused
    from fairfl_book import book_paths
    from fairfl_book.reading import copies, copy_extras
    from fairfl_book.translation import sentences, translated_copies

    sentences.refuse_unknown(given.language)
    book = book_paths.find()
    if not given.names:
        raise Refused(
            f"reset needs a chapter; allowed: a name or number of {', '.join(book.names())}. For example: reset 04",
            "missing",
        )
    work = (_work(given) or book.work).resolve()
    work = work if given.language == sentences.ENGLISH else work / given.language
    names = book.select(given.names)
    if given.language != sentences.ENGLISH:
        translated_copies.refuse_untranslated(book, given.language, names)
    for name in names:
        if given.language == sentences.ENGLISH:
            kept = copies.reset(book.chapters, work, name)
        else:
            kept = translated_copies.reset(book, work, given.language, name)
        copy_extras.trust(work / f"{name}.ipynb")
        yours = f"your old copy is {kept}" if kept else "it held no edits of yours"
        print(f"{work / name}.ipynb is restored; {yours}. If it is open, close its tab and open it again.")
    return 0


def _chapters(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.build import chapter_notebooks, prerequisites
    from fairfl_book.translation import sentences

    sentences.refuse_unknown(given.language)
    book = book_paths.clone("chapters")
    names = book.select(given.names)
    if given.language != sentences.ENGLISH:
        return _edition(book, given.language, names)
    for name in book.with_companions(names):
        print(chapter_notebooks.execute(book, name).line, flush=True)
    if prerequisites.refresh(book):
        print("book/teachers.md: updated the map of prerequisites")
    return _report(book, names)


def _edition(book, language, names) -> int:
    from fairfl_book.translation import edition, pending, sentences

    with sentences.using(language):
        folder = edition.build(book, language, names)
    for name, left in pending.counted(book, language).items():
        if name in names:
            print(f"{(folder / name).relative_to(book.root)}.ipynb: {left} passages without a translation, in English")
    return 0


def _translate(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths
    from fairfl_book.translation import pending, sentences, translation_file

    sentences.refuse_unknown(given.language, sentences.LANGUAGES.keys() - {sentences.ENGLISH})
    book = book_paths.clone("translate")
    with sentences.using(given.language):
        for name in book.select(given.names) if given.names else translation_file.names(book, given.language):
            left = pending.refresh(book, name, given.language)
            print(
                f"{translation_file.file(book, name, given.language).relative_to(book.root)}: {left} passages without a translation"
            )
        pending.state(book, given.language)
    return 0


def _check(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths

    book = book_paths.clone("check-chapters")
    return _report(book, book.select(given.names))


def _launch(given: argparse.Namespace) -> int:
    from fairfl_book import book_paths, repository_address
    from fairfl_book.reading import cloud_launch

    book = book_paths.clone("launch")
    changed = cloud_launch.write(book)
    place = repository_address.address(book)
    where = (
        f"{place.repository}, {place.branch}"
        if place
        else f"there is no {repository_address.FILE}, so the notebooks have no launch links"
    )
    print(f"notebooks changed: {len(changed)}, none executed ({where})")
    return 0


def _report(book, names: list[str]) -> int:
    from fairfl_book.build import notebook_checks

    problems = notebook_checks.check(book, names)
    print(*problems, f"chapters checked: {len(names)}, problems: {len(problems)}", sep="\n")
    return 1 if problems else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status (``terminal.obey``)."""
    terminal.quietly()
    return terminal.obey(parser(), arguments)


if __name__ == "__main__":
    sys.exit(main())
