"""Training: rounds of sampling, local training, server step and evaluation, for one run or many side by side.

The input is a ``Federation``, a rule, a model, and the settings of clients and server. The output is one ``History``
per run. ``loop`` runs the rounds, ``run`` holds the state of one seed, ``sweep`` tabulates many runs, ``summary``
condenses such a table, and ``checkpoint`` saves what an interrupted training needs to end with the same bits.
``backward`` needs no federation: it applies a rule to the losses of a multi-task model. This subpackage knows rules
only by what they declare, and nothing of chapters.
"""

from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.multi_task import backward
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep, Taken
from fairfl.training.sweep import sweep
from fairfl.training.table_summary import summary

__all__ = ["History", "Server", "ServerStep", "Taken", "backward", "summary", "sweep", "train"]
