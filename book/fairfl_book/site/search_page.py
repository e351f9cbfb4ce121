"""The page Search, in the current language. ``static/search.js`` fills it."""

import json
from html import escape

from fairfl_book.translation.sentences import tr

NAME = "search"  # the page's file name in each language's folder


def page() -> str:
    """The page in MyST: a field, a place for the hits, and the words that the script says."""
    said = {
        "none": tr("Nothing was found for “{words}”. Try fewer or other words, or look into the index."),
        "some": tr("{n} passages."),
        "one": tr("1 passage."),
        "keys": tr("↓ and ↑ go through them, Enter opens one."),
        "near": tr("Passages with all of these words: {complete}. With some of them: {rest}."),
        "more": tr("Show {n} more"),
        "broken": tr("The search could not be loaded. This copy of the site was built without it."),
        "term": tr("term"),
        "api": tr("API"),
        "figure": tr("figure"),
        "exercise": tr("exercise"),
        "turn": tr("your turn"),
        "symbol": tr("symbol"),
        "work": tr("reference"),
        "heading": tr("section"),
    }
    title, field, loading = tr("Search"), tr("Words to look for"), tr("Loading the index…")
    lead = tr(
        "Type a word or several: a term, a symbol's name, an author, a name of the API, or words that you remember. Each hit leads to its paragraph."
    )
    without = tr(
        "The search needs JavaScript. Without it, your browser finds words on the open page (Ctrl+F), and the index lists names and terms."
    )
    return f"""---
orphan: true
---

# {title}

{lead}

<form class="book-search" role="search">
<input type="search" name="q" class="form-control" placeholder="{escape(field)}" aria-label="{escape(field)}" autocomplete="off" autocapitalize="off" spellcheck="false">
<p class="search-status" role="status">{escape(loading)}</p>
<ol class="search-hits" data-said="{escape(json.dumps(said, ensure_ascii=False))}"></ol>
<noscript><p>{escape(without)}</p></noscript>
</form>
"""
