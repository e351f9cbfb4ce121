"""What clients do in a round. This room knows nothing of rules."""

from fairfl.clients.correction import Correction
from fairfl.clients.ditto import Ditto
from fairfl.clients.engines import choose, train_slots
from fairfl.clients.flat import FlatModel
from fairfl.clients.local import LocalSGD
from fairfl.clients.slots import Slot

__all__ = ["Correction", "Ditto", "FlatModel", "LocalSGD", "Slot", "choose", "train_slots"]
