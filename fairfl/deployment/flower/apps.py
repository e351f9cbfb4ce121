"""``client_app`` and ``server_app``, the two programs that Flower runs, made from a ``Member`` and a ``FairStrategy``.

Needs ``flwr``.
"""

from collections.abc import Callable

from flwr.app import Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp

from fairfl.deployment.flower.records import MODEL, NUMBERS, TASK, recall, remember, to_content
from fairfl.deployment.flower.strategy import FairStrategy
from fairfl.deployment.member import Member
from fairfl.deployment.reply import Reply


def client_app(
    member_of: Callable[[Context], Member], tamper: Callable[[Reply, int, Context], Reply] | None = None
) -> ClientApp:
    """The program of a SuperNode. ``member_of(context)`` builds this node's ``Member``, usually from
    ``context.node_config``.

    ``tamper(reply, round, context)`` returns what a faulty client would send instead, for tests.
    """
    app = ClientApp()

    @app.train()
    def train(message: Message, context: Context) -> Message:
        member, task = member_of(context), message.content[TASK]
        member.memory = recall(context)
        needs = [name for name in task["needs"].split(",") if name]
        reply = member.work(_arrays(message), task["round"], needs)
        if tamper is not None:
            reply = tamper(reply, task["round"], context)
        if member.memory:
            remember(context, member.memory)
        return Message(content=to_content(reply), reply_to=message)

    @app.evaluate()
    def evaluate(message: Message, context: Context) -> Message:
        member = member_of(context)
        scores = {"client": member.client, "num-examples": len(member.test), **member.score(_arrays(message))}
        return Message(content=RecordDict({NUMBERS: MetricRecord(scores)}), reply_to=message)

    return app


def server_app(
    strategy_of: Callable[[Context], FairStrategy],
    *,
    timeout: float = 600,
    finish: Callable[[FairStrategy, Context], None] | None = None,
) -> ServerApp:
    """The program of the SuperLink, which runs the coordinator's remaining rounds.

    ``timeout``: how many seconds a round waits for answers. ``finish(strategy, context)`` is called at the end, for
    instance to save the model.
    """
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:
        strategy = strategy_of(context)
        left = strategy.coordinator.rounds - strategy.coordinator.round
        strategy.start(grid=grid, initial_arrays=strategy.initial, num_rounds=left, timeout=timeout)
        if finish is not None:
            finish(strategy, context)

    return app


def _arrays(message: Message) -> dict:
    return {name: array.numpy() for name, array in message.content[MODEL].items()}
