"""Our curve lies over the authors', with the same kind of band."""

import numpy as np
import pandas as pd
import pytest
from fairfl_book import figures
from matplotlib.figure import Figure
from refusals import refused

OURS = pd.DataFrame(
    {"row": ["A"] * 4 + ["B"], "seed": [0, 1, 0, 1, 0], "round": [0, 0, 10, 10, 0], "mean": [10.0, 20, 50, 54, 99]}
)
THEIRS = pd.DataFrame({"row": ["A", "A", "C"], "round": [10, 0, 0], "mean": [51.0, 12, 1], "mean_std": [1.0, 2, 3]})


def test_ours_and_theirs_are_drawn_with_their_bands():
    axes = Figure().subplots()
    figures.ours_over_theirs(axes, OURS, THEIRS, "A")
    theirs, ours = axes.lines
    np.testing.assert_allclose(theirs.get_xydata(), [[0, 12], [10, 51]])
    np.testing.assert_allclose(ours.get_xydata(), [[0, 15], [10, 52]])
    assert [line.get_label() for line in axes.lines] == ["authors' logs", "ours"]
    below, above = (band.get_paths()[0].vertices[:, 1] for band in axes.collections)
    assert (below.min(), below.max()) == (10, 52) and (above.min(), above.max()) == (10, 54)


@pytest.mark.parametrize("row, table", [("B", "theirs"), ("C", "ours")])
def test_a_row_that_one_of_them_lacks_is_refused(row, table):
    axes = Figure().subplots()
    with refused("name", table, f"'{row}'"):
        figures.ours_over_theirs(axes, OURS, THEIRS, row)
