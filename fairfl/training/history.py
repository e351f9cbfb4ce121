"""``History``: the record of a run."""

import json
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from fairfl import _atomic_files, _incoming, metrics
from fairfl._extras import needed_by
from fairfl._validation import check_module, integer, known, tensor
from fairfl.errors import Refused, refuse
from fairfl.training import reported_model

if TYPE_CHECKING:
    import pandas

# Begins the names of own metrics in a file.
OWN = "metrics/"


@dataclass
class History:
    """The record of one run (one seed), as arrays over E evaluations, N clients and T rounds.

    - ``rounds`` (E,): the number of completed rounds at each evaluation, from 0 (the initial model).
    - ``accuracy``, ``loss`` (E, N): scores on the clients' test rows. Accuracies are from 0 to 1; in regression
      ``accuracy`` is ``None``, and the losses are the scores.
    - ``train_accuracy``, ``train_loss``, ``validation_accuracy``, ``validation_loss`` (E, N): only if requested by
      ``train(..., score=…)``.
    - ``participants`` (T, K): the clients whose updates the rule received. Rounds with fewer of them than others,
      because a tamper dropped clients or a sampler drew fewer, are padded with −1.
    - ``direction_norm`` (T,): ``‖dir‖``; 0 in a round for which no client was drawn.
    - ``smallest_rate`` (T,): ``min_k ρ_k``, NaN if the rule gives no rates. A negative value means that the step
      increased a client's loss, to first order.
    - ``weights``, ``rates`` (T, K): the rule's weights λ_k and rates ρ_k, for the clients in the same places of
      ``participants``. NaN where the rule gave none, and where a row is padded. ``None`` with
      ``train(..., record_rates=False)``.
    - ``remarks``: pairs (round, reason) for rounds in which a rule had to deviate from its formula.
    - ``parameters`` (d,): the final reported model.
    - ``test_sizes`` (N,): the clients' numbers of test rows.
    - ``settings``: all settings of the run. ``seconds``: its duration.
    - ``metrics``: the own metrics that ``score`` named, by name, (E, N) each; those on other parts than the test rows
      have the prefix ``train_`` or ``validation_``.
    - ``personal`` (N, d): the clients' personal models at the end, with ``train(..., personal=Ditto(...))``; otherwise
      ``None``.
    """

    rounds: np.ndarray
    accuracy: np.ndarray | None
    loss: np.ndarray
    participants: np.ndarray
    direction_norm: np.ndarray
    smallest_rate: np.ndarray
    test_sizes: np.ndarray
    train_accuracy: np.ndarray | None = None
    train_loss: np.ndarray | None = None
    validation_accuracy: np.ndarray | None = None
    validation_loss: np.ndarray | None = None
    parameters: np.ndarray | None = None
    weights: np.ndarray | None = None
    rates: np.ndarray | None = None
    remarks: list = field(default_factory=list)
    settings: dict = field(default_factory=dict)
    seconds: float = 0.0
    metrics: dict[str, np.ndarray] = field(default_factory=dict)
    personal: np.ndarray | None = None
    # The module that was trained, if it is the user's own; neither saved nor copied.
    _module: torch.nn.Module | None = field(default=None, init=False, repr=False, compare=False)

    def summary(self, percent: float = 10, last: int = 1) -> dict[str, float]:
        """The run's row of a fairness table, from the mean of the ``last`` evaluations.

        It summarises accuracies, in percent (``metrics.summary``), or in regression losses (``metrics.loss_summary``).
        Raises ``Refused`` for a ``last`` that is not 1 to the number of evaluations, and for a ``percent`` outside 0 to
        100.
        """
        remedy = "It is the number of evaluations that are averaged, and this run has no more."
        last = integer("last", last, 1, remedy, high=len(self.rounds))
        if self.accuracy is None:
            return metrics.loss_summary(self.loss[-last:].mean(0), percent)
        return metrics.summary(self.accuracy[-last:].mean(0), self.test_sizes, percent)

    def to_frame(self) -> "pandas.DataFrame":
        """The scores as a tidy ``DataFrame`` with one row per evaluation and client.

        Columns: ``round``, the number of completed rounds; ``client``; ``accuracy`` (0 to 1; absent in regression) and
        ``loss`` on the test rows; the same with the prefix ``train_`` or ``validation_`` for each part that was scored;
        and the own metrics. Raises ``NotInstalled`` without pandas.
        """
        with needed_by("History.to_frame"):
            import pandas
        evaluations, clients = self.loss.shape
        table: dict[str, Any] = {
            "round": np.repeat(self.rounds, clients),
            "client": np.tile(np.arange(clients), evaluations),
        }
        return pandas.DataFrame(table | {name: values.reshape(-1) for name, values in self.scores().items()})

    def scores(self) -> dict[str, np.ndarray]:
        """All scores by column, (E, N) each: accuracies and losses by part, then the user's metrics."""
        columns = [f"{part}{what}" for part in ("", "train_", "validation_") for what in ("accuracy", "loss")]
        recorded = {name: getattr(self, name) for name in columns}
        return {name: values for name, values in recorded.items() if values is not None} | self.metrics

    def model(
        self,
        module: torch.nn.Module | None = None,
        *,
        client: int | None = None,
        parameters: torch.Tensor | np.ndarray | None = None,
    ) -> torch.nn.Module:
        """The final reported model as a new module on the CPU, in evaluation mode.

        ``client``: that client's personal model instead. ``parameters`` (d,): these parameters instead, such as those
        of ``BestModel``. ``module``: one like the module that was trained; a copy of
        it gets the parameters. It is only needed for a model of your own whose history was loaded from a file or
        copied; a model that was named is built again.

        Raises ``Refused`` if the module is needed and missing, or has another number of trainable parameters, for
        a ``client`` who has no personal model, and for both ``client`` and ``parameters``.
        """
        vector = self.parameters
        if parameters is not None:
            if client is not None:
                raise Refused("client and parameters name two models; pass one of them", "combination")
            vector = tensor("parameters", parameters).cpu().numpy()
            if vector.ndim != 1:
                remedy = "Pass the trainable parameters as one vector, such as best.parameters of a BestModel."
                raise refuse("the shape of parameters", vector.shape, "(d,)", remedy, "shape")
        if client is not None:
            if self.personal is None:
                raise Refused("client asks for a personal model, and this run has none; train(personal=...)", "missing")
            remedy = "It is the number of a client."
            vector = self.personal[integer("client", client, 0, remedy, high=len(self.personal) - 1)]
        if vector is None:
            raise Refused("this history has no parameters; keep those of train", "missing")
        chosen = self._module if module is None else check_module(module)
        if chosen is None and "architecture" in self.settings:
            chosen = reported_model.build(self.settings["architecture"])
        if chosen is None:
            raise Refused(
                "this history was loaded or copied, and has the parameters of your model but not its module; pass one "
                "like it: history.model(module)",
                "missing",
            )
        return reported_model.loaded(chosen, vector)

    def __getstate__(self) -> dict:
        return vars(self) | {"_module": None}

    def __repr__(self) -> str:
        rule = self.settings.get("rule", {}).get("name", "a rule")
        text = f"History({rule}: {int(self.rounds[-1])} rounds, {self.loss.shape[1]} clients, "
        if self.accuracy is None:
            return f"{text}loss mean {self.loss[-1].mean():.4g}, worst client {self.loss[-1].max():.4g})"
        percent = 100 * self.accuracy[-1]
        return f"{text}accuracy mean {percent.mean():.1f} %, worst client {percent.min():.1f} %)"

    def save(self, path: str | Path) -> None:
        """Save everything to one ``.npz`` file, or nothing. Raises ``OSError`` or ``Refused`` if that fails."""
        arrays: dict[str, np.ndarray] = {}
        plain: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "metrics":
                arrays |= {f"{OWN}{name}": values for name, values in value.items()}
            elif not f.init:
                continue
            elif isinstance(value, np.ndarray):
                arrays[f.name] = value
            elif value is not None:
                plain[f.name] = value
        plain["arrays"] = sorted(arrays)  # a flipped bit can hide one of the archive's entries
        with _atomic_files.writing(Path(path)) as file:
            np.savez_compressed(file, plain=json.dumps(plain, default=str), **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | Path) -> "History":
        """The history saved at ``path``.

        Raises ``Refused`` if the file is damaged or holds something else, and ``FileNotFoundError`` if there is none.
        """
        try:
            with np.load(_incoming.regular(_incoming.place(path)), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files if name != "plain"}
                plain = json.loads(str(file["plain"]))
            if plain.pop("arrays", sorted(arrays)) != sorted(arrays):  # 1.0.0 listed none
                raise ValueError(f"it holds only {', '.join(sorted(arrays))}")
            values = plain | arrays
            own = {name.removeprefix(OWN): values.pop(name) for name in [*values] if name.startswith(OWN)}
            values["metrics"] = own
            values["remarks"] = [tuple(r) for r in values.get("remarks", [])]
        except (FileNotFoundError, MemoryError):
            raise
        except Exception as error:  # a damaged file can raise errors of NumPy, zipfile, zlib or json
            raise Refused(
                f"{path} is not a saved History, or is damaged ({error}); delete it and run again, "
                f"or pass a file written by history.save(path)",
                "file",
            ) from error
        allowed = {f.name for f in fields(cls) if f.init}
        for name in values:
            known(f"entry of {path}", name, allowed, "The file was written by another version.")
        values.setdefault("accuracy", None)
        required = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
        if lacking := [name for name in required if name not in values]:
            raise Refused(
                f"{path} is not a saved History: it lacks {', '.join(lacking)}; "
                f"pass a file written by history.save(path)",
                "file",
            )
        return cls(**values)
