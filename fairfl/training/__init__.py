"""The round loop: sample → clients → rule → server step → evaluate."""

from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.server.step import Server

__all__ = ["History", "Server", "train"]
