import numpy as np
import pytest

from reproductions.published import published, wide


def test_every_cell_is_there_once():
    frame = published()
    assert len(frame) == 2015
    assert not frame.duplicated(["paper", "table", "dataset", "setup", "algorithm", "hyperparameters", "metric"]).any()
    assert frame["value"].notna().all() and (frame["printed"].astype(float) == frame["value"]).all()


def test_a_table_is_selected_and_laid_out():
    table = wide(published(paper="fedfv", table="Table 3"))
    assert list(table.algorithm[:2]) == ["FedAvg", "AFL"] and len(table) == 13
    assert table.accuracy_shirt[0] == 64.26 and np.isclose(table.mean_accuracy[0], 80.42)
    assert published(paper="fedfv", table="Table 3", algorithm="FedAvg", metric="accuracy_shirt")["spread"].tolist() == [1.07]


def test_slips_are_named():
    with pytest.raises(ValueError, match="unknown table 'Table 33'.*Did you mean 'Table 3'"):
        published(paper="fedfv", table="Table 33")
    with pytest.raises(ValueError, match="unknown column 'tabel'"):
        published(tabel="Table 3")
