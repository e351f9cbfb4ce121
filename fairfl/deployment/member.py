"""``Member``, the client's side of a real federation: its rows, and the same local training as in ``train``."""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from fairfl._torch_modes import in_plain_modes
from fairfl._validation import check_module, integer, known
from fairfl.clients import FlatModel, LocalMethod, LocalSGD, RoundWork, Slot, sequential
from fairfl.clients.client_statistics import PROVIDERS, RoundView
from fairfl.clients.evaluation import Scorer
from fairfl.clients.losses import Loss, loss_of
from fairfl.clients.slots import Examples
from fairfl.data.dataset import Dataset
from fairfl.deployment.collect import flattened
from fairfl.deployment.reply import Reply
from fairfl.errors import Refused, refuse
from fairfl.federation import Federation, Rows, check_federation, check_range, row_numbers


class Member:
    """One client. It sees its own rows, and nothing of the other clients except the model.

    ``client``: its number. ``data``: any object with ``inputs`` and ``targets``. ``train``, ``test``, ``validation``:
    its row numbers in ``data``. ``model``: a module of the federation's architecture (its weights are overwritten).
    ``local``, ``loss``: as in ``fairfl.train``. ``seed``: with the federation's seed, it visits its rows in the same
    order as in ``train``, and a federation of members gives the same bits as ``train(engine="sequential")``.

    ``memory``: tensors and plain values that a rule asks a client to keep between rounds.

    Raises ``Refused`` for arguments of the wrong type or out of range, and for a client without training rows.
    """

    @in_plain_modes
    def __init__(
        self,
        client: int,
        data: Dataset | Examples,
        train: Rows,
        model: torch.nn.Module,
        *,
        local: LocalMethod | None = None,
        seed: int = 0,
        test: Rows | None = None,
        validation: Rows | None = None,
        loss: Loss | str | None = None,
    ) -> None:
        if not hasattr(data, "inputs") or not isinstance(getattr(data, "targets", None), torch.Tensor):
            remedy = "Make one with Dataset(inputs, targets)."
            raise refuse("data", type(data).__name__, "a Dataset, or Examples", remedy, "type")
        self.client = integer("client", client, 0, "It is the client's number in the federation.")
        self.seed = integer("seed", seed, remedy="With the federation's seed, batches are those of train.")
        self.data, self.loss = Examples(data.inputs, data.targets), loss_of(loss, data)
        if not callable(self.loss):
            remedy = "Leave loss out to use the default for these targets."
            raise refuse("loss", loss, "a function, or the name of a loss", remedy, "type")
        self.flat = FlatModel(copy.deepcopy(check_module(model)))
        self.local = LocalSGD() if local is None else local
        if not isinstance(self.local, LocalMethod):
            remedy = "FedNL and FedNew run only in fairfl.train."
            raise refuse("local", self.local, "a LocalSGD for a Member", remedy, "type")
        if self.local.correct is not None:
            raise refuse(
                "local.correct",
                self.local.correct,
                "None for a Member",
                "Corrections need fairfl.train, which holds what clients share.",
                "combination",
            )
        self.rows, self.test, self.validation = (
            self._own(part, () if rows is None else rows)
            for part, rows in (("train", train), ("test", test), ("validation", validation))
        )
        if len(self.rows) == 0:
            raise Refused(f"client {self.client} has no train rows; a member trains, so give one or more", "missing")
        self.memory: dict = {}

    @classmethod
    def of(cls, federation: Federation, client: int, model: torch.nn.Module, **settings: Any) -> "Member":
        """The ``Member`` for client number ``client`` of a simulated ``Federation``, with that client's rows."""
        check_federation(federation)
        client = integer("client", client, 0, "Name a client of the federation.", high=len(federation) - 1)
        return cls(
            client,
            federation.dataset,
            federation.train[client],
            model,
            test=federation.test[client],
            validation=federation.validation[client],
            **settings,
        )

    @in_plain_modes
    def work(self, arrays: Mapping[str, object], round: int, needs: Iterable[str] = ()) -> Reply:
        """Train from ``arrays`` (the server's model, by parameter name) and reply with the trained model.

        ``needs``: the names of further numbers that the rule reads. Raises ``Refused`` for a number that no client can
        provide, and for arrays that are not this model's or not finite.
        """
        round = integer("round", round, 0, "Rounds count from 0.")
        for name in needs:
            known("number asked of a client", name, PROVIDERS)
        start = self._flatten(arrays)
        slot = Slot(0, self.seed, self.client, self.rows)
        work = RoundWork(self.data, [slot], start[None], self.local, round, self.loss)
        gradient = sequential.run(self.flat, work)
        # Sent as it was reached: start − (start − w) would round twice, and the server would see other bits than in a
        # simulation.
        after = {name: piece[0].clone() for name, piece in self.flat.split(self.flat.vector[None]).items()}
        view = RoundView(
            flat=self.flat, work=work, gradients=gradient, validation=[self.validation], memory=self.memory
        )
        numbers = {name: float(PROVIDERS[name](view)[0]) for name in needs}
        return Reply(client=self.client, arrays=after, size=len(self.rows), numbers=numbers)

    @in_plain_modes
    def score(self, arrays: Mapping[str, object]) -> dict[str, float]:
        """``accuracy`` (0 to 1) and mean ``loss`` of the model ``arrays`` on this client's test rows."""
        if len(self.test) == 0:
            raise Refused(f"client {self.client} has no test rows to score on; give Member(..., test=...)", "missing")
        self.flat.vector.copy_(self._flatten(arrays))
        if self.data.targets.is_floating_point():
            raise Refused(
                "a member reports accuracies, and the targets are numbers to predict; score the model in fairfl.train",
                "combination",
            )
        accuracy, loss = Scorer(self.data, [self.test], self.loss)(self.flat.module)
        return {"accuracy": float(accuracy[0]), "loss": float(loss[0])}

    def _flatten(self, arrays: Mapping[str, object]) -> torch.Tensor:
        vector, reason = flattened(arrays, self.flat.layout, self.flat.vector)
        if vector is None:
            raise Refused(f"client {self.client} cannot use the model that it was given: the server {reason}")
        return vector

    def _own(self, part: str, rows: Rows) -> torch.Tensor:
        numbers = row_numbers(part, self.client, rows)
        check_range(f"client {self.client}'s {part} rows", numbers, len(self.data.targets))
        return numbers
