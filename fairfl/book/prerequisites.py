"""Which chapter needs which: made from the chapters' front matter."""

from collections.abc import Mapping

from fairfl.book.frontmatter import FrontMatter


def needed(chapters: Mapping[str, FrontMatter]) -> dict[str, list[str]]:
    """For each chapter the earlier ones that teach what it needs, in the book's order."""
    taught = {term: name for name in sorted(chapters, reverse=True) for term in chapters[name].teaches}
    return {name: sorted({taught[term] for term in front.needs if term in taught} - {name}) for name, front in sorted(chapters.items())}


def table(chapters: Mapping[str, FrontMatter]) -> str:
    """The map as a Markdown table: chapter, minutes, the chapters it builds on, what it teaches."""
    lines = ["| chapter | minutes | builds on | teaches |", "|---|---|---|---|"]
    for name, earlier in needed(chapters).items():
        front = chapters[name]
        lines.append(f"| {front.title} | {front.minutes} | {', '.join(str(int(n[:2])) for n in earlier) or '–'} | {', '.join(front.teaches) or '–'} |")
    return "\n".join(lines)


def main() -> None:
    """Bring the map in ``book/teachers.md`` up to date: ``python -m fairfl.book.prerequisites``."""
    import re

    from fairfl import atomic
    from fairfl.book import guards, places

    book = places.find()
    page = book.root / "book" / "teachers.md"
    made = re.sub(r"(<!-- map -->\n).*?\n?(<!-- /map -->)", lambda found: f"{found[1]}{table(guards.fronts(book))}\n{found[2]}",
                  page.read_text(encoding="utf-8"), flags=re.S)
    atomic.write(page, made.encode())


if __name__ == "__main__":
    main()
