"""Start the headless Chromium that prints the note and runs the browser tests and benchmarks."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fairfl._extras import needed_by
from fairfl.errors import Refused

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A headless Chromium: the one named by $CHROMIUM, the system's, or Playwright's. Raises ``ValueError`` if there is
    none."""
    with needed_by("headless Chromium"):
        from playwright.sync_api import sync_playwright
    with sync_playwright() as play:
        usual = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
        path = os.environ.get("CHROMIUM") or next(filter(None, usual), play.chromium.executable_path)
        if not Path(path).exists():
            raise Refused(
                f"there is no Chromium at {path}. Install one, set CHROMIUM to its path, or run 'playwright install chromium'"
            )
        browser = play.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
