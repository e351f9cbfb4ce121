"""Samplers: which clients take part in a round. ``train`` and ``Coordinator`` draw their participants here.

In: the number of a round and a generator for it. Out: clients, and where the sampling law has them, the probabilities
with which each of them was included.
"""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from fairfl._randomness import generator as keyed_generator
from fairfl._validation import integer, number, one_per_client, tensor
from fairfl.errors import Refused, refuse

Clients = torch.Tensor | np.ndarray | Sequence[int]
Probabilities = torch.Tensor | np.ndarray | Sequence[float]
WHOLE = "It is the number of clients that exist."


class Sampler(Protocol):
    """The interface of a sampler: any object with this method can be passed as ``participation``.

    ``sample(round, generator)`` returns the clients of round ``round`` (from 0), each once and in any order; or a pair
    of them and their inclusion probabilities, one per returned client: the probability, before the draw, that this
    client takes part in this round. An empty list is an empty round, in which the model stays as it was. ``generator``
    is a new ``torch.Generator`` on the CPU, keyed by the run's seed and the round. A sampler that draws only from it
    needs no state, and a resumed run draws what an uninterrupted one draws.

    ``train`` copies the sampler for every run. With ``checkpoint=``, a sampler that changes from round to round needs
    ``state_dict`` and ``load_state_dict``, or it is refused. A sampler with an attribute ``population`` is refused for
    another number of clients.

    A rule that lists "inclusion" in its ``needs`` reads the probabilities of the K participants as
    ``updates.extras["inclusion"]`` (K,), float64. It is refused together with a sampler that gives none. Weights
    ``1 / (N q_k)``, with ``q_k`` the probability and N the population, make the weighted sum of the updates an unbiased
    estimate of the mean over all clients (Horvitz and Thompson 1952):

    >>> import torch
    >>> from fairfl import Updates, WeightRule
    >>> class HorvitzThompson(WeightRule):
    ...     needs = frozenset({"inclusion"})
    ...
    ...     def weights(self, updates):
    ...         return 1 / (updates.population * updates.extras["inclusion"])
    >>> updates = Updates([[1.0], [2.0]], clients=[0, 3], population=4, extras={"inclusion": [0.5, 0.25]})
    >>> HorvitzThompson().direction(updates).weights
    tensor([0.5000, 1.0000], dtype=torch.float64)

    For means weighted by data size, weights proportional to ``updates.shares / q`` are the usual estimate (Hájek 1971):
    the shares of the participants sum to 1, so the shares in the population are not known from them.
    """

    def sample(self, round: int, generator: torch.Generator) -> Clients | tuple[Clients, Probabilities]: ...


@dataclass(frozen=True)
class _FixedCount:
    """The settings of samplers that draw a fixed number of ``population`` clients."""

    participation: float | int
    population: int

    def __post_init__(self) -> None:
        integer("population", self.population, 1, WHOLE)
        _count_of(self.participation, self.population)

    @property
    def count(self) -> int:
        """The number of clients in a round."""
        return _count_of(self.participation, self.population)


@dataclass(frozen=True)
class UniformSampler(_FixedCount):
    """A fixed number of clients, drawn uniformly and without replacement, as ``participation=`` a number does.

    ``participation``: a fraction up to 1, or a whole number of clients above 1; both 1 and 1.0 mean everybody.
    ``population``: N, the number of clients that exist. Every client's inclusion probability is ``count / N``.
    """

    def sample(self, round: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        count, everybody = self.count, torch.arange(self.population)
        chosen = torch.randperm(self.population, generator=generator)[:count] if count < self.population else everybody
        return chosen, torch.full((count,), count / self.population, dtype=torch.float64)


class SizeSampler:
    """A fixed number of clients, drawn by data size and without replacement.

    ``participation``: as in ``UniformSampler``. ``sizes`` (N,): every client's number of training rows, such as
    ``federation.sizes``.

    The inclusion probabilities are exact: ``q_k = count · n_k / Σ n``, as long as no client's exceeds 1. Clients for
    which it would are always drawn, and the rest of the sample is drawn from the others by the same formula. The draw
    is systematic sampling in a random order (Madow 1949; Hartley and Rao 1962), in whole numbers. Drawing one client
    after the other with probabilities by size, as ``numpy.random.choice(replace=False, p=...)`` does, has other
    inclusion probabilities, which favour small clients more.

    >>> SizeSampler(2, sizes=[10, 10, 20, 40]).probabilities
    tensor([0.2500, 0.2500, 0.5000, 1.0000], dtype=torch.float64)
    """

    def __init__(self, participation: float | int, sizes: Clients):
        given = tensor("sizes", sizes)
        if given.ndim != 1 or len(given) == 0:
            remedy = "Pass the clients' numbers of training rows, such as federation.sizes."
            raise refuse("the shape of sizes", tuple(given.shape), "(N,), one size per client", remedy, "shape")
        remedy = "It is the client's number of training rows."
        rows = [integer(f"the size of client {k}", n, 1, remedy, high=2**31) for k, n in enumerate(given.tolist())]
        self.participation, self.sizes = participation, torch.tensor(rows)
        self.count = _count_of(participation, len(rows))

    def __repr__(self) -> str:
        return f"SizeSampler({self.participation!r}, sizes={reprlib.repr(self.sizes.tolist())})"

    @property
    def population(self) -> int:
        """N, the number of clients that exist."""
        return len(self.sizes)

    @property
    def probabilities(self) -> torch.Tensor:
        """The inclusion probabilities of all clients, (N,) float64; their sum is ``count``."""
        certain, total, left = self._certain()
        return torch.where(certain, 1.0, left * self.sizes.double() / total)

    def sample(self, round: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        certain, total, left = self._certain()
        chosen = [certain.nonzero().flatten()]
        if left:
            others = (~certain).nonzero().flatten()
            others = others[torch.randperm(len(others), generator=generator)]
            # Client k owns an interval of left · n_k numbers, and one number in every ``total`` is drawn: it hits each
            # interval at most once, since none is longer than the distance between two numbers.
            ends = (left * self.sizes[others]).cumsum(0)
            points = torch.randint(total, (1,), generator=generator) + total * torch.arange(left)
            chosen.append(others[torch.searchsorted(ends, points, right=True)])
        clients = torch.cat(chosen)
        return clients, self.probabilities[clients]

    def _certain(self) -> tuple[torch.Tensor, int, int]:
        """Which clients are always drawn (N,), the rows of the others, and how many of the others are drawn."""
        certain = torch.zeros(len(self.sizes), dtype=torch.bool)
        while True:
            left, total = self.count - int(certain.sum()), int(self.sizes[~certain].sum())
            more = ~certain & (left * self.sizes >= total)
            if left == 0 or not more.any():
                return certain, max(total, 1), left
            certain |= more


class PoissonSampler:
    """Every client takes part with its own probability, independently of the others (Poisson sampling).

    ``rate``: the probability, one for all clients or one per client (N,). ``population``: N; it can be left out if
    ``rate`` has one entry per client. The number of participants varies, and a round may be empty: the model then stays
    as it was. The inclusion probabilities are the rates. The accountants of differential privacy assume this law.
    """

    def __init__(self, rate: float | Probabilities, population: int | None = None):
        remedy, N = "It is the probability that a client takes part in a round.", population
        if population is not None:
            N = integer("population", population, 1, WHOLE)
        if _is_list(rate):
            rates = tensor("rate", rate)
            shape = "Give one rate for all clients, or one for each."
            rates = one_per_client("rate", rates, len(rates) if N is None else N, shape)
            checked = [number(f"the rate of client {k}", r, 0, 1, remedy) for k, r in enumerate(rates.tolist())]
            self.rate: float | torch.Tensor = torch.tensor(checked, dtype=torch.float64)
            self.population = len(checked)
        elif N is None:
            raise Refused(f"PoissonSampler({rate!r}) needs population=, the number of clients that exist", "missing")
        else:
            self.rate, self.population = number("rate", rate, 0, 1, remedy, above=True), N

    def __repr__(self) -> str:
        rate = self.rate if isinstance(self.rate, float) else reprlib.repr(self.rate.tolist())
        return f"PoissonSampler({rate}, population={self.population})"

    @property
    def count(self) -> int:
        """The number of clients to expect in a round, rounded, and at least 1."""
        return max(1, round(float(self._rates().sum())))

    def sample(self, round: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        rates = self._rates()
        chosen = (torch.rand(self.population, dtype=torch.float64, generator=generator) < rates).nonzero().flatten()
        return chosen, rates[chosen]

    def _rates(self) -> torch.Tensor:
        return torch.as_tensor(self.rate, dtype=torch.float64).expand(self.population)


@dataclass(frozen=True)
class CyclicSampler(_FixedCount):
    """The clients in turn: round t takes the next ``count`` clients in the order of their numbers, and begins again
    with client 0 after the last.

    ``participation``: as in ``UniformSampler``. ``population``: N. This is a schedule and draws nothing, so it has no
    inclusion probabilities.

    >>> sampler = CyclicSampler(2, population=5)
    >>> [sampler.sample(t, None) for t in range(3)]
    [[0, 1], [2, 3], [4, 0]]
    """

    def sample(self, round: int, generator: torch.Generator) -> list[int]:
        first = round * self.count
        return [(first + place) % self.population for place in range(self.count)]


BUILT_IN = (UniformSampler, SizeSampler, PoissonSampler, CyclicSampler)
Participation = float | int | Sampler


@dataclass(frozen=True)
class Drawn:
    """The participants of a round in increasing order, and their inclusion probabilities (K,), if they are known."""

    clients: tuple[int, ...]
    inclusion: torch.Tensor | None


def sampler_of(participation: Participation, population: int) -> Sampler:
    """The sampler that ``participation`` stands for, in a federation of ``population`` clients.

    Raises ``Refused`` for a number out of range, for what is neither a number nor a sampler, and for a sampler made for
    another population.
    """
    if isinstance(participation, type):
        remedy = f"Pass an instance, such as UniformSampler(0.1, population={population})."
        raise refuse("participation", participation, "a number or a sampler", remedy, "type")
    if not callable(getattr(participation, "sample", None)):
        if callable(participation):
            remedy = "A sampler is an object with the method sample(round, generator), which returns client numbers."
            raise refuse("participation", participation, "a number or a sampler", remedy, "type")
        return UniformSampler(participation, population)  # type: ignore[arg-type]
    own = getattr(participation, "population", population)
    if own != population:
        raise refuse(
            f"the population of {_name(participation)}",
            own,
            f"{population}, the number of clients that exist",
            "Make the sampler for this federation.",
            "combination",
        )
    return participation  # type: ignore[return-value]


def takes_everyone(sampler: Sampler) -> bool:
    """Whether all clients are known to take part in every round."""
    return isinstance(sampler, UniformSampler) and sampler.count == sampler.population


def require_everyone(who: str, participation: Participation, sampler: Sampler) -> None:
    """Raise ``Refused`` if ``who``, which is defined for full participation, would not see all clients."""
    if not takes_everyone(sampler):
        raise Refused(
            f"{who} is defined for full participation, and participation is {participation!r}; use 1.0", "combination"
        )


def expected_count(sampler: Sampler, population: int) -> int:
    """How many participants to expect in a round; all clients for a sampler of the user's own."""
    return sampler.count if isinstance(sampler, BUILT_IN) else population


def draw(sampler: Sampler, seed: int, round: int, population: int) -> Drawn:
    """The participants of a round, with a generator keyed by (``seed``, "participation", ``round``).

    Raises ``Refused``, which names the sampler, the round and the client, if the sampler's answer cannot be used.
    """
    name = f"{_name(sampler)} in round {round}"
    answer: Any = sampler.sample(round, keyed_generator(seed, "participation", round))
    # A pair of plain numbers is two clients.
    paired = isinstance(answer, tuple) and len(answer) == 2 and _is_list(answer[0])
    given, probabilities = answer if paired else (answer, None)
    try:
        listed = given.tolist() if hasattr(given, "tolist") else list(given)
        listed = listed if isinstance(listed, list) else [listed]
    except TypeError:
        remedy = "Return a list of client numbers, or a pair of it and their inclusion probabilities."
        raise refuse(f"the answer of {name}", given, "client numbers", remedy, "type") from None
    remedy = "Return numbers of clients (for a mask: mask.nonzero().flatten())."
    clients = [integer(f"a client drawn by {name}", k, 0, remedy, high=population - 1) for k in listed]
    if twice := sorted({k for k in clients if clients.count(k) > 1} if len(set(clients)) < len(clients) else ()):
        remedy = "Draw without replacement."
        raise refuse(f"a client drawn twice by {name}", twice[0], "each client once", remedy)
    order = sorted(range(len(clients)), key=clients.__getitem__)
    if probabilities is None:
        return Drawn(tuple(clients[i] for i in order), None)
    inclusion = tensor(f"the inclusion probabilities of {name}", probabilities).double().cpu()
    remedy = "Return one probability for each client that was drawn."
    one_per_client(f"the inclusion probabilities of {name}", inclusion, len(clients), remedy)
    for client, probability in zip(clients, inclusion.tolist()):
        remedy = "A client that was drawn had a positive probability."
        number(f"the inclusion probability of client {client} by {name}", probability, 0, 1, remedy, above=True)
    return Drawn(tuple(clients[i] for i in order), inclusion[order])


def with_inclusion(drawn: Drawn, rule: str, sampler: Sampler) -> torch.Tensor:
    """The inclusion probabilities (K,) for ``rule``. Raises ``Refused`` of kind "missing" if there are none."""
    if drawn.inclusion is None:
        raise Refused(
            f"{rule} needs inclusion probabilities, and {_name(sampler)} gives none. Return (clients, probabilities) "
            f"from its sample(round, generator), or use a sampler that does, such as UniformSampler",
            "missing",
        )
    return drawn.inclusion


def _is_list(thing: object) -> bool:
    return isinstance(thing, (list, tuple, range)) or getattr(thing, "ndim", 0) > 0


def _name(sampler: object) -> str:
    return type(sampler).__name__


def _count_of(participation: float | int, population: int) -> int:
    """The number of participants: ``participation`` itself if it is a whole number above 1, otherwise that fraction."""
    plain: Any = participation.tolist() if hasattr(participation, "tolist") else participation
    if isinstance(plain, int) and not isinstance(plain, bool) and plain > 1:
        remedy = "A whole number above 1 counts the clients of a round; a fraction up to 1 is a share of them."
        return integer("participation", plain, 2, remedy, high=population)
    remedy = "It is the fraction of clients in a round; to count clients, pass a whole number above 1, such as 5."
    number("participation", participation, 0, 1, remedy, above=True)
    return max(1, int(round(participation * population)))
