"""Training: rounds of sampling, local training, server step and evaluation, for one run or many side by side.

The input is a ``Federation``, a rule, a model, and the settings of clients and server. The output is one ``History``
per run. ``loop`` runs the rounds, ``samplers`` draw who takes part, ``run`` holds the state of one seed, ``on_round``
shows each round to a callback, ``sweep`` tabulates many runs, ``table_summary`` condenses such a table, and
``checkpoint`` saves what an interrupted training needs to end with the same bits. ``backward`` needs no federation: it
applies a rule to the losses of a multi-task model. This subpackage knows rules only by what they declare, and nothing
of chapters.
"""

from fairfl.training.callbacks import BestModel, Compose, EarlyStop, TensorBoard
from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.multi_task import backward
from fairfl.training.on_round import STOP, Round
from fairfl.training.samplers import CyclicSampler, PoissonSampler, Sampler, SizeSampler, UniformSampler
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep, Taken
from fairfl.training.sweep import sweep
from fairfl.training.table_summary import summary

__all__ = [
    "STOP",
    "BestModel",
    "Compose",
    "CyclicSampler",
    "EarlyStop",
    "History",
    "PoissonSampler",
    "Round",
    "Sampler",
    "Server",
    "ServerStep",
    "SizeSampler",
    "Taken",
    "TensorBoard",
    "UniformSampler",
    "backward",
    "summary",
    "sweep",
    "train",
]
