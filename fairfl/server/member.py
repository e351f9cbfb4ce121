"""``Member``: the client's side of a real federation: its rows, and the same local training as in ``train``."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from fairfl.clients import FlatModel, LocalSGD, RoundWork, Slot, sequential
from fairfl.clients.evaluation import Scorer
from fairfl.clients.loss import Loss, cross_entropy
from fairfl.clients.provide import PROVIDERS, RoundView
from fairfl.clients.slots import Examples
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused, refuse, unknown
from fairfl.federation import Federation
from fairfl.server.reply import Reply


class Member:
    """One client. It sees its own rows, and of the others nothing but the model.

    ``client``: its number. ``data``: anything with ``inputs`` and ``targets``. ``train``, ``test``, ``validation``: its
    row numbers in there. ``model``: a module of the federation's architecture (its weights are overwritten). ``local``,
    ``loss``: as in ``fairfl.train``. ``seed``: with the federation's seed, it visits its rows in the order that
    ``train`` would.

    ``memory``: what a rule wants a client to keep between rounds, tensors and plain values.
    """

    def __init__(
        self,
        client: int,
        data: Dataset | Examples,
        train: torch.Tensor,
        model: torch.nn.Module,
        *,
        local: LocalSGD | None = None,
        seed: int = 0,
        test: torch.Tensor | None = None,
        validation: torch.Tensor | None = None,
        loss: Loss = cross_entropy,
    ) -> None:
        self.client, self.data, self.rows = client, Examples(data.inputs, data.targets), train
        self.flat = FlatModel(copy.deepcopy(model))
        self.local, self.seed, self.loss = local or LocalSGD(), seed, loss
        if not isinstance(self.local, LocalSGD):
            raise refuse("local", self.local, "a LocalSGD for a Member", "FedNL and FedNew run in fairfl.train alone.")
        if self.local.correct is not None:
            raise refuse(
                "local.correct",
                self.local.correct,
                "None for a Member",
                "What clients keep in common is in fairfl.train alone.",
            )
        self.test = train[:0] if test is None else test
        self.validation = train[:0] if validation is None else validation
        self.memory: dict = {}

    @classmethod
    def of(cls, federation: Federation, client: int, model: torch.nn.Module, **settings: Any) -> "Member":
        """Client number ``client`` of a simulated ``Federation``, with that client's rows."""
        return cls(
            client,
            federation.dataset,
            federation.train[client],
            model,
            test=federation.test[client],
            validation=federation.validation[client],
            **settings,
        )

    def work(self, arrays: Mapping[str, object], round: int, needs: Iterable[str] = ()) -> Reply:
        """Train from ``arrays`` (the server's model, by parameter name) and answer with the model after that.

        ``needs``: what the rule reads beside it. Raises ``ValueError`` for a need that no client can provide.
        """
        for name in needs:
            if name not in PROVIDERS:
                raise unknown("number asked of a client", name, PROVIDERS)
        start = self._flatten(arrays)
        slot = Slot(0, self.seed, self.client, self.rows)
        gradient = sequential.run(self.flat, RoundWork(self.data, [slot], start[None], self.local, round, self.loss))
        # Sent as it was reached: start − (start − w) would round twice, and the server would see other bits than in a
        # simulation.
        after = {name: piece[0].clone() for name, piece in self.flat.split(self.flat.vector[None]).items()}
        view = RoundView(
            self.flat,
            self.data,
            self.loss,
            [self.rows],
            [self.validation],
            start,
            gradient,
            [self.client],
            [self.local.pseudo_lr(len(self.rows), round)],
            self.memory,
        )
        numbers = {name: float(PROVIDERS[name](view)[0]) for name in needs}
        return Reply(client=self.client, arrays=after, size=len(self.rows), numbers=numbers)

    def score(self, arrays: Mapping[str, object]) -> dict[str, float]:
        """``accuracy`` (0 to 1) and mean ``loss`` of the model ``arrays`` on this client's test rows."""
        if len(self.test) == 0:
            raise Refused(f"client {self.client} has no test rows to score on; give Member(..., test=...)")
        self.flat.vector.copy_(self._flatten(arrays))
        if self.data.targets.is_floating_point():
            raise Refused(
                "a server is sent accuracies, and these targets are numbers to be predicted; score "
                "the model in fairfl.train"
            )
        accuracy, loss = Scorer(self.data, [self.test], self.loss)(self.flat.module)
        return {"accuracy": float(accuracy[0]), "loss": float(loss[0])}

    def _flatten(self, arrays: Mapping[str, object]) -> torch.Tensor:
        pieces = [torch.as_tensor(arrays[name]).detach().reshape(-1) for name in self.flat.layout.names]
        return torch.cat(pieces).to(self.flat.vector)
