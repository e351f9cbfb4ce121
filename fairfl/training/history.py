"""``History``: what a run leaves behind."""

import json
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path

import numpy as np

from fairfl import _atomic_files, metrics
from fairfl._validation import integer
from fairfl.errors import Refused, unknown


@dataclass
class History:
    """One run (one seed) as arrays. E evaluations, N clients, T rounds.

    ``rounds`` (E,): completed rounds at each evaluation, from 0 (the initial model). ``accuracy``, ``loss`` (E, N): on
    the clients' test rows, accuracies from 0 to 1 (``None`` where targets are numbers: the losses are then the scores).
    ``train_accuracy``, ``train_loss`` and ``validation_accuracy``, ``validation_loss`` (E, N): only if ``train(...,
    score=…)`` asked for them. ``participants`` (T, K): whose updates the rule saw, −1 in place of each
    that a tamper dropped where other rounds have more. ``direction_norm`` (T,): ``‖dir‖``.
    ``smallest_rate`` (T,): ``min_k ρ_k``, NaN where the rule gives no rates; negative means that this step sacrificed
    somebody, to first order. ``remarks``: (round, reason) where a rule had to deviate from its own formula.
    ``parameters`` (d,): the reported model at the end. ``test_sizes`` (N,). ``settings``: everything that was set.
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
    remarks: list = field(default_factory=list)
    settings: dict = field(default_factory=dict)
    seconds: float = 0.0

    def summary(self, percent: float = 10, last: int = 1) -> dict[str, float]:
        """The fairness table's row, from the ``last`` evaluations' average: of accuracies, in percent; or of losses
        (``metrics.loss_summary``). Raises ``Refused`` for a ``last`` below 1 and a ``percent`` outside 0 to 100.
        """
        last = integer("last", last, 1, "It is the number of evaluations that are averaged.")
        if self.accuracy is None:
            return metrics.loss_summary(self.loss[-last:].mean(0), percent)
        return metrics.summary(self.accuracy[-last:].mean(0), self.test_sizes, percent)

    def __repr__(self) -> str:
        rule = self.settings.get("rule", {}).get("name", "a rule")
        told = f"History({rule}: {int(self.rounds[-1])} rounds, {self.loss.shape[1]} clients, "
        if self.accuracy is None:
            return f"{told}loss mean {self.loss[-1].mean():.4g}, worst client {self.loss[-1].max():.4g})"
        percent = 100 * self.accuracy[-1]
        return f"{told}accuracy mean {percent.mean():.1f} %, worst client {percent.min():.1f} %)"

    def save(self, path: str | Path) -> None:
        """Everything in one ``.npz`` file, written whole or not at all. Raises ``OSError`` where it cannot be."""
        arrays, plain = {}, {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, np.ndarray):
                arrays[f.name] = value
            elif value is not None:
                plain[f.name] = value
        path = Path(path)
        with _atomic_files.writing(path) as file:
            np.savez_compressed(file, plain=json.dumps(plain, default=str), **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | Path) -> "History":
        """The history saved at ``path``. Raises ``Refused`` if the file holds something else or is damaged, and
        ``FileNotFoundError`` if there is none.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                values = json.loads(str(file["plain"])) | {name: file[name] for name in file.files if name != "plain"}
            values["remarks"] = [tuple(r) for r in values.get("remarks", [])]
        except FileNotFoundError:
            raise
        except Exception as error:  # of NumPy, zipfile, zlib and json, whichever stumbles over a damaged file first
            raise Refused(
                f"{path} is not a saved History, or not a whole one ({error}); delete it and run again, "
                f"or give a file that history.save(path) made"
            ) from error
        allowed = {f.name for f in fields(cls)}
        for name in values:
            if name not in allowed:
                raise unknown(f"entry of {path}", name, allowed, "The file was written by another version.")
        values.setdefault("accuracy", None)
        without = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
        if lacking := [name for name in without if name not in values]:
            raise Refused(
                f"{path} is not a saved History: it lacks {', '.join(lacking)}; "
                f"give a file that history.save(path) made"
            )
        return cls(**values)
