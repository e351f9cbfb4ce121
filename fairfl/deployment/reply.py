"""``Reply``: what came back from one client in one round, before anybody has looked at it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairfl.deployment.sanitise import quoted, told


@dataclass(frozen=True)
class Reply:
    """One client's answer, as the transport handed it over. Nothing in it has been checked.

    ``sender``: who the transport says it came from ("node 17"). ``client``: the number that it gives itself, 0 …
    population − 1. ``arrays``: its model after local training, by parameter name; arrays or tensors of the parameters'
    shapes. ``size``: how many rows it trained on. ``numbers``: what else the rule asked for, by name ("losses",
    "accuracies"). ``error``: why there is no answer, if the transport reports a failure instead of one.
    """

    sender: str = ""
    client: int | None = None
    arrays: Mapping[str, object] = field(default_factory=dict)
    size: float | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def who(self) -> str:
        """How a person would name the sender, in printable words."""
        names = [] if self.client is None else [f"client {quoted(self.client)}"]
        return ", ".join(names + [name for name in [told(self.sender)] if name]) or "an unnamed sender"


class NotFinite(str):
    """A reason to refuse a reply: its numbers are not finite. Then the model that the client was given may be lost."""


@dataclass(frozen=True)
class Refusal:
    """A reply that was left out of the round: whose, and why, in words that follow "it"."""

    who: str
    reason: str
