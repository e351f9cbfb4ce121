"""What the search finds first, in node, with the MiniSearch that the site loads."""

import pytest
from fairfl_book import book_paths
from fairfl_book.build import node

BOOK = book_paths.find()
LIBRARY = BOOK.vendored / "minisearch.js"
STATIC = BOOK.root / "book" / "static"
pytestmark = [
    pytest.mark.skipif(node.find() is None, reason="node is missing"),
    pytest.mark.skipif(not LIBRARY.exists(), reason="MiniSearch is not downloaded (make book)"),
]
IMPORTS = {
    "MiniSearch": str(LIBRARY.with_suffix("")),
    "* as words": str(STATIC / "search_words"),
    "* as ranking": str(STATIC / "search_ranking"),
}
FIND = """(() => {
  globalThis.MiniSearch = MiniSearch;
  return (index, own, query) => {
    // addAllAsync is asynchronous only to keep a page responsive
    MiniSearch.prototype.addAllAsync = function (all) { this.addAll(all); };
    const { find, passages } = searchRanking(index, own, "");
    const { near, hits } = find(query);
    return [near, hits.map((hit) => passages[hit.id].url)];
  };
})()"""
FILLER = [f"Paragraph {n} speaks of offices and of letters." for n in range(20)]
PAGES = [
    [
        "04_mgda",
        "en",
        [
            [0, "mgda", "4. MGDA", ["The rate of a client is named here in a long paragraph.", *FILLER]],
            [1, "gram", "The Gram matrix", ["It has all inner products.", ["figure-4-1", "figure", "", "Two arrows."]]],
            [1, "exercises", "Exercises", [["", "exercise", "", "3. (proof) Show that the hull is convex."]]],
            [
                1,
                "order",
                "Order",
                ["The common direction of descent.", "A common descent direction lowers every loss."],
            ],
            [1, "train", "Train", ["Personal models are for later; FedMGDA has none, says Désidéri."]],
        ],
    ],
    ["more/04_more", "en", [[0, "more", "4. More", ["A common descent direction lowers every loss."]]]],
    ["zh/04_mgda", "zh", [[0, "id1", "4. 梯度", ["服务器选择权重，然后走一步 softmax。"]]]],
    ["05_other", "en", [[0, "other", "5. Other", ["One softmax is enough.", "Loss is fast."]]]],
    [
        "glossary",
        "",
        [
            [
                0,
                "glossary",
                "Glossary",
                [
                    ["term-rate", "term", "rate · 速率", "How fast a loss falls."],
                    ["term-weight", "term", "weight · 权重", "How much the server listens."],
                    ["term-fairness", "term", "α-fairness · α-公平", "A family."],
                ],
            ]
        ],
    ],
    ["notation", "", [[0, "notation", "Notation", [["", "symbol", r"\(\lambda\)", "weights of the rule"]]]]],
    [
        "bibliography",
        "en",
        [[0, "bibliography", "Works", [["", "work", "J.-A. Désidéri (2012)", "Multiple gradients."]]]],
    ],
    ["api/fairfl", "en", [[0, "m", "fairfl", [["fairfl.MinNorm", "api", "fairfl.MinNorm", "The nearest point."]]]]],
]
RATE, WEIGHT, FAIR = (f"glossary.html#term-{name}" for name in ("rate", "weight", "fairness"))
DESCENT = "04_mgda.html#order-p2"


CASES = [
    ("en", "rate", RATE),  # a term before the paragraph that uses it
    ("en", "what is a rate?", RATE),  # words that say nothing
    ("en", "rates", RATE),  # a plural
    ("en", "loss fast", RATE),  # a definition before a paragraph with the same words
    ("en", "Gram matrix", "04_mgda.html#gram"),  # a heading
    ("en", "common descent direction", DESCENT),  # together before apart, and a chapter before its companion
    ("en", "inner prodcts", "04_mgda.html#gram-p1"),  # a slip
    ("en", "arrows", "04_mgda.html#figure-4-1"),
    ("en", "exercise hull", "04_mgda.html#exercises-p1"),  # a word of the heading, and one of the text
    ("en", "Desideri", "bibliography.html#bibliography-p1"),  # an author before a mention, without accents
    ("en", "min-norm", "api/fairfl.html#fairfl.MinNorm"),  # the words in a name
    ("en", "fairfl.MinNorm", "api/fairfl.html#fairfl.MinNorm"),
    ("en", "mgda", "04_mgda.html"),  # a page leads to its top
    ("en", "alpha fairness", FAIR),
    ("en", "λ", "notation.html#notation-p1"),
    ("en", "lambda", "notation.html#notation-p1"),
    ("en", "personalised", "04_mgda.html#train-p1"),  # no passage has it: beginnings
    ("en", "softmax", "05_other.html#other-p1"),  # one's own language first
    ("zh", "softmax", "zh/04_mgda.html#id1-p1"),
    ("zh", "权重", WEIGHT),
    ("zh", "权", WEIGHT),
    ("en", "选择权重", "zh/04_mgda.html#id1-p1"),
]


@pytest.fixture(scope="module")
def hits():
    """(language, query) → (whether hits lack words, the hits' addresses), all from one start of node."""
    calls = [[PAGES, own, query] for own, query, _ in CASES]
    return {(own, query): answer for (_, own, query), answer in zip(calls, node.each(FIND, calls, IMPORTS))}


@pytest.mark.parametrize(("own", "query", "first"), CASES)
def test_the_first_hit(hits, own, query, first):
    assert hits[own, query][1][:1] == [first]


def test_passages_without_all_words_are_said_to_be_near(hits):
    assert hits["en", "personalised"][0] and not hits["en", "rate"][0]


def test_one_section_does_not_fill_the_list():
    [[near, urls]] = node.each(FIND, [[PAGES, "en", "offices"]], IMPORTS)
    assert not near and len(urls) == 3
