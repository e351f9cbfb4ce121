"""``python -m fairfl_book``: the same as ``fairfl-book``."""

import sys

from fairfl_book.command import main

sys.exit(main())
