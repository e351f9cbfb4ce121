"""The clients of ``peer_flower.py``, in a module of their own so that each of Flower's workers makes the images once."""

from functools import cache

import peers
import torch
from flwr.client import NumPyClient


def fresh(model: str, weights=None) -> torch.nn.Module:
    net = peers.MODELS[model]()
    if weights is not None:
        with torch.no_grad():
            for parameter, given in zip(net.parameters(), weights):
                parameter.copy_(torch.as_tensor(given))
    return net


@cache
def split() -> torch.Tensor:
    """The rows of each client, (clients, rows)."""
    rows = peers.CLIENTS * peers.EACH
    return torch.randperm(rows, generator=torch.Generator().manual_seed(0)).view(peers.CLIENTS, peers.EACH)


class Client(NumPyClient):
    """One local epoch of plain PyTorch, as Flower's documentation shows it."""

    def __init__(self, number: int):
        self.inputs, self.targets = peers.inputs()[split()[number]], peers.images()[1][split()[number]]

    def fit(self, parameters, config):
        torch.set_num_threads(1)
        net = fresh(config["model"], parameters)
        optimiser = torch.optim.SGD(net.parameters(), lr=peers.LR)
        for rows in torch.randperm(len(self.targets)).split(peers.BATCH):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(net(self.inputs[rows]), self.targets[rows]).backward()
            optimiser.step()
        return [p.detach().numpy() for p in net.parameters()], len(self.targets), {}


def client_fn(context):
    return Client(int(context.node_config["partition-id"])).to_client()
