"""What the tests of labs in a browser share."""

import pytest
from lab_page import Opened


@pytest.fixture
def opened(browser, tmp_path):
    pages = []
    yield lambda *given, **options: (pages.append(Opened(browser, tmp_path, *given, **options)), pages[-1])[1]
    for one in pages:
        assert one.troubles == []
        one.context.close()
