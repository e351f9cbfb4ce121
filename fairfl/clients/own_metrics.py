"""``OwnMetrics``: a user's own metrics, evaluated on each client's rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from fairfl._validation import reals
from fairfl.errors import refuse

Metric = Callable[[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]], Any]


@dataclass(frozen=True)
class OwnMetrics:
    """Functions ``f(outputs, targets, columns)`` by name, each of which gives one number per client.

    ``columns``: the dataset's columns, by name. ``first``: the number of the first client, for messages.
    """

    functions: Mapping[str, Metric] = field(default_factory=dict)
    columns: Mapping[str, torch.Tensor] = field(default_factory=dict)
    first: int = 0

    def __call__(
        self, outputs: torch.Tensor, targets: torch.Tensor, lists: Sequence[torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """The metrics of N clients, (N,) float64 each.

        ``outputs`` (R, ...) and ``targets`` (R, ...): those of all clients' rows, one client after the other.
        ``lists``: their row numbers, whose lengths sum to R. All tensors are on the CPU.

        Raises ``Refused`` for a metric that does not give one number. Its own exceptions pass through, with a note.
        """
        measured: dict[str, list[float]] = {name: [] for name in self.functions}
        sizes = [len(rows) for rows in lists]
        clients = zip(lists, outputs.split(sizes), targets.split(sizes))
        for client, (rows, out, aim) in enumerate(clients, start=self.first):
            columns = {name: column[rows] for name, column in self.columns.items()}
            for name, function in self.functions.items():
                try:
                    found = function(out, aim, columns)
                except Exception as error:
                    error.add_note(f"this was the metric {name!r} for client {client}, which has {len(rows)} rows")
                    raise
                measured[name].append(_one_number(name, client, found))
        return {name: torch.tensor(values, dtype=torch.float64) for name, values in measured.items()}


def _one_number(name: str, client: int, found: object) -> float:
    what = f"the metric {name!r} of client {client}"
    remedy = "Return one number, or float('nan') if the metric is not defined for a client."
    if found is None:  # which NumPy would read as NaN
        raise refuse(what, None, "one number", remedy, "type")
    value = reals(what, found, remedy)
    if value.size != 1:
        raise refuse(f"the shape of {what}", value.shape, "one number", remedy, "shape")
    return float(value.reshape(()))
