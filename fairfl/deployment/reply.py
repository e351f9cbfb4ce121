"""``Reply``: one client's answer in one round, before any check."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairfl.deployment.sanitise import quoted, readable


@dataclass(frozen=True)
class Reply:
    """One client's answer, as the transport delivered it. Nothing in it has been checked.

    ``sender``: the origin, according to the transport ("node 17"). ``client``: the number that the client claims, 0 …
    population − 1. ``arrays``: its model after local training, by parameter name; arrays or tensors of the parameters'
    shapes. ``size``: the number of rows it trained on. ``numbers``: the further numbers that the rule needs, by name
    ("losses", "accuracies"). ``error``: why there is no answer, if the transport reports a failure instead.
    """

    sender: str = ""
    client: int | None = None
    arrays: Mapping[str, object] = field(default_factory=dict)
    size: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def who(self) -> str:
        """The sender's name for messages, in printable characters."""
        names = [] if self.client is None else [f"client {quoted(self.client)}"]
        return ", ".join(names + [name for name in [readable(self.sender)] if name]) or "an unnamed sender"


class NotFinite(str):
    """A reason to refuse a reply: its numbers are not finite, so the model that the client was given may be ruined."""


@dataclass(frozen=True)
class Refusal:
    """A reply that was left out of the round: ``who`` sent it, and the ``reason`` in words that follow "it"."""

    who: str
    reason: str
