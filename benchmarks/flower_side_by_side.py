"""A round of FedAvg on MNIST here and in Flower's simulation, in one run: ``python benchmarks/flower_side_by_side.py``.

100 iid clients, 10 % a round, one local epoch, batch 64, MLP 784-200-200-10; the test set is evaluated centrally each round on both
sides. The figure is the median time between two rounds, so that start-up does not count. Needs
``pip install "flwr[simulation]==1.41.0"`` and MNIST where fairfl finds it. One thread a process; Flower's Ray backend may use
all cores.
"""

import argparse
import os
import statistics
import sys
import time

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH")])
)
os.environ.setdefault("FLWR_TELEMETRY_ENABLED", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import torch

from fairfl import LocalSGD, train

ROUNDS = 10


def our_seconds(fed) -> float:
    """Median seconds between two rounds."""
    times = []

    def watch(updates):
        times.append(time.perf_counter())
        return updates

    train(
        fed,
        "FedAvg",
        "mlp",
        rounds=ROUNDS,
        participation=0.1,
        local=LocalSGD(lr=0.1, batch_size=64),
        tamper=watch,
        progress=False,
    )
    return statistics.median(after - before for before, after in zip(times, times[1:]))


def flower_seconds(fed) -> float:
    """Median seconds between two central evaluations; the first, which waits for Ray to start, is left out."""
    from flower_client import client_fn, fresh
    from flwr.client import ClientApp
    from flwr.common import ndarrays_to_parameters
    from flwr.server import ServerApp, ServerAppComponents, ServerConfig
    from flwr.server.strategy import FedAvg
    from flwr.simulation import run_simulation

    test = fed.dataset.inputs[fed.dataset.test_from :], fed.dataset.targets[fed.dataset.test_from :]

    times = []

    def evaluate(server_round, parameters, config):
        times.append(time.perf_counter())
        with torch.no_grad():
            out = fresh(parameters)(test[0])
        return float(torch.nn.functional.cross_entropy(out, test[1])), {
            "accuracy": float((out.argmax(1) == test[1]).float().mean())
        }

    def server_fn(context):
        start = ndarrays_to_parameters([p.detach().numpy() for p in fresh().parameters()])
        strategy = FedAvg(
            fraction_fit=0.1,
            fraction_evaluate=0.0,
            min_available_clients=100,
            initial_parameters=start,
            evaluate_fn=evaluate,
        )
        return ServerAppComponents(strategy=strategy, config=ServerConfig(num_rounds=ROUNDS))

    run_simulation(
        server_app=ServerApp(server_fn=server_fn),
        client_app=ClientApp(client_fn=client_fn),
        num_supernodes=100,
        backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}},
    )
    return statistics.median(after - before for before, after in zip(times[2:], times[3:]))


def main() -> int:
    torch.set_num_threads(1)
    try:
        import flwr
    except ImportError as error:
        print(f'Flower is not importable here ({error}); pip install "flwr[simulation]==1.41.0", then run this again')
        return 1
    from flower_client import federation

    fed = federation()
    pairs = [(our_seconds(fed), flower_seconds(fed)) for _ in range(3)]
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    print(
        f"Flower {flwr.__version__}: a round here costs {ratios[1]:.3f} of a round there (three pairs: "
        f"{', '.join(f'{r:.3f}' for r in ratios)})"
    )
    return 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(main())
