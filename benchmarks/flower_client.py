"""The clients of ``flower_side_by_side.py``, in a module of their own so that each of Flower's workers loads the data once."""

from functools import cache

import torch
from flwr.client import NumPyClient

from fairfl import data, models, partition


@cache
def federation():
    return partition.iid(data.load("mnist"), 100, scored_on="official")


def fresh(weights=None):
    model = models.build("mlp", federation().dataset)
    if weights is not None:
        with torch.no_grad():
            for p, w in zip(model.parameters(), weights):
                p.copy_(torch.as_tensor(w))
    return model


class Client(NumPyClient):
    """One local epoch of plain PyTorch, batch 64, as Flower's documentation shows it."""

    def __init__(self, partition_id: int):
        rows, dataset = federation().train[partition_id], federation().dataset
        self.inputs, self.targets = dataset.inputs[rows], dataset.targets[rows]

    def fit(self, parameters, config):
        torch.set_num_threads(1)
        model = fresh(parameters)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        for rows in torch.randperm(len(self.targets)).split(64):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(model(self.inputs[rows]), self.targets[rows]).backward()
            optimiser.step()
        return [p.detach().numpy() for p in model.parameters()], len(self.targets), {}


def client_fn(context):
    return Client(int(context.node_config["partition-id"])).to_client()
