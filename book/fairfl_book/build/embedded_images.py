"""Find the images inside a cell's HTML output."""

from html.parser import HTMLParser


class _Pictures(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.words.append((dict(attrs).get("alt") or "").strip())


def words(html: str) -> list[str]:
    """The alternative text of every image in ``html``, in order. "" for an image without one."""
    parser = _Pictures()
    parser.feed(html)
    return parser.words
