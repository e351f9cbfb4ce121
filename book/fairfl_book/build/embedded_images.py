"""The pictures inside HTML, as an output of a cell may hold it."""

from html.parser import HTMLParser


class _Pictures(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.words.append((dict(attrs).get("alt") or "").strip())


def words(html: str) -> list[str]:
    """The alternative text of every picture in ``html``, in order; "" for a picture without."""
    parser = _Pictures()
    parser.feed(html)
    return parser.words
