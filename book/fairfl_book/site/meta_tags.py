"""Meta tags that describe a page to search engines and in link previews."""

import html
import re

from sphinx.application import Sphinx

from fairfl_book.site import languages
from fairfl_book.site.chapter_index import Known

PREVIEW = "_static/preview.png"
LONGEST = 200  # most characters of a description in a list of search results


def describe(app: Sphinx, page: str, template: str, context: dict, tree: object) -> None:
    """Add a description and a preview of ``page`` to its head. URLs are absolute if ``html_baseurl`` is set, otherwise
    relative."""
    language, name = languages.of_page(page)
    chapter = Known.read(app.srcdir).said(language).get(name)
    words = chapter.promise if chapter else first_words(context.get("body", "")) or context["project"]
    title = re.sub(r"<[^>]+>", "", html.unescape(context.get("title") or context["project"]))
    site = app.config.html_baseurl
    picture = f"{site.rstrip('/')}/{PREVIEW}" if site else context["pathto"](PREVIEW, 1)
    tags = {"og:type": "article", "og:site_name": context["project"], "og:title": title, "og:description": words, "og:image": picture}  # fmt: skip
    if site:
        tags["og:url"] = f"{site.rstrip('/')}/{page}.html"
    marks = [f'<meta property="{name}" content="{html.escape(text)}" />' for name, text in tags.items()]
    description = f'<meta name="description" content="{html.escape(words)}" />'
    context["metatags"] = "\n".join([context.get("metatags", ""), description, *marks])


def first_words(body: str) -> str:
    """The first paragraph of a page without markup, cut at a space."""
    for paragraph in re.findall(r"<p\b[^>]*>(.*?)</p>", body, re.DOTALL):
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", paragraph)).split())
        if len(text) > 30 and "\\(" not in text:
            return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"
    return ""
