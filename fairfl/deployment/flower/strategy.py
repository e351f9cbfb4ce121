"""``FairStrategy``: a ``Coordinator`` behind Flower's ``Strategy`` interface. Needs ``flwr``."""

import time
from collections.abc import Iterable, Mapping
from logging import INFO, WARNING

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord, RecordDict
from flwr.common import log
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Strategy

from fairfl._validation import integer, number
from fairfl.deployment.caps import shortened
from fairfl.deployment.coordinator import Coordinator
from fairfl.deployment.flower.records import MODEL, TASK, to_record, to_reply
from fairfl.deployment.reported_scores import scores_of
from fairfl.deployment.sampling import nodes_of, refuse_two_samples, sampled


class FairStrategy(Strategy):
    """Any rule of this package as a Flower strategy (message API).

    ``coordinator``: the rule, the model and their memory. ``wait_for``: how many nodes must be connected before the
    first round (by default the whole population); later rounds run with the nodes that are connected, as long as there
    are ``coordinator.quorum`` of them. ``evaluate``: whether clients score the reported model after each round.
    ``roster``: Flower's node number → client number, for authenticated nodes; without it, the client number in a reply
    is trusted.

    Who is asked in a round is drawn in one of two ways. By default all connected nodes are asked.

    - By client: the coordinator's ``participation``, the same argument as in ``train``, draws clients, and the
      ``roster``, which is needed for this, says which nodes they are. A drawn client whose node is not connected is
      missing.
    - By node, as in Flower's FedAvg: ``fraction_train`` of the connected nodes, but at least ``min_train_nodes``. The
      draw is keyed by ``seed`` and the round. Without a ``roster`` it is unknown which clients a sample of nodes
      represents, so no client is reported as missing.

    In both, a round waits until ``min_available_nodes`` are connected.

    The coordinator decides from which model clients start, so ``initial_arrays`` of ``start`` is ignored
    (``strategy.initial`` fits there). ``start`` returns the model that the method reports.

    ``scores``: (round, accuracies (N,), losses (N,)) after each round, NaN for clients that did not answer. ``unread``:
    (round, sender, reason) of scores that were left out.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        *,
        wait_for: int | None = None,
        evaluate: bool = True,
        roster: Mapping[int, int] | None = None,
        fraction_train: float = 1.0,
        min_train_nodes: int = 1,
        min_available_nodes: int = 1,
        seed: int = 0,
    ) -> None:
        remedy = "It is the fraction of the connected nodes that a round asks."
        self.fraction_train = number("fraction_train", fraction_train, 0, 1, remedy)
        self.min_train_nodes = integer("min_train_nodes", min_train_nodes, 1, "A round asks at least one node.")
        self.min_available_nodes = integer("min_available_nodes", min_available_nodes, 1, "A round needs nodes.")
        self.seed = integer("seed", seed)
        refuse_two_samples(coordinator, roster, self.fraction_train, self.min_train_nodes)
        self._asked: list[int] | None = None
        self.coordinator, self.evaluate, self.roster = coordinator, evaluate, roster
        self.wait_for = coordinator.population if wait_for is None else wait_for
        self.scores: list[tuple[int, np.ndarray, np.ndarray]] = []
        self.unread: list[tuple[int, str, str]] = []

    @property
    def initial(self) -> ArrayRecord:
        """The current model, for ``strategy.start(grid, strategy.initial, ...)``."""
        return to_record(self.coordinator.arrays())

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        c = self.coordinator
        task = ConfigRecord({**config, "round": c.round, "needs": ",".join(c.needs)})
        enough = max(self.min_available_nodes, self.wait_for if c.round == 0 else c.quorum)
        here = _nodes(grid, enough)
        if c.asks_everyone:
            nodes = sampled(here, self.fraction_train, max(self.min_train_nodes, c.quorum), self.seed, c.round)
            self._asked = nodes if len(nodes) < len(here) else None
        else:
            nodes = nodes_of(c.asked, here, self.roster or {})
        return _to_each(nodes, MessageType.TRAIN, to_record(c.arrays()), task)

    def aggregate_train(self, server_round: int, replies: Iterable[Message]) -> tuple[ArrayRecord, MetricRecord]:
        sent = [to_reply(message, self.roster) for message in replies]
        asked = None
        if self._asked is not None:
            roster = self.roster or {}
            asked = [roster[node] for node in self._asked if node in roster]
        record = self.coordinator.receive(sent, asked)
        log(WARNING if record.skipped or record.refused or record.missing else INFO, "%s", record)
        numbers = {"clients": len(record.clients), "refused": len(record.refused), "missing": len(record.missing)}
        return to_record(self.coordinator.arrays(reported=True)), MetricRecord(numbers)

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        if not self.evaluate:
            return []
        return _to_each(
            _nodes(grid, 1), MessageType.EVALUATE, to_record(self.coordinator.arrays(reported=True)), config
        )

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        if not self.evaluate:
            return None
        done = self.coordinator.round
        sent = [to_reply(message, self.roster) for message in replies]
        accuracy, loss, unread = scores_of(sent, self.coordinator.population)
        self.unread += [(done, refusal.who, refusal.reason) for refusal in shortened(unread)]
        self.scores.append((done, accuracy, loss))
        if np.isnan(loss).all():
            return None
        return MetricRecord(
            {
                "accuracy": float(np.nanmean(accuracy)),
                "worst accuracy": float(np.nanmin(accuracy)),
                "loss": float(np.nanmean(loss)),
            }
        )

    def summary(self) -> None:
        c = self.coordinator
        log(
            INFO,
            "rule %s, %d clients, quorum %d, next round %d of %d",
            c.rule,
            c.population,
            c.quorum,
            c.round,
            c.rounds,
        )

    def state_dict(self) -> dict:
        """The coordinator's state and the scores so far."""
        return {
            "coordinator": self.coordinator.state_dict(),
            "unread": list(self.unread),
            "scores": [(done, accuracy.tolist(), loss.tolist()) for done, accuracy, loss in self.scores],
        }

    def load_state_dict(self, state: dict) -> None:
        """Continue from ``state``; ``start`` then needs only the remaining rounds."""
        self.coordinator.load_state_dict(state["coordinator"])
        self.unread = [tuple(entry) for entry in state["unread"]]
        self.scores = [(done, np.array(accuracy), np.array(loss)) for done, accuracy, loss in state["scores"]]


def _nodes(grid: Grid, at_least: int) -> list[int]:
    """The connected nodes, as soon as there are enough of them."""
    while len(nodes := sorted(grid.get_node_ids())) < at_least:
        log(INFO, "waiting for nodes: %d of %d are connected", len(nodes), at_least)
        time.sleep(1)
    return nodes


def _to_each(nodes: Iterable[int], kind: str, arrays: ArrayRecord, task: ConfigRecord) -> list[Message]:
    content = RecordDict({MODEL: arrays, TASK: task})
    return [Message(content=content, message_type=kind, dst_node_id=node) for node in nodes]
