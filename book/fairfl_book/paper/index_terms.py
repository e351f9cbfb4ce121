"""The index: the glossary's terms, marked where the text uses them."""

import re
from collections.abc import Sequence

from fairfl._extras import needed_by
from fairfl_book.paper.typst_text import called, escaped, quoted
from fairfl_book.site.glossary import Term


class IndexTerms:
    """Marks a term at its first use in each section, and an everyday word only in the chapter that teaches it.

    ``chapter``: two digits. A term's pages in the chapter that teaches it are printed in bold.
    """

    def __init__(self, terms: Sequence[Term], chapter: str) -> None:
        with needed_by("the book as a PDF"):
            from fairfl_book.site import glossary_links
        self._named = glossary_links.named
        self._all = {term.en: term for term in terms}
        self._pattern = glossary_links.pattern(list(self._all), joined=False)
        self._chapter = chapter
        self._left = dict(self._all)
        self._seen: set[str] = set()

    def new_section(self) -> None:
        """Mark every term once more."""
        self._left = {name: term for name, term in self._all.items() if not (term.everyday and name in self._seen)}

    def marked(self, words: str) -> str:
        """``words`` as Typst, with marks for the index after the terms."""
        made, end = [], 0
        for found in self._pattern.finditer(words) if self._left else ():
            term = self._named(found[1], self._left)
            if term is None or (term.everyday and term.chapter != self._chapter):
                continue
            del self._left[term.en]
            main, first = term.chapter == self._chapter, term.en not in self._seen
            self._seen.add(term.en)
            marks = (str(mark).lower() for mark in (main, first))
            made += [escaped(words[end : found.end()]), called("indexed", quoted(term.en), *marks)]
            end = found.end()
        return "".join(made) + escaped(words[end:])


def sorted_terms(terms: Sequence[Term]) -> list[str]:
    """The names of ``terms`` as an index orders them: letters only, capitals like small ones."""
    return sorted((term.en for term in terms), key=lambda name: re.sub(r"[^a-z0-9]+", "", name.lower()))
