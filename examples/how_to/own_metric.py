"""How do I score a metric of my own, such as equalised odds, and on which rows?

Give `score` a dictionary of functions (outputs, targets, columns) → number, beside the names of the parts: "test", "train" or "validation". `columns` has the dataset's columns, such as sex, for the client's rows.
"""

import torch

from fairfl import Dataset, LocalSGD, partition, train


def equalised_odds(outputs, targets, columns):
    """The larger of the gaps between the sexes in true and in false positives; NaN where a client lacks a group."""
    positive, sex = outputs.argmax(1) == 1, columns["sex"]
    share = lambda of, y: positive[(sex == of) & (targets == y)].double().mean()
    return max(abs(share(0, y) - share(1, y)) for y in (0, 1))


# Made-up people in two groups. UCI Adult has the same column: adult = data.load("adult") with FAIRFL_DATA.
g = torch.Generator().manual_seed(0)
sex, targets = torch.randint(2, (1000,), generator=g), torch.randint(2, (1000,), generator=g)
inputs = torch.randn(1000, 4, generator=g) + (targets + 0.5 * sex)[:, None]
people = Dataset(inputs, targets, ("no", "yes"), columns={"sex": sex}, column_names={"sex": ("Female", "Male")})
federation = partition.iid(people, 3, test=0.3, validation=0.2)

score = ["test", "validation", {"equalised_odds": equalised_odds}]
history = train(federation, "FedAvg", rounds=10, local=LocalSGD(lr=0.5), score=score)
print(history.to_frame().tail(len(federation)).T.round(3))  # all scores of the last round, a column per client
print("on the validation rows:", history.metrics["validation_equalised_odds"][-1])
