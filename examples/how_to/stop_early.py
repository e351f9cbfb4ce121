"""How do I stop early, keep the best model, and log a run?

Pass callbacks to `train(on_round=...)`: `BestModel`, `EarlyStop` and `TensorBoard` of `fairfl.training`, or a function of your own that gets a `Round`. The validation rows decide, so name them in `score`.
"""

from fairfl import LocalSGD, data, partition, train
from fairfl.errors import NotInstalled
from fairfl.training import BestModel, Compose, EarlyStop, TensorBoard

federation = partition.dirichlet(data.load("digits"), 5, 0.5, test=0.2, validation=0.2)
best = BestModel(by="worst")
callbacks = [best, EarlyStop(patience=5, by="worst")]
try:
    callbacks.append(TensorBoard("tensorboard"))  # then: tensorboard --logdir tensorboard
except NotInstalled as error:
    print(error)


def log(round):
    if round.scores is not None:
        print(round.round, round.scores["validation"]["accuracy"].min().round(3))


history = train(
    federation,
    "FedMGDA",
    rounds=100,
    local=LocalSGD(lr=0.5, epochs=2, batch_size=32),
    score=["test", "validation"],
    on_round=Compose(*callbacks, log),
)
print(f"stopped after {history.rounds[-1]} rounds; best in round {best.round}: {best.score:.3f}")
print("test accuracies of the best model:", history.accuracy[best.round + 1].round(3))  # row 0: the initial model
model = history.model(parameters=best.parameters)
