"""Link the first use of each term on a chapter's page to the glossary, with the definition as a tooltip."""

import re
from collections.abc import Mapping, Sequence

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from fairfl_book.site import text_links
from fairfl_book.site.chapter_index import Known, Word
from fairfl_book.site.cross_references import lists_references

_CHAPTER = re.compile(r"(?:(\w\w)/)?(\d\d)_\w+")


class Terms(SphinxPostTransform):
    """Runs after chapters and citations have become links, so that a term inside one is not linked again."""

    default_priority = 210
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Link the terms in one chapter that other chapters teach."""
        at = _CHAPTER.fullmatch(self.env.docname)
        if not at:
            return
        words = Known.read(self.app.srcdir).words[at[1] or "en"]
        left = {word.name: word for word in words if word.chapter != at[2]}
        # All terms, so that a shorter one is not linked inside a longer one that this chapter teaches itself.
        seen = pattern([word.name for word in words], joined=at[1] == "zh")
        for text in list(self.document.findall(nodes.Text)):
            if left and not text_links.inside(text, text_links.KEPT) and not _of_the_references(text):
                pieces = text_links.split(str(text), self.links(str(text), seen, left))
                if len(pieces) > 1:
                    text.parent.replace(text, pieces)

    def links(self, text: str, seen: re.Pattern, left: dict[str, Word]) -> text_links.Links:
        """The links to terms in ``text``. Linked terms are removed from ``left``."""
        for found in seen.finditer(text):
            word = named(found[1], left)
            if word is None:
                continue
            page, anchor = self.env.domaindata["std"]["objects"]["term", word.name]
            uri = f"{self.app.builder.get_relative_uri(self.env.docname, page)}#{anchor}"
            yield found, {"refuri": uri, "reftitle": word.definition, "classes": ["term"]}
            del left[word.name]


def pattern(names: Sequence[str], joined: bool) -> re.Pattern:
    """A pattern that matches the terms ``names``, longest first, in singular or plural. ``joined``: for a script
    without spaces."""
    names = sorted(names, key=len, reverse=True)
    ways = "|".join(re.escape(name) if joined else r"\s+".join(map(_either, name.split())) for name in names)
    return re.compile(f"({ways})" if joined else rf"(?<![\w-])({ways})s?(?![\w-])")


def named(found: str, left: Mapping[str, Word]) -> Word | None:
    """The term of ``left`` that ``found`` stands for. Its first letter may be a capital at the start of a sentence."""
    name = " ".join(found.split())
    return left.get(name) or left.get(name[:1].lower() + name[1:])


def _either(part: str) -> str:
    first, rest = part[0], re.escape(part[1:])
    return f"[{first}{first.upper()}]{rest}" if first.islower() and first.isascii() else re.escape(part)


def _of_the_references(node: nodes.Node) -> bool:
    return any(isinstance(one, nodes.section) and lists_references(one) for one in text_links.around(node))
