import sys

from reproductions.command import main

sys.exit(main())
