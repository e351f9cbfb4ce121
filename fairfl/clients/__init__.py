"""Local training: what clients compute in a round. This subpackage knows nothing of rules.

The input is a model and a ``RoundWork``: the examples, the ``Slot``s (which client trains, on which rows) and a
``LocalMethod`` such as ``LocalSGD`` (how). The output is one pseudo-gradient per slot, (S, d). A ``Scorer`` gives
accuracies and losses, and ``client_statistics.PROVIDERS`` the other numbers that a rule can ask for by name.
``updates`` does all of this for one round. Two engines do the work, one slot after another or all slots as one stack;
both visit the same rows in the same order. Published methods that change what clients do are here too: ``Ditto``,
``FedNL`` and ``FedNew`` during training,
``FedCorr`` before it.
"""

from fairfl.clients.correction import Correction
from fairfl.clients.ditto import Ditto
from fairfl.clients.engines import choose, train_slots
from fairfl.clients.fedcorr import FedCorr
from fairfl.clients.fednew import FedNew
from fairfl.clients.fednl import FedNL
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.local_method import LocalMethod
from fairfl.clients.local_optimiser import LocalOptimiser
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.per_client import PerClient
from fairfl.clients.round_updates import updates
from fairfl.clients.round_work import RoundWork
from fairfl.clients.second_order import SecondOrder
from fairfl.clients.slots import Slot

__all__ = [
    "Correction",
    "Ditto",
    "FedCorr",
    "FedNL",
    "FedNew",
    "FlatModel",
    "LocalMethod",
    "LocalOptimiser",
    "LocalSGD",
    "PerClient",
    "RoundWork",
    "SecondOrder",
    "Slot",
    "choose",
    "train_slots",
    "updates",
]
