"""Between Flower's messages and this package's records. Nothing here decides anything."""

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
    """Tensors by parameter name, for the wire."""
    return ArrayRecord({name: Array(np.asarray(value)) for name, value in arrays.items()})


def to_content(reply: Reply) -> RecordDict:
    """A client's reply, for the wire: its model, and one record of numbers."""
    numbers = {"client": reply.client, "num-examples": reply.size, **reply.numbers}
    known = {name: value for name, value in numbers.items() if value is not None}  # Flower has no word for "none"
    return RecordDict({MODEL: to_record(reply.arrays), NUMBERS: MetricRecord(known)})


def sender_of(message: Message) -> str:
    """Who a message is from.

    For a node that is gone, the SuperLink (number 1) answers in its place and does not say whose.
    """
    node = message.metadata.src_node_id
    return "a node that is gone" if node == SUPERLINK else f"node {node}"


def to_reply(message: Message, roster: Mapping[int, int] | None = None) -> Reply:
    """What came in, as it came. A message that cannot be read at all becomes a reply with an ``error``.

    ``roster``: node → client number; with it a reply's own idea of its number is not asked for.
    """
    sender = sender_of(message)
    if message.has_error():
        return Reply(sender, error=last_line(message.error.reason) or f"error {message.error.code}")
    try:
        numbers = dict(message.content.metric_records.get(NUMBERS, {}))
        client, size = numbers.pop("client", None), numbers.pop("num-examples", None)
        client = client if roster is None else roster.get(message.metadata.src_node_id)
        arrays = {name: array.numpy() for name, array in message.content.array_records.get(MODEL, {}).items()}
    except Exception as error:  # whatever a stranger's bytes make numpy say, it is this reply that is unreadable
        return Reply(sender, error=f"unreadable ({type(error).__name__}: {last_line(str(error))})")
    return Reply(sender, client, arrays, size, numbers)


def remember(context: Context, memory: dict) -> None:
    """Keep a client's memory in its node's own state, which Flower hands back with the next message."""
    buffer = io.BytesIO()
    torch.save(memory, buffer)
    context.state[MEMORY] = ConfigRecord({"bytes": buffer.getvalue()})


def recall(context: Context) -> dict:
    """What ``remember`` kept; empty at first."""
    held = context.state.config_records.get(MEMORY)
    return {} if held is None else torch.load(io.BytesIO(held["bytes"]), weights_only=True)
