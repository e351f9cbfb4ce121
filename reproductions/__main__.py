"""``python -m reproductions``, and ``fairfl-reproduce``: sets up a quiet Ctrl-C before PyTorch loads, then runs the command."""

import sys

from fairfl_book import terminal


def main() -> int:
    """Run the command in the program's arguments and return the exit status."""
    terminal.quietly()
    from reproductions import command

    return command.main()


if __name__ == "__main__":
    sys.exit(main())
