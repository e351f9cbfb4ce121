"""What the server does with a round: one step, the same for a simulation, for Flower and for anybody's deployment.

In: clients' replies, or ``Updates`` that are sound already. Out: the model's next weights, and a record of the round:
who took part, who was refused and why. ``ServerStep`` holds a rule, a model and what both remember; ``Server`` says how
a direction becomes a step. ``Coordinator`` has replies checked before, ``Member`` is the client's side of it. Knows
nothing of networks: ``fairfl.deployment.flower`` carries these messages.
"""

from fairfl.deployment.collect import collect
from fairfl.deployment.coordinator import Coordinator, RoundRecord
from fairfl.deployment.member import Member
from fairfl.deployment.reply import Refusal, Reply

__all__ = ["Coordinator", "Member", "Refusal", "Reply", "RoundRecord", "collect"]
