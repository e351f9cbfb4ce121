"""The rounds on which rules are tried: small ones of small integers first, then larger ones of normal numbers."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch

from fairfl.rules import Rule
from fairfl.updates import Layout, Updates

# Clients and parameters of the rounds of small integers, and how many there are of each size.
SMALL, OF_EACH = ((1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (4, 6)), 4
LARGE = 20
SHARES = {1: (1.0,), 2: (0.4, 0.6), 3: (0.2, 0.3, 0.5), 4: (0.1, 0.2, 0.3, 0.4)}


def layout(d: int) -> Layout:
    """A layout of ``d`` parameters: a matrix and, from two parameters on, a vector."""
    return Layout(("weight",), ((d,),)) if d < 2 else Layout(("weight", "bias"), ((d - d // 2, 1), (d // 2,)))


def complete_updates(
    gradients: Any,
    losses: Any = None,
    dtype: torch.dtype = torch.float64,
    seed: int = 0,
    needs: Iterable[str] = (),
    **more: Any,
) -> Updates:
    """``Updates`` with everything that any rule reads. What is not given is drawn at random.

    ``gradients`` (K, d): an array or a tensor. ``needs``: further names that a rule reads in ``extras``. ``more``: any
    other argument of ``Updates``.
    """
    gradients = torch.as_tensor(np.asarray(gradients) if not torch.is_tensor(gradients) else gradients).to(dtype)
    K, d = gradients.shape
    rng = np.random.default_rng(seed)
    shares = rng.uniform(0.5, 2, K)
    extras = {"accuracies": rng.uniform(0.1, 0.9, K), "newton_rates": rng.uniform(0.2, 3, K)}
    losses = rng.uniform(0.2, 3, K) if losses is None else losses
    extras["losses_after"] = torch.as_tensor(losses, dtype=torch.float64)
    for name in sorted({"smoothness", "pseudo_lr", *needs} - set(extras) - set(Updates.__dataclass_fields__)):
        extras[name] = rng.uniform(0.2, 3, K)
    extras |= more.pop("extras", {})
    more.setdefault("shares", torch.tensor(shares / shares.sum()))
    more.setdefault("layout", layout(d))
    return Updates(
        gradients,
        losses=torch.as_tensor(losses, dtype=torch.float64),
        extras={name: torch.as_tensor(value) for name, value in extras.items()},
        **more,
    )


def round_of(
    rule: Rule,
    gradients: np.ndarray,
    losses: Any = None,
    *,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    **more: Any,
) -> Updates:
    """A round with everything that ``rule`` reads. For four clients or fewer, its numbers are short.

    ``seed`` determines shares and extras, whatever the gradients are.
    """
    gradients = np.asarray(gradients, dtype=float)
    K = len(gradients)
    made = complete_updates(gradients, losses, dtype, seed, needs=rule.needs, **more)
    if K not in SHARES:
        return made
    given = more.get("extras", {})
    extras = {n: given.get(n, (10 * v).round().clamp(min=1) / 10) for n, v in made.extras.items()}
    losses = (10 * made.losses).round() / 10 if losses is None else losses
    shares = np.random.default_rng(seed).permutation(SHARES[K])
    short = {"shares": torch.tensor(shares), "extras": extras | {"losses_after": losses}}
    return complete_updates(gradients, losses, dtype, **(more | short))


def draws(least: int = 1) -> Iterator[tuple[np.ndarray, np.ndarray, int, np.random.Generator]]:
    """Linearly independent rows (K, d), losses (K,), a seed and a generator, from small to large. K ≥ ``least``."""
    for number in range(len(SMALL) * OF_EACH + LARGE):
        rng = np.random.default_rng(number)
        if number < len(SMALL) * OF_EACH:
            K, d = SMALL[number // OF_EACH]
            if least <= K:
                yield small_rows(rng, K, d), rng.integers(1, 7, K) / 2, number, rng
        else:
            K = int(rng.integers(least, 13))
            d = K + int(rng.integers(21))
            rows = rng.normal(size=(K, d)) + rng.choice([0, 0.5]) * rng.normal(size=d)
            yield rows, rng.uniform(0.2, 3, K), number, rng


def small_rows(rng: np.random.Generator, K: int, d: int) -> np.ndarray:
    """Linearly independent rows (K, d) of integers from -3 to 3."""
    while True:
        rows = rng.integers(-3, 4, (K, d)).astype(float)
        if np.linalg.matrix_rank(rows) == K:
            return rows


# Clients that exist, clients in a round, parameters, rounds.
STREAMS = ((2, 2, 2, 3), (3, 2, 3, 4), (9, 5, 30, 7))


def streams(rule: Rule) -> Iterator[tuple[Updates, ...]]:
    """Several rounds in a row, from small to large, with other clients in each unless ``rule.needs_everyone``."""
    for population, K, d, rounds in STREAMS:
        yield tuple(stream(rule, population, population if rule.needs_everyone else K, d, rounds))


def stream(
    rule: Rule, population: int, K: int, d: int, rounds: int, dtype: torch.dtype = torch.float64
) -> Iterator[Updates]:
    """``rounds`` rounds of ``K`` clients out of ``population``, in any order, with everything that ``rule`` reads."""
    rng = np.random.default_rng(1)
    for t in range(rounds):
        clients = torch.tensor(rng.permutation(population)[:K])
        rows = small_rows(rng, K, d) if d <= 4 else rng.normal(size=(K, d))
        losses = rng.integers(1, 7, K) / 2 if d <= 4 else None
        yield round_of(rule, rows, losses, seed=t, dtype=dtype, clients=clients, population=population, round=t)
