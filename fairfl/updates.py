"""``Updates``: what clients hand to the server in one round. The narrow waist of the package.

In: one row a client, and what the clients say of themselves. Out: the same as tensors, checked. Everything above makes
``Updates`` (simulated clients, a real deployment, five vectors typed into a notebook), everything below consumes them,
and neither side knows the other.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import torch

from fairfl._validation import integer, number, one_per_client, tensor
from fairfl.errors import Diverged, Refused, refuse

Vector = torch.Tensor | np.ndarray | Sequence[float]
LOWER = "lower the local learning rate or drop the client"


@dataclass(frozen=True)
class Layout:
    """Where each parameter tensor sits in a flat vector: names and shapes in order."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(math.prod(shape) for shape in self.shapes)

    @property
    def slices(self) -> tuple[slice, ...]:
        """One slice of the flat vector per parameter tensor."""
        out, start = [], 0
        for size in self.sizes:
            out.append(slice(start, start + size))
            start += size
        return tuple(out)

    @property
    def dimension(self) -> int:
        return sum(self.sizes)


def _vector(name: str, values: Vector, clients: int) -> torch.Tensor:
    remedy = "Give one value for each row of gradients."
    return one_per_client(name, tensor(name, values), clients, remedy, "entry per participating client")


@dataclass(frozen=True)
class Updates:
    """One round's updates of K participating clients; all but ``gradients`` by keyword.

    ``gradients`` (K, d): pseudo-gradients ``g_k = w_t − w_t^k``, one row a client, uphill (the server
    *subtracts* a combination of them). ``losses`` (K,): mean training losses at ``w_t``, before local
    training; ``None`` where no rule asked for them. ``shares`` (K,): data shares, non-negative, sum 1;
    uniform if omitted. ``clients`` (K,): who they are, 0 … population − 1. ``round``: t, from 0.
    ``layout``: where each parameter tensor sits in d; ``None`` if the rows are plain vectors.
    ``extras``: what else a rule asked for, by name, each with K entries along its first axis, finite numbers.
    ``local_lr``: the step size of local training this round (1 for plain gradients). The sum of all step sizes behind
    each row is ``extras["pseudo_lr"]``, for a rule that lists it in its ``needs``.

    Gradients and numbers are detached: rules move models, and nothing is differentiated through them. Tensors are not
    copied, arrays are. Python's floats become float64; as gradients, PyTorch's default type, float32.

    Raises ``Refused`` for wrong shapes and kinds (no numbers, complex or sparse ones), shares that do not sum to 1, and
    a client named twice; ``Diverged`` for non-finite entries (client and round named), for whatever made them, they are
    numbers of a run.

    >>> from fairfl import Updates, rules
    >>> updates = Updates([[1.0, 0.0], [0.0, 2.0]], losses=[0.5, 1.5])
    >>> direction = rules.make("FedAvg").direction(updates)
    >>> direction.vector, direction.rates.tolist()
    (tensor([0.5000, 1.0000]), [0.5, 2.0])
    """

    gradients: torch.Tensor
    _: KW_ONLY
    losses: torch.Tensor = None  # type: ignore[assignment]
    shares: torch.Tensor = None  # type: ignore[assignment]
    clients: torch.Tensor = None  # type: ignore[assignment]
    population: int = None  # type: ignore[assignment]
    round: int = 0
    layout: Layout = None  # type: ignore[assignment]
    extras: Mapping[str, torch.Tensor] = field(default_factory=dict)
    local_lr: float = 1.0

    if TYPE_CHECKING:  # what is accepted; above, what a rule that lists it in ``needs`` reads

        def __init__(
            self,
            gradients: Vector | Sequence[Sequence[float]],
            *,
            losses: Vector | None = None,
            shares: Vector | None = None,
            clients: Vector | None = None,
            population: int | None = None,
            round: int = 0,
            layout: Layout | None = None,
            extras: Mapping[str, Vector] = {},
            local_lr: float = 1.0,
        ) -> None: ...

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        gradients = tensor("gradients", self.gradients, precise=False)
        if not gradients.is_floating_point():
            gradients = gradients.double()
        if gradients.ndim != 2 or 0 in gradients.shape:
            raise refuse(
                "the shape of gradients",
                tuple(gradients.shape),
                "(K, d) with K ≥ 1 and d ≥ 1",
                "Stack one flat row per participating client.",
            )
        put("gradients", gradients)
        K, d = gradients.shape
        clients = _vector("clients", torch.arange(K) if self.clients is None else self.clients, K)
        if clients.is_floating_point() or clients.dtype == torch.bool:
            raise refuse(
                "clients", clients.tolist(), "integers", "A client's number is its place in the federation, from 0."
            )
        put("clients", clients.long().cpu())
        everyone = max(1, int(self.clients.max()) + 1) if self.population is None else self.population
        put("population", integer("population", everyone, 1, "It is the number of clients that exist."))
        put("round", integer("round", self.round, 0, "Rounds are counted from 0."))
        told = "It is the step size of local training; 1 for plain gradients."
        put("local_lr", number("local_lr", self.local_lr, 0, remedy=told))
        self._check_clients(K)
        self._check_finite("update", gradients, LOWER)
        if self.losses is not None:
            put("losses", _vector("losses", self.losses, K).double().cpu())
            self._check_finite("loss", self.losses[:, None], f"check the client's data, {LOWER}")
        shares = torch.full((K,), 1 / K, dtype=torch.float64) if self.shares is None else self.shares
        put("shares", _vector("shares", shares, K).double().cpu())
        if not bool((self.shares >= 0).all()) or abs(float(self.shares.sum()) - 1) > 1e-4:
            raise refuse(
                "the sum of shares",
                round(float(self.shares.sum()), 6),
                "non-negative shares that sum to 1",
                "Divide the clients' sizes by their sum.",
            )
        if self.layout is not None and not isinstance(self.layout, Layout):
            raise refuse("layout", self.layout, "a Layout, or None", "Write Layout(names, shapes).")
        if self.layout is not None and self.layout.dimension != d:
            raise refuse(
                "the layout's dimension",
                self.layout.dimension,
                f"{d}, the length of a row",
                "Build the layout from the model that made the rows.",
            )
        put("extras", MappingProxyType(self._read_extras(K)))

    def _read_extras(self, K: int) -> dict[str, torch.Tensor]:
        if not isinstance(self.extras, Mapping):
            raise refuse("extras", self.extras, "numbers by name", "Write extras={'accuracies': [0.5, 0.75]}.")
        read = {}
        for name, value in self.extras.items():
            read[name] = taken = tensor(f"extras[{name!r}]", value)
            if taken.shape[:1] != (K,):
                raise refuse(
                    f"the shape of extras[{name!r}]",
                    tuple(taken.shape),
                    f"({K}, ...)",
                    "Give one entry per participating client.",
                )
            self._check_finite(name, taken.reshape(K, -1), LOWER)
        return read

    def _check_clients(self, K: int) -> None:
        low, high = int(self.clients.min()), int(self.clients.max())
        if low < 0 or high >= self.population:
            raise refuse(
                "the range of clients",
                (low, high),
                f"0 to {self.population - 1}",
                "Number the clients from 0 and give the whole population's size.",
            )
        if len(self.clients.unique()) != K:
            raise refuse("clients", self.clients.tolist(), "each client once", "Merge a client's updates into one row.")

    def _check_finite(self, what: str, rows: torch.Tensor, remedy: str) -> None:
        # A row's sum is finite only if all its entries are, so that one cheap pass clears nearly every round.
        suspects = (~torch.isfinite(rows.sum(dim=1).cpu())).nonzero().flatten().tolist()
        for row in suspects:
            bad = int((~torch.isfinite(rows[row])).sum())
            if bad:
                entries = "entry" if bad == 1 else "entries"
                raise Diverged(
                    f"client {int(self.clients[row])}'s {what} has {bad} non-finite {entries} "
                    f"(round {self.round}); {remedy}"
                )

    def __len__(self) -> int:
        return len(self.gradients)

    def require(self, *names: str, by: str) -> None:
        """Refuse, by name, if something that rule ``by`` reads is missing."""
        for name in names:
            # A column of the record is read there; under extras nobody would find it.
            column = name in {f.name for f in fields(self)}
            present = getattr(self, name) is not None if column else name in self.extras
            if not present:
                given = f"Updates(..., {name}=...)" if column else f"Updates(..., extras={{{name!r}: ...}})"
                raise Refused(
                    f"{by} needs {name!r} of every client, and these updates have none. Pass {given}, "
                    f"or list {name!r} in the rule's `needs` so that train provides it."
                )
