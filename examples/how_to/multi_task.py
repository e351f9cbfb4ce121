"""How do I use a rule in a multi-task loop of my own, or on a Gram matrix of my own, without a federation?

`backward` puts the rule's direction for K losses into the parameters' `.grad`, and any optimiser steps. `rule.weights_from(gram)` gives weights and rates for a matrix A = G Gᵀ.
"""

import torch
from torch import nn

import fairfl
from fairfl import data, rules

torch.manual_seed(0)
digits = data.load("digits")
trunk = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
heads = [nn.Linear(32, 10), nn.Linear(32, 1)]  # which digit, and how much ink
optimiser = torch.optim.Adam([*trunk.parameters(), *(p for head in heads for p in head.parameters())], lr=0.01)
rule = rules.make("UPGrad")
for _ in range(50):
    hidden = trunk(digits.inputs)
    losses = [
        nn.functional.cross_entropy(heads[0](hidden), digits.targets),
        nn.functional.mse_loss(heads[1](hidden)[:, 0], digits.inputs.mean(1)),
    ]
    optimiser.zero_grad()
    direction = fairfl.backward(losses, trunk.parameters(), rule, heads=[head.parameters() for head in heads])
    optimiser.step()
print("losses:", [loss.item() for loss in losses], "rates:", direction.rates)

gram = torch.tensor([[1.0, -0.5, 0.2], [-0.5, 2.0, 0.1], [0.2, 0.1, 4.0]])
for name in ("FedMGDA", "UPGrad", "PCGrad"):
    decided = rules.make(name).weights_from(gram)
    print(name, "weights", decided.values, "rates", decided.rates)
