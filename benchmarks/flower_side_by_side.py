"""A round of FedAvg on MNIST here and in Flower's simulation, in one run: ``python benchmarks/flower_side_by_side.py``.

100 iid clients, 10 % a round, one local epoch, batch 64, MLP 784-200-200-10; the test set is evaluated centrally each round on both
sides. Flower's clients are what its documentation shows: a PyTorch loop over the client's own tensors, weights sent as arrays. Needs
``pip install "flwr[simulation]==1.41.0"`` and MNIST where fairfl finds it. One thread a process; Flower's Ray backend may use
all cores.
"""

import argparse
import os
import sys
import time

os.environ.setdefault("FLWR_TELEMETRY_ENABLED", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import torch

from fairfl import LocalSGD, data, models, partition, train

SHORT, LONG = 2, 8


def federation():
    return partition.iid(data.load("mnist"), 100, scored_on="official")


def our_seconds(fed) -> float:
    def run(rounds):
        begun = time.perf_counter()
        train(fed, "FedAvg", "mlp", rounds=rounds, participation=0.1, local=LocalSGD(lr=0.1, batch_size=64), progress=False)
        return time.perf_counter() - begun

    return (run(LONG) - run(SHORT)) / (LONG - SHORT)


def local_epoch(model, inputs, targets):
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for rows in torch.randperm(len(targets)).split(64):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs[rows]), targets[rows]).backward()
        optimiser.step()


def flower_seconds(fed) -> float:
    from flwr.client import ClientApp, NumPyClient
    from flwr.common import Context, ndarrays_to_parameters
    from flwr.server import ServerApp, ServerAppComponents, ServerConfig
    from flwr.server.strategy import FedAvg
    from flwr.simulation import run_simulation

    dataset = fed.dataset
    held = [(dataset.inputs[rows], dataset.targets[rows]) for rows in fed.train]
    test = dataset.inputs[dataset.test_from:], dataset.targets[dataset.test_from:]

    def fresh(weights=None):
        model = models.build("mlp", dataset)
        if weights is not None:
            with torch.no_grad():
                for p, w in zip(model.parameters(), weights):
                    p.copy_(torch.as_tensor(w))
        return model

    class Client(NumPyClient):
        def __init__(self, inputs, targets):
            self.inputs, self.targets = inputs, targets

        def fit(self, parameters, config):
            torch.set_num_threads(1)
            model = fresh(parameters)
            local_epoch(model, self.inputs, self.targets)
            return [p.detach().numpy() for p in model.parameters()], len(self.targets), {}

    def client_fn(context: Context):
        return Client(*held[int(context.node_config["partition-id"])]).to_client()

    def evaluate(server_round, parameters, config):
        with torch.no_grad():
            out = fresh(parameters)(test[0])
        return float(torch.nn.functional.cross_entropy(out, test[1])), {"accuracy": float((out.argmax(1) == test[1]).float().mean())}

    def run(rounds):
        def server_fn(context: Context):
            start = ndarrays_to_parameters([p.detach().numpy() for p in fresh().parameters()])
            strategy = FedAvg(fraction_fit=0.1, fraction_evaluate=0.0, min_available_clients=100, initial_parameters=start,
                              evaluate_fn=evaluate)
            return ServerAppComponents(strategy=strategy, config=ServerConfig(num_rounds=rounds))

        begun = time.perf_counter()
        run_simulation(server_app=ServerApp(server_fn=server_fn), client_app=ClientApp(client_fn=client_fn), num_supernodes=100,
                       backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}})
        return time.perf_counter() - begun

    return (run(LONG) - run(SHORT)) / (LONG - SHORT)


def main() -> int:
    torch.set_num_threads(1)
    try:
        import flwr
    except ImportError as error:
        print(f'Flower is not importable here ({error}); pip install "flwr[simulation]==1.41.0", then run this again')
        return 1
    fed = federation()
    pairs = [(our_seconds(fed), flower_seconds(fed)) for _ in range(3)]
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    print(f"Flower {flwr.__version__}: a round here costs {ratios[1]:.3f} of a round there (three pairs: "
          f"{', '.join(f'{r:.3f}' for r in ratios)})")
    return 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(main())
