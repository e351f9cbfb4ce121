"""Rules that no paper proposes and tables still need."""

import torch

from fairfl.errors import refuse
from fairfl.rules import GramRule


class OneClient(GramRule):
    """``dir = g_k`` for one ``client`` k: the model that this client would train alone, tried on everybody. No state.

    FedMGDA+'s Table 7 has it as "Baseline". Raises ``ValueError`` in a round that the client sits out.
    """

    def __init__(self, client: int):
        self.client = int(client)

    def weights(self, gram, updates):
        if self.client not in updates.clients.tolist():
            raise refuse("the one client", self.client, f"a client of this round: {updates.clients.tolist()}", "Use full participation.")
        return (updates.clients == self.client).to(torch.float64)
