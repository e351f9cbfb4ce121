"""How do I get one round's updates, and the weights and rates of every round?

`clients.updates` gives what the clients send in one round, without a training. A history has `weights` and `rates` of all rounds, and `on_round` shows each round with its updates.
"""

import torch

from fairfl import LocalSGD, clients, data, partition, rules, train

federation = partition.dirichlet(data.load("digits"), 6, 0.3, test=0.3)
local = LocalSGD(lr=0.1, epochs=2, batch_size=16)
rule = rules.make("AdaFed")
updates = clients.updates(federation, "logistic", local=local, needs=rule.needs)
print(updates.gradients.shape, rule.direction(updates).rates)  # (clients, parameters)

lengths = []  # every client's ‖g_k‖ in every round


def measure(round):
    lengths.append(torch.linalg.vector_norm(round.updates.gradients, dim=1))


history = train(federation, rule, "logistic", rounds=8, local=local, on_round=measure)
print("the last round: λ", history.weights[-1].round(2), "ρ", history.rates[-1].round(3), "‖g‖", lengths[-1])

# The same after training: what would the clients send from the final model?
later = clients.updates(federation, "logistic", local=local, parameters=torch.tensor(history.parameters))
print(torch.linalg.vector_norm(later.gradients, dim=1))
