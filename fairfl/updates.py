"""``Updates``: what clients send to the server in one round. The narrow waist of the package.

Input: one row per client, and what clients report about themselves. Output: the same, validated, as tensors. Whatever
produces ``Updates`` (simulated clients, a deployment, five vectors typed into a notebook) and whatever consumes them
need not know each other.
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
    """The place of each parameter tensor in a flat vector: names and shapes, in order."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        both = isinstance(self.names, tuple) and isinstance(self.shapes, tuple)
        if not both or len(set(self.names)) != len(self.names) or len(self.names) != len(self.shapes):
            raise refuse("names", self.names, "different names, one per shape", "Name each tensor once.")
        for name, shape in zip(self.names, self.shapes):
            for size in shape:
                integer(f"a size in the shape of {name}", size, 0, "Give the tensor's shape.")

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
    """One round's updates of K participating clients. All arguments except ``gradients`` are keywords.

    ``gradients`` (K, d): pseudo-gradients ``g_k = w_t − w_t^k``, one row per client. They point uphill: the server
    *subtracts* a combination of them. ``losses`` (K,): mean training losses at ``w_t``, before local training; ``None``
    if no rule asked for them. ``shares`` (K,): data shares, non-negative, with sum 1; uniform by default. ``clients``
    (K,): their numbers, 0 … population − 1. ``population``: the number of clients that exist. ``round``: t, from 0.
    ``layout``: the place of each parameter tensor in d; ``None`` if the rows are plain vectors. ``extras``: whatever
    else a rule asked for, by name; finite numbers, with K entries along the first axis. ``local_lr``: the step size of
    local training in this round (1 for plain gradients); ``None`` if the clients' step sizes differ, or if their steps
    are not those of plain SGD. For a rule that lists it in its ``needs``, ``extras["pseudo_lr"]`` is the sum of all
    step sizes behind each row, and ``extras["inclusion"]`` each client's probability of taking part in this round
    (``fairfl.training.Sampler``).

    All numbers are detached, because nothing is differentiated through a rule. Tensors are not copied, arrays are.
    Python's floats become float64, but PyTorch's default type, float32, as gradients.

    Raises ``Refused`` for wrong types and shapes (complex and sparse numbers included), for shares that do not sum to
    1, and for a client that is listed twice. Raises ``Diverged`` for non-finite entries, whatever produced them; the
    message names the client and the round.

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
    local_lr: float | None = 1.0

    if TYPE_CHECKING:  # the types that are accepted; above are those that a rule reads if it lists them in ``needs``

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
            local_lr: float | None = 1.0,
        ) -> None: ...

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        gradients = tensor("gradients", self.gradients, precise=False)
        if not gradients.is_floating_point():
            gradients = gradients.double()
        if gradients.is_meta:
            remedy = "Compute the rows on the CPU or on CUDA."
            raise refuse("the device of gradients", "meta", "a device that computes", remedy)
        if gradients.ndim != 2 or 0 in gradients.shape:
            raise refuse(
                "the shape of gradients",
                tuple(gradients.shape),
                "(K, d) with K ≥ 1 and d ≥ 1",
                "Stack one flat row per participating client.",
                "shape",
            )
        put("gradients", gradients)
        K, d = gradients.shape
        clients = _vector("clients", torch.arange(K, device="cpu") if self.clients is None else self.clients, K)
        if clients.is_floating_point() or clients.dtype == torch.bool:
            remedy = "A client's number is its place in the federation, from 0."
            raise refuse("clients", clients.tolist(), "integers", remedy, "type")
        put("clients", clients.long().cpu())
        population = max(1, int(self.clients.max()) + 1) if self.population is None else self.population
        put("population", integer("population", population, 1, "It is the number of clients that exist."))
        put("round", integer("round", self.round, 0, "Rounds are counted from 0."))
        if self.local_lr is not None:
            remedy = "It is the step size of local SGD; 1 for plain gradients, None if there is not one for all."
            put("local_lr", number("local_lr", self.local_lr, 0, remedy=remedy))
        self._check_clients(K)
        self._check_finite("update", gradients, LOWER)
        if self.losses is not None:
            put("losses", _vector("losses", self.losses, K).double().cpu())
            self._check_finite("loss", self.losses[:, None], f"check the client's data, {LOWER}")
        shares = torch.full((K,), 1 / K, dtype=torch.float64, device="cpu") if self.shares is None else self.shares
        put("shares", _vector("shares", shares, K).double().cpu())
        if not bool((self.shares >= 0).all()) or abs(float(self.shares.sum()) - 1) > 1e-4:
            least, total = float(self.shares.min()), round(float(self.shares.sum()), 6)
            raise refuse(
                "the smallest of the shares" if least < 0 else "the sum of shares",
                least if least < 0 else total,
                "non-negative shares that sum to 1",
                "Divide the clients' sizes by their sum.",
            )
        if self.layout is not None and not isinstance(self.layout, Layout):
            raise refuse("layout", self.layout, "a Layout, or None", "Pass Layout(names, shapes).", "type")
        if self.layout is not None and self.layout.dimension != d:
            raise refuse(
                "the layout's dimension",
                self.layout.dimension,
                f"{d}, the length of a row",
                "Build the layout from the model that produced the rows.",
                "shape",
            )
        put("extras", MappingProxyType(self._read_extras(K)))

    def _read_extras(self, K: int) -> dict[str, torch.Tensor]:
        if not isinstance(self.extras, Mapping):
            example = "Pass a dictionary, such as extras={'accuracies': [0.5, 0.75]}."
            raise refuse("extras", self.extras, "numbers by name", example, "type")
        read = {}
        for name, value in self.extras.items():
            read[name] = taken = tensor(f"extras[{name!r}]", value)
            if taken.shape[:1] != (K,):
                raise refuse(
                    f"the shape of extras[{name!r}]",
                    tuple(taken.shape),
                    f"({K}, ...)",
                    "Give one entry per participating client.",
                    "shape",
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
                "Number the clients from 0, and pass the size of the whole population.",
            )
        if len(self.clients.unique()) != K:
            raise refuse("clients", self.clients.tolist(), "each client once", "Merge a client's updates into one row.")

    def _check_finite(self, what: str, rows: torch.Tensor, remedy: str) -> None:
        # A row's sum is finite only if all its entries are, so one cheap pass clears nearly every round.
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

    def __getstate__(self) -> dict:  # a mappingproxy cannot be pickled or copied
        return vars(self) | {"extras": dict(self.extras)}

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state | {"extras": MappingProxyType(state["extras"])})

    def require(self, *names: str, by: str) -> None:
        """Raise ``Refused`` of kind "missing" if one of the ``names`` that the rule ``by`` reads is not given."""
        for name in names:
            # A rule reads an attribute of this class there. Under extras nothing would find it.
            column = name in {f.name for f in fields(self)}
            present = getattr(self, name) is not None if column else name in self.extras
            if not present:
                given = f"Updates(..., {name}=...)" if column else f"Updates(..., extras={{{name!r}: ...}})"
                raise Refused(
                    f"{by} needs {name!r} of every client, and these updates have none. Pass {given}, "
                    f"or list {name!r} in the rule's `needs`, so that train provides it.",
                    "missing",
                )
