"""Federations on real machines: the server's side, the client's side, and the checks between them.

In: clients' replies. Out: the model's next weights, and a record of the round: which clients took part, which were
refused and why. ``Coordinator`` checks replies and then takes the same ``ServerStep`` as ``train``; ``Member`` is the
client's side. This subpackage knows nothing of networks: ``fairfl.deployment.flower`` carries its messages, and
``fairfl.deployment.secure_sums`` simulates sums that hide the clients' rows.
"""

from fairfl.deployment.caps import Caps
from fairfl.deployment.collect import collect
from fairfl.deployment.coordinator import Coordinator, RoundRecord
from fairfl.deployment.member import Member
from fairfl.deployment.reply import Refusal, Reply

__all__ = ["Caps", "Coordinator", "Member", "Refusal", "Reply", "RoundRecord", "collect"]
