"""Trainings: rounds of sample → clients → server step → evaluate, for one run or many side by side.

In: a ``Federation``, a rule, a model, and what clients and server do. Out: a ``History`` a run. ``loop`` runs the
rounds, ``run`` is one seed's part of them, ``sweep`` makes a table of many runs, ``checkpoint`` keeps what a killed
training needs to end with the same bits. Knows rules only by what they declare, and nothing of chapters.
"""

from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep, Taken
from fairfl.training.sweep import sweep

__all__ = ["History", "Server", "ServerStep", "Taken", "sweep", "train"]
