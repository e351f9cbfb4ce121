"""What is wrong with built pages, read from the files alone: links that lead nowhere, pictures without words."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """``ids``: where links can lead. ``links``: every href and src. ``silent``: pictures without alternative text."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids, self.links, self.silent = {""}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id") or "")
        self.links += [given[name] for name in ("href", "src") if given.get(name)]
        if tag == "img" and given.get("role") != "presentation" and not (given.get("alt") or "").strip():
            self.silent.append(given.get("src", "")[:60])


def paths(folder: Path) -> list[Path]:
    """The pages, without the templates that a theme leaves among its own files."""
    return sorted(path.resolve() for path in folder.rglob("*.html") if folder / "_static" not in path.parents)


def problems(folder: Path) -> Iterator[str]:
    """Every broken link and silent picture of the pages under ``folder``."""
    pages = {path: Page(path) for path in paths(folder)}
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        yield from (f"{name}: a picture without alternative text: {source}" for source in page.silent)
        for link in sorted(set(page.links)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme != "data" and not re.fullmatch(
                    r"https?://[\w-]+(\.[\w-]+)+(:\d+)?(/[^\s<>\"]*)?", link
                ):
                    yield f"{name}: {link} is no address"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name}: {link} leads to no file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{name}: {link} leads to no place in its page"


def outside(folder: Path) -> Iterator[str]:
    """Files that a page would fetch from a network while it is read: scripts, styles and pictures of other machines."""
    for path in paths(folder):
        yield from Fetches(path).addresses


class Fetches(HTMLParser):
    def __init__(self, path: Path):
        super().__init__()
        self.addresses = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        link = (
            given.get("src")
            if tag != "link"
            else given.get("href")
            if given.get("rel") in ("stylesheet", "preload", "icon")
            else None
        )
        if link and urlsplit(link).netloc:
            self.addresses.append(link)
