"""How do I train personal models with Ditto, and get them back?

Pass `personal=Ditto(...)`. The personal models are then the ones that are scored, and `history.model(client=k)` is client k's.
"""

from fairfl import LocalSGD, data, partition, train
from fairfl.clients import Ditto

federation = partition.dirichlet(data.load("digits"), 8, 0.2, test=0.3, validation=0.2)
local = LocalSGD(lr=0.1, epochs=1, batch_size=16)
settings = dict(rounds=10, local=local, score=["test", "validation"])
common = train(federation, **settings)
own = LocalSGD(lr=0.3, epochs=3, batch_size=16)
tried = {pull: train(federation, personal=Ditto(pull, own), **settings) for pull in (0.01, 0.1, 1.0)}
pull = max(tried, key=lambda pull: tried[pull].validation_accuracy[-1].mean())  # not by the test rows
personal = tried[pull]
print("λ chosen by validation:", pull)
print("common model:   ", common.accuracy[-1].round(2))
print("personal models:", personal.accuracy[-1].round(2))

model, rows = personal.model(client=3), federation.test[3]
outputs = model(federation.dataset.inputs[rows])
print("client 3 again: ", (outputs.argmax(1) == federation.dataset.targets[rows]).double().mean().item())
