"""The first pages of the printed book: title, licence, preface and contents."""

from fairfl import __version__
from fairfl_book import TITLE
from fairfl_book.labs import javascript
from fairfl_book.paper.pictures import Pictures
from fairfl_book.paper.typst_text import called, escaped

SUBTITLE = "A computational textbook"
AUTHOR = "The fairfl authors"

_LICENCE = """
#page(header: none, footer: none)[
#v(1fr)
#set text(size: 9.4pt)
#set par(justify: false)
*{title}* \\
{subtitle}, edition {version}

© 2026 {author}

The text is licensed under the Creative Commons Attribution 4.0 International licence (CC BY 4.0). You may share and adapt it, for any purpose, as long as you give appropriate credit, link to the licence, and say whether you changed something. The licence itself, which alone is binding, is at #link("https://creativecommons.org/licenses/by/4.0/legalcode").

The code in the cells, and the package that it uses, are under the MIT License. Its text is in the file LICENSE of the book's repository.

Set with Typst in Libertinus Serif and New Computer Modern. Every figure, table and number is a stored output of the chapters' notebooks, which are tested with the code.
]
"""

_PREFACE = """
A federation trains one model for many clients, and each client would like it to be a good model for its own data. Whoever combines the clients' updates decides who gains and who pays. This book looks at that decision as a problem with many objectives, one for each client. It leads from the question what federated averaging minimises to four published methods, FedMGDA+, FedFV, AdaFed and DQN-Fed, and it ends with one picture that holds them all.

The book was written for the screen. It consists of notebooks whose code runs, whose pictures can be moved by hand, and whose exercises answer back. These pages are the same text on paper, and here is how to read them.

*Code.* Only the lines that belong to the argument are printed. The cells that import, draw or test something are folded in the notebooks and left out here, but their results are shown.

*Pictures that move.* A lab is printed as it looks before anything is moved. The notebook and the site have the live one.

*Your turn.* A short question in the middle of the story has a box with a yellow background. Answer it before you read on, because the text continues from the answer. {answers}

*Look closer.* A box with a thin frame contains a proof, a sharper bound or a special case. The main text does not depend on these boxes.

*Before you read.* Each chapter begins with three questions on earlier chapters. The replies to all possible answers are in small print at the end of the box.

*Page numbers.* A small arrow after a reference gives its page, as in “chapter 3 →~61”. The index is at the end of the book, and it gives the pages of the chapter that teaches a term in bold.

*Companions.* The appendices contain long proofs, counterexamples and further experiments. Appendix C4 belongs to chapter 4, and its figures and formulas are numbered C4.1 and (C1).

*The shortest way.* Sections marked ◆ are enough for a first reading. Together they take five to six hours.
"""
_WITHOUT = "The notebooks check your answer, and they give hints and solutions when you ask for them."
_WITH = "The answers are in an appendix."


def typst(pictures: Pictures, answers: bool) -> str:
    """The pages before the first chapter. ``answers``: whether the book has an appendix with answers."""
    words = {
        "title": escaped(TITLE),
        "subtitle": escaped(SUBTITLE),
        "author": escaped(AUTHOR),
        "version": escaped(__version__),
    }
    # Not the README's book/playground.svg, which moves.
    drawn = pictures.drawing(javascript.read("playground.svg"))
    edition = f"[Edition {words['version']}]"
    whole = words["title"].replace("\\-", "\u2011")  # no line ends at this hyphen
    cover = called("title-page", f"[{whole}]", f"[{words['subtitle']}]", f"[{words['author']}]", edition, f"[{drawn}]")
    preface = called("matter", "[How to read this book]", '"preface"') + _PREFACE.format(
        answers=_WITH if answers else _WITHOUT
    )
    contents = (
        called("matter", "[Contents]", '"contents"', "listed: false")
        + "\n#outline(title: none, depth: 2, indent: 1.2em)\n"
    )
    return "\n".join([cover, _LICENCE.format(**words), contents, preface])
