"""Ctrl-C at the command line."""

import sys


def quietly() -> None:
    """From now on an interrupt that nobody catches ends the program with one word; other exceptions keep their tracebacks."""
    def hook(kind, error, trace):
        if issubclass(kind, KeyboardInterrupt):
            print("fairfl: stopped", file=sys.stderr)
        else:
            sys.__excepthook__(kind, error, trace)

    sys.excepthook = hook
