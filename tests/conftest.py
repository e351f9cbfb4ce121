import os
import random
from contextlib import ExitStack

import numpy as np
import pytest
import torch

os.environ["FAIRFL_PROGRESS"] = "0"


@pytest.fixture(autouse=True)
def same_draws():
    """What a test draws may not hang on which tests ran before it in the same process."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


@pytest.fixture
def digits():
    from fairfl import data

    return data.load("digits")


@pytest.fixture
def small():
    """Sixty rows of five features in three classes, drawn with a fixed seed."""
    from fairfl import Dataset

    g = torch.Generator().manual_seed(0)
    targets = torch.arange(60) % 3
    inputs = torch.randn(60, 5, generator=g) + targets[:, None]
    return Dataset(inputs, targets, ("a", "b", "c"), name="small")


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium: the one that $CHROMIUM names, the system's, or Playwright's own."""
    pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed (make test-browser and make test-site do it)"
    )
    from fairfl_book.build.chromium import chromium

    from fairfl.errors import Refused

    with ExitStack() as open_:
        try:
            found = open_.enter_context(chromium())
        except Refused as error:
            pytest.skip(str(error))
        yield found


@pytest.fixture
def resumed_and_whole(tmp_path):
    """``run(train, **settings)``: a training that is broken off in round 3 and resumed, and one that never stopped, as two histories."""

    def run(train, **settings):
        whole = train(**settings)

        def watch(updates):
            if updates.round == 3 and watch.armed:
                raise KeyboardInterrupt
            return updates

        watch.armed = True
        kept = dict(checkpoint=tmp_path / "c", checkpoint_every=1, tamper=watch)
        with pytest.raises(KeyboardInterrupt):
            train(**kept, **settings)
        watch.armed = False
        return train(**kept, **settings), whole

    return run
