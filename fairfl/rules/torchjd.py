"""Any TorchJD aggregator as a rule."""

import torch

from fairfl.errors import unknown
from fairfl.gram import rates
from fairfl.rules.base import Direction, Rule


class TorchJD(Rule):
    """``dir = aggregator(G)`` for an aggregator of TorchJD (an optional package: ``pip install 'fairfl[torchjd]'``).

    ``aggregator`` is a name in ``torchjd.aggregation`` with its settings (``TorchJD("UPGrad")``), or any callable from a
    matrix (K, d) to a vector (d,), an instance of theirs among them. It sees gradients only, no losses and no shares.
    Rates are computed; ``weights`` is ``None``, because not every aggregator has them. Aggregators with a memory of
    their own are not saved with the rule.
    """

    def __init__(self, aggregator, **settings):
        if isinstance(aggregator, str):
            aggregator = _by_name(aggregator, settings)
        self.aggregator = aggregator

    @property
    def name(self):
        return f"TorchJD {type(self.aggregator).__name__}"

    def combine(self, updates):
        with torch.no_grad():
            vector = self.aggregator(updates.gradients)
        return Direction(vector, None, rates(updates.gradients, vector))


def _by_name(name, settings):
    try:
        from torchjd import aggregation
    except ImportError as error:
        raise ImportError(f"TorchJD({name!r}) needs the package torchjd: pip install torchjd") from error
    known = [n for n in dir(aggregation) if isinstance(getattr(aggregation, n), type) and not n.startswith("_")]
    if name not in known:
        raise unknown("TorchJD aggregator", name, known)
    return getattr(aggregation, name)(**settings)
