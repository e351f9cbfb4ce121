"""Any TorchJD aggregator as a rule."""

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
    c=0.5)``), or any callable from a matrix (K, d) to a vector (d,), an instance of theirs among them. It sees
    gradients only, no losses and no shares; rows shorter than float32 reach it as float32. Rates are computed;
    ``weights`` is ``None``, because not every aggregator has them. Aggregators with a memory of their own are not
    saved with the rule.

    ``fairfl[torchjd]`` brings what UPGrad, DualProj and CAGrad need. NashMTL needs ``pip install
    'torchjd[nash-mtl]'`` as well, whose solver ECOS has no ready-made build for Python 3.13 and later, and
    ``n_tasks``: the clients that take part in a round.

    Raises ``ValueError`` for a name or setting that TorchJD does not have and a setting that is missing,
    ``ImportError`` saying what to install.
    """

    def __init__(self, aggregator: str | Callable[[torch.Tensor], torch.Tensor], **settings: Any):
        if isinstance(aggregator, str):
            aggregator = _by_name(aggregator, settings)
        elif isinstance(aggregator, type) or not callable(aggregator):
            raise refuse(
                "aggregator",
                aggregator,
                "a name in torchjd.aggregation, or a callable (K, d) → (d,)",
                "Hand over an instance, such as aggregation.MGDA().",
            )
        elif settings:
            raise refuse(
                "settings beside an aggregator that is made already",
                settings,
                "none",
                "Give them where the aggregator is made, or its name instead.",
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
                f"{updates.round}; make it with n_tasks={len(updates)}"
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
            f"help(torchjd.aggregation.{name}) says what to give"
        )
    try:
        return kinds[name](**settings)
    except ImportError as error:
        # With a hyphen: TorchJD's own words have an underscore, for which pip 23 installs nothing and says nothing.
        extra = re.search(r"torchjd\[([\w-]+)\]", str(error))
        what = f"torchjd[{extra[1].replace('_', '-')}]" if extra else "fairfl[torchjd]"
        raise ImportError(f"TorchJD({name!r}) needs more than the package torchjd: pip install '{what}'") from error
