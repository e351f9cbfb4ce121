import sys

from fairfl_book.command import main

sys.exit(main())
