"""What clients do in a round. This room knows nothing of rules.

In: a model, and ``RoundWork``: the examples, ``Slot``s (who trains, on which rows) and ``LocalSGD`` (how). Out: their
pseudo-gradients (S, d); from a ``Scorer`` accuracies and losses; and by name what a rule may ask for beside them
(``provide.PROVIDERS``). Two engines do this work, one slot after the other or all as one stack, and visit the same rows
in the same order. Published methods that change what clients do stand beside them: ``Ditto``, ``FedNL`` and ``FedNew``
during a training, ``FedCorr`` before one.
"""

from fairfl.clients.correction import Correction
from fairfl.clients.ditto import Ditto
from fairfl.clients.engines import choose, train_slots
from fairfl.clients.fedcorr import FedCorr
from fairfl.clients.fednew import FedNew
from fairfl.clients.fednl import FedNL
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.local_sgd import LocalSGD
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
    "LocalSGD",
    "RoundWork",
    "SecondOrder",
    "Slot",
    "choose",
    "train_slots",
]
