"""Convert between Flower's messages and this package's records. No decision is made here."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, MetricRecord, RecordDict

from fairfl.deployment.reply import Reply
from fairfl.deployment.sanitise import last_line

MODEL, TASK, NUMBERS, MEMORY = "arrays", "config", "metrics", "fairfl-memory"
SUPERLINK = 1


def to_record(arrays: Mapping[str, Any]) -> ArrayRecord:
    """Tensors by parameter name, as a record to send."""
    return ArrayRecord({name: Array(np.asarray(value)) for name, value in arrays.items()})


def to_content(reply: Reply) -> RecordDict:
    """A client's reply as content to send: its model, and one record of numbers."""
    numbers = {"client": reply.client, "num-examples": reply.size, **reply.numbers}
    known = {name: value for name, value in numbers.items() if value is not None}  # Flower's records have no None
    return RecordDict({MODEL: to_record(reply.arrays), NUMBERS: MetricRecord(known)})


def sender_of(message: Message) -> str:
    """The sender of a message.

    For a node that is gone, the SuperLink (number 1) answers and does not say for which node.
    """
    node = message.metadata.src_node_id
    return "a node that is gone" if node == SUPERLINK else f"node {node}"


def to_reply(message: Message, roster: Mapping[int, int] | None = None) -> Reply:
    """The reply in a message, unchecked. A message that cannot be read becomes a reply with an ``error``.

    ``roster``: node → client number; if given, the client number in the reply itself is ignored.
    """
    sender = sender_of(message)
    if message.has_error():
        return Reply(sender, error=last_line(message.error.reason) or f"error {message.error.code}")
    try:
        numbers = dict(message.content.metric_records.get(NUMBERS, {}))
        client, size = numbers.pop("client", None), numbers.pop("num-examples", None)
        client = client if roster is None else roster.get(message.metadata.src_node_id)
        arrays = {name: array.numpy() for name, array in message.content.array_records.get(MODEL, {}).items()}
    except Exception as error:  # foreign bytes can make numpy raise anything, and only this reply is unreadable
        return Reply(sender, error=f"unreadable ({type(error).__name__}: {last_line(str(error))})")
    return Reply(sender, client, arrays, size, numbers)


def remember(context: Context, memory: dict) -> None:
    """Keep a client's memory in its node's own state, which Flower returns with the next message."""
    buffer = io.BytesIO()
    torch.save(memory, buffer)
    context.state[MEMORY] = ConfigRecord({"bytes": buffer.getvalue()})


def recall(context: Context) -> dict:
    """The memory that ``remember`` kept; empty at first."""
    held = context.state.config_records.get(MEMORY)
    return {} if held is None else torch.load(io.BytesIO(held["bytes"]), weights_only=True)
