"""How long a chapter takes to read."""

from fairfl_book.build import length

HEAD = "---\nfairfl:\n  minutes: 99\n---\n\n# A chapter\n\n> **99 minutes** · needs nothing\n"
CELL = "\n```{code-cell} ipython3\nprint(1)\n```\n"
FOLDED = "\n```{code-cell} ipython3\n:jupyter: {source_hidden: true}\nplot()\n```\n"


def words(n):
    return "\n" + "word " * n + "\n"


def test_words_and_open_cells_count_and_what_is_folded_or_apart_does_not():
    assert length.minutes(HEAD + words(900)) == length.minutes(HEAD + words(600) + 3 * CELL) == 5
    assert length.minutes(HEAD + words(1100)) == length.minutes(HEAD + words(800) + 4 * CELL) == 10
    apart = f"\n<details><summary>Proof</summary>\n{words(999)}\n</details>\n## Exercises\n{words(999)}{CELL}\n## References\n{words(999)}"
    assert length.minutes(HEAD + words(900) + 9 * FOLDED + apart) == 5
    assert length.minutes(HEAD + words(900) + apart + "\n## More\n" + words(999)) == 10


def test_it_is_told_in_both_places():
    told = length.retold(HEAD + words(1100))
    assert "  minutes: 10\n" in told and "> **10 minutes** ·" in told and "99" not in told
