"""TorchJD's aggregators as rules."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import torch

from fairfl._extras import needed_by
from fairfl.errors import Refused, refuse, unknown
from fairfl.rules.base import Direction, Rule
from fairfl.rules.gram import rates
from fairfl.updates import Updates


class TorchJD(Rule):
    """``dir = aggregator(G)`` for an aggregator of TorchJD (an optional package: ``pip install 'fairfl[torchjd]'``).

    ``aggregator`` is a name in ``torchjd.aggregation`` with its settings (``TorchJD("UPGrad")``, ``TorchJD("CAGrad",
    c=0.5)``), or any callable from a matrix (K, d) to a vector (d,), such as an instance of a TorchJD aggregator. It
    gets the gradients only, no losses or shares; types shorter than float32 are converted to float32. Rates are
    computed. ``weights`` is ``None``, because not every aggregator has weights. The state of an aggregator is not saved
    with the rule.

    ``fairfl[torchjd]`` installs what UPGrad, DualProj and CAGrad need. NashMTL also needs ``pip install
    'torchjd[nash-mtl]'``, whose solver ECOS has no wheels for Python 3.13 and later, and ``n_tasks``, the number of
    clients that take part in a round.

    Raises ``Refused`` for a name or setting that TorchJD does not have, or a missing setting, and ``ImportError``, with
    the command that installs it, for a missing package.
    """

    def __init__(self, aggregator: str | Callable[[torch.Tensor], torch.Tensor], **settings: Any):
        if isinstance(aggregator, str):
            aggregator = _by_name(aggregator, settings)
        elif isinstance(aggregator, type) or not callable(aggregator):
            raise refuse(
                "aggregator",
                aggregator,
                "a name in torchjd.aggregation, or a callable (K, d) → (d,)",
                "Pass an instance, such as aggregation.MGDA().",
                "type",
            )
        elif settings:
            raise refuse(
                "settings, beside an aggregator that is already made,",
                settings,
                "none",
                "Pass them to the aggregator's own constructor, or pass its name.",
                "combination",
            )
        self.aggregator = aggregator

    @property
    def name(self) -> str:
        return f"TorchJD {type(self.aggregator).__name__}"

    def combine(self, updates: Updates) -> Direction:
        rows, tasks = updates.gradients, getattr(self.aggregator, "n_tasks", len(updates))
        if tasks != len(updates):
            raise Refused(
                f"{self.name} was made for n_tasks={tasks}, and {len(updates)} clients took part in round "
                f"{updates.round}; make it with n_tasks={len(updates)}",
                "combination",
            )
        with torch.no_grad():
            vector = self.aggregator(rows if rows.dtype == torch.float64 else rows.float()).to(rows)
        return Direction(vector, None, rates(rows, vector))


def _by_name(name: str, settings: dict[str, Any]) -> Callable[[torch.Tensor], torch.Tensor]:
    with needed_by(f"TorchJD({name!r})"):
        from torchjd import aggregation
    kinds = {
        n: kind
        for n, kind in vars(aggregation).items()
        if isinstance(kind, type) and issubclass(kind, aggregation.Aggregator) and not n.endswith("Aggregator")
    }
    if name not in kinds:
        raise unknown("TorchJD aggregator", name, kinds)
    known = inspect.signature(kinds[name]).parameters
    for setting in settings:
        if setting not in known:
            raise unknown(f"setting of TorchJD's {name}", setting, known)
    absent = [n for n, parameter in known.items() if parameter.default is parameter.empty and n not in settings]
    if absent:
        call = ", ".join([repr(name), *(f"{n}=…" for n in absent)])
        raise Refused(
            f"TorchJD's {name} has no default for {', '.join(absent)}; write TorchJD({call}). "
            f"help(torchjd.aggregation.{name}) describes them",
            "missing",
        )
    try:
        return kinds[name](**settings)
    except ImportError as error:
        # TorchJD's message has an underscore here, with which pip 23 silently installs nothing; it takes a hyphen.
        extra = re.search(r"torchjd\[([\w-]+)\]", str(error))
        what = f"torchjd[{extra[1].replace('_', '-')}]" if extra else "fairfl[torchjd]"
        raise ImportError(f"TorchJD({name!r}) needs more than the package torchjd: pip install '{what}'") from error
