"""WithMemory: apply a rule to the latest update of every client, not only of those that take part in a round."""

from dataclasses import fields, replace

import torch

from fairfl.errors import refuse
from fairfl.rules.base import Direction, Rule
from fairfl.rules.fedfv import FedFV
from fairfl.rules.inputs import same_size
from fairfl.updates import Updates

# What a rule reads of a round as a whole. Anything else in ``needs`` is one number per client, which is remembered.
OF_A_ROUND = {field.name for field in fields(Updates)} - {"losses"}


class WithMemory(Rule):
    """Apply ``rule`` to everybody's latest update: this round's rows (K, d), and the last row of each absent client.

    ``WithMemory(FedAvg("uniform"))`` is the mean of everybody's latest update: MIFA (Gu et al. 2021, Algorithm 1) and
    FedLaAvg (Yan et al. 2020) from the round on in which every client has been heard. (Before that, both divide by the
    number of all clients. Here a client counts from its first update on.) Under full participation the direction is
    that of ``rule``, bit for bit. ``WithMemory(FedMGDA())`` finds the min-norm point of all remembered rows.

    ``rule`` is an instance or a name. It gets A further rows for the A clients that were heard before and are absent.
    A row is remembered as it was sent, and so are the losses and other numbers per client that the rule needs: they
    belong to the model that the client started from, and to the step size of that round. A client that never comes back
    keeps its row.

    Data shares are known per round only, so they are remembered as relative sizes. A round's shares are scaled by the
    clients in it that were heard before. If there are none, its mean client counts as much as the mean remembered one.
    The shares are those of the true sizes if sizes are constant and each round but the first repeats a client.

    ``rates`` (K,) are those of this round's clients. ``weights`` (K,) are ``None`` if an absent client has a weight.
    ``with_absent(updates)`` gives all rows, to compute the others.

    State: the latest update of each client that ever took part (at most N d numbers), with its client, its relative
    size and its numbers.

    Raises ``Refused`` for a rule with a state of its own (FedFV with τ > 0, FedLF, FedMDFG, FedHEAL, AFL, FedFA). Also
    for a rule that needs inclusion probabilities, which a remembered row does not have.
    """

    remembers = ("rows", "clients", "sizes", "numbers")
    _rows: torch.Tensor
    _clients: torch.Tensor
    _sizes: torch.Tensor
    _numbers: torch.Tensor

    def __init__(self, rule: Rule | str):
        from fairfl.rules import as_rule

        self.rule = as_rule(rule)
        self.needs = self.rule.needs
        # FedFV declares its memory, which it does not use at τ = 0.
        if self.rule.remembers and not (isinstance(self.rule, FedFV) and self.rule.tau == 0):
            raise refuse(
                "rule",
                self.rule,
                "a rule without a state of its own",
                f"{self.rule.name} remembers {', '.join(self.rule.remembers)}. Use it as it is.",
                "combination",
            )
        if "inclusion" in self.needs:
            raise refuse(
                "rule",
                self.rule,
                "a rule that does not need inclusion probabilities",
                "They are the chances of taking part in one round, and here absent clients count as well.",
                "combination",
            )

    @property
    def name(self) -> str:
        return f"{self.rule.name} with memory"

    def combine(self, updates: Updates) -> Direction:
        everyone, sizes, numbers = self._everyone(updates)
        decided, K = self.rule.direction(everyone), len(updates)
        # The state must own its rows: those of the updates belong to the caller.
        self._rows = everyone.gradients.clone() if len(everyone) == K else everyone.gradients
        self._clients, self._sizes, self._numbers = everyone.clients.clone(), sizes, numbers
        if len(everyone) == K:
            return decided
        weights, rates = decided.weights, decided.rates
        if weights is not None:
            weights = None if bool(weights[K:].any()) else weights[:K]
        return replace(decided, weights=weights, rates=None if rates is None else rates[:K])

    def with_absent(self, updates: Updates) -> Updates:
        """``updates``, followed by the latest updates of the clients that are absent. The state does not change."""
        return self._everyone(updates)[0]

    def observe(self, w: torch.Tensor) -> None:
        self.rule.observe(w)

    def report(self, w: torch.Tensor) -> torch.Tensor:
        return self.rule.report(w)

    def _everyone(self, updates: Updates) -> tuple[Updates, torch.Tensor, torch.Tensor]:
        """The K + A latest updates, the relative sizes (K + A,), and the numbers (K + A, n) that are remembered."""
        names = sorted(self.needs - OF_A_ROUND)
        numbers = torch.zeros(len(updates), len(names), dtype=torch.float64)
        for i, name in enumerate(names):
            numbers[:, i] = self._one_each(name, updates)
        if self._rows is None:
            return updates, updates.shares.clone(), numbers
        same_size(self, "parameters", updates.gradients.shape[1], self._rows.shape[1])
        same_size(self, "numbers per client", len(names), self._numbers.shape[1])
        sizes = updates.shares * self._scale(updates)
        absent = ~torch.isin(self._clients, updates.clients)
        if not bool(absent.any()):
            return updates, sizes, numbers
        sizes = torch.cat([sizes, self._sizes[absent]])
        numbers = torch.cat([numbers, self._numbers[absent]])
        known = dict(zip(names, numbers.T))
        everyone = replace(
            updates,
            gradients=torch.cat([updates.gradients, self._rows.to(updates.gradients)[absent.to(self._rows.device)]]),
            clients=torch.cat([updates.clients, self._clients[absent]]),
            losses=known.pop("losses", None),
            shares=sizes / sizes.sum(),
            extras=known,
        )
        return everyone, sizes, numbers

    def _one_each(self, name: str, updates: Updates) -> torch.Tensor:
        values = updates.losses if name == "losses" else updates.extras[name]
        if values.ndim != 1:
            raise refuse(
                f"the shape of extras[{name!r}]",
                tuple(values.shape),
                f"({len(updates)},)",
                f"{self.name} remembers one number of each name per client.",
                "shape",
            )
        return values.double().cpu()

    def _scale(self, updates: Updates) -> float:
        """The factor from this round's shares to the remembered sizes."""
        again = updates.shares[torch.isin(updates.clients, self._clients)].sum()
        before = self._sizes[torch.isin(self._clients, updates.clients)].sum()
        return float(before / again) if before > 0 and again > 0 else len(updates) * float(self._sizes.mean())
