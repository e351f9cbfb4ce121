"""How do I use a model and a loss of my own?

A model is a function (shape of a row, number of classes) → module, and the seed determines its initial weights. A loss is a function (outputs, targets) → one loss per row.
"""

from torch import nn

from fairfl import LocalSGD, data, partition, train


def convolutional(shape, classes):
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, 8, 3, padding=1),
        nn.GroupNorm(2, 8),  # running statistics would belong to no client, so BatchNorm is refused
        nn.ReLU(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(8 * 4 * 4, classes),
    )


def focal(outputs, targets):
    cross_entropy = nn.functional.cross_entropy(outputs, targets, reduction="none")
    return (1 - (-cross_entropy).exp()) ** 2 * cross_entropy


federation = partition.dirichlet(data.load("digits"), 5, 0.5, test=0.3)
local = LocalSGD(lr=0.2, epochs=2, batch_size=16)
history = train(federation, "FedMGDA", convolutional, loss=focal, rounds=8, local=local)
print(history)

model = history.model()  # the trained module, in evaluation mode
print(model(federation.dataset.inputs[:3]).argmax(1), federation.dataset.targets[:3])
