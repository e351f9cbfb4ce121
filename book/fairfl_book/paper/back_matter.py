"""The last pages of the printed book: answers, glossary, notation, references and index."""

from collections.abc import Mapping, Sequence

from nbformat import NotebookNode

from fairfl_book.build.bibtex import Reference
from fairfl_book.exercises import solutions, turns
from fairfl_book.exercises.display import marked_up
from fairfl_book.exercises.exercise_cells import turn_in
from fairfl_book.paper import html_output, places
from fairfl_book.paper.index_terms import sorted_terms
from fairfl_book.paper.prose import Prose, code
from fairfl_book.paper.typst_text import called, escaped, quoted
from fairfl_book.site.glossary import Symbol, Term


def glossary(terms: Sequence[Term], prose: Prose) -> str:
    """Every term with its definition, its symbol and the chapter that teaches it."""
    made = [called("matter", "[Glossary]", '"glossary"')]
    where = "book/glossary.toml"
    for term in terms:
        words = _inline(f"{term.definition} Symbol: ${term.symbol}$." if term.symbol else term.definition, prose)
        if term.chapter:
            label = prose.at.ask(f"c{term.chapter}", f"{where}: {term.en}")
            words += " " + called("there", label, body=f"Chapter {int(term.chapter)}") + "."
        made.append(called("term", f"[{escaped(term.en)}]", body=words))
    return "\n".join(made) + "\n"


def notation(symbols: Sequence[Symbol], prose: Prose) -> str:
    """The letters of the book as a table."""
    cells = [
        f"[{_inline(f'${symbol.tex}$', prose)}], [{_inline(symbol.en, prose)}], [{escaped(symbol.shape)}]"
        for symbol in symbols
    ]
    table = called("rows", "(left, left, left)", "([symbol], [meaning], [shape])", f"({', '.join(cells)},)")
    return called("matter", "[Notation]", '"notation"') + (
        "\nThe same letters in text, formulas and code. A shape of (K,) is a list of K numbers, one per client.\n\n"
        + table
        + "\n"
    )


def references(entries: Mapping[str, Reference], cited: set[str], letters: Mapping[str, str]) -> str:
    """Every work that the text cites, with the pages that cite it. ``letters``: after a year, by key."""
    chosen = [entries[key] for key in cited]
    chosen.sort(key=places.order)
    made = [called("matter", "[References]", '"references"')]
    for entry in chosen:
        names = [f"{initials} {family}".strip() for initials, family in entry.authors]
        joined = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
        words = f"{escaped(joined)} ({entry.year}{letters.get(entry.key, '')}). {escaped(entry.title)}. #emph[{escaped(entry.venue)}];."
        made.append(called("reference", quoted(entry.key), f"[{words}]", quoted(entry.link)))
    return "\n".join(made) + "\n"


def index(terms: Sequence[Term]) -> str:
    """The index. Its pages are found by Typst."""
    names = ", ".join(quoted(name) for name in sorted_terms(terms))
    return called("matter", "[Index]", '"index"') + f"\n#index(({names},))\n"


def answers(
    notebooks: Mapping[str, NotebookNode], solved: Mapping[str, Mapping[str, solutions.Solution]], prose: Prose
) -> str:
    """The answers to the turns and the solutions of the exercises. ``solved``: the solutions of each chapter."""
    made = [called("matter", "[Answers]", '"answers"')]
    for name, notebook in notebooks.items():
        title = f"Chapter {int(name[:2])}"
        made.append(called("section", "2", '""', prose.at.set(f"answers-{name[:2]}", "answers"), body=title))
        slugs = [slug for cell in notebook.cells if cell.cell_type == "code" and (slug := turn_in(cell))]
        for number, slug in enumerate(slugs, 1):
            (right, praise), *_ = turns.answered(slug)
            words = html_output.typst(f"<b>{marked_up(right)}.</b> {marked_up(praise)}", f"the turn {slug}").strip()
            made.append(f"#block[*Turn {number}.* {words} #metadata(none){_label(f'answer-{slug}', prose)}]")
        for number, (slug, solution) in enumerate(solved[name].items(), 1):
            words = "".join(
                block.typst for block in prose.blocks(solution.words, lambda line, slug=slug: f"book/solutions: {slug}")
            )
            made.append(f"*Exercise {number}* (#code-words[{escaped(slug)}];). {words}")
            if solution.code:
                made.append(code(solution.code, "python"))
            made.append("")
    return "\n\n".join(made) + "\n"


def _label(name: str, prose: Prose) -> str:
    return f"#label({prose.at.set(name, 'answers')})"


def _inline(text: str, prose: Prose) -> str:
    return "".join(block.typst for block in prose.blocks(text, lambda line: "book/glossary.toml")).strip()
