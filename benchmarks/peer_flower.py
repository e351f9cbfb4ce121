"""The task of ``peers.py`` in Flower's simulation, which runs its clients in Ray's workers.

Users set the number of parallel workers through the processors per client. The comparison uses the setting of ``TRIED``
with the shortest wall-clock time. FAIRFL_FLOWER=1 uses that number of processors without trying others.
"""

import os
import statistics
from functools import cache

import peers
import torch

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH")])
)
os.environ.setdefault("FLWR_TELEMETRY_ENABLED", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

ours = peers.ours
TRIED = tuple(map(float, os.environ.get("FAIRFL_FLOWER", "1 2 0.5").split()))


def simulated(model: str, rounds: int, processors: float) -> peers.Clock:
    from flwr.client import ClientApp
    from flwr.common import ndarrays_to_parameters
    from flwr.server import ServerApp, ServerAppComponents, ServerConfig
    from flwr.server.strategy import FedAvg
    from flwr.simulation import run_simulation
    from peer_flower_client import client_fn, fresh

    border = peers.CLIENTS * peers.EACH
    inputs, targets = peers.inputs()[border:], peers.images()[1][border:]
    clock = peers.Clock()

    def evaluate(server_round, parameters, config):
        net, losses, right = fresh(model, parameters), [], []
        with torch.no_grad():
            for x, y in zip(inputs.split(1024), targets.split(1024)):
                out = net(x)
                losses.append(torch.nn.functional.cross_entropy(out, y, reduction="sum"))
                right.append((out.argmax(1) == y).sum())
        clock.mark()
        return float(sum(losses) / len(targets)), {"accuracy": float(sum(right) / len(targets))}

    def server_fn(context):
        strategy = FedAvg(
            fraction_fit=peers.TAKING_PART / peers.CLIENTS,
            fraction_evaluate=0.0,
            min_available_clients=peers.CLIENTS,
            initial_parameters=ndarrays_to_parameters([p.detach().numpy() for p in fresh(model).parameters()]),
            on_fit_config_fn=lambda server_round: {"model": model},
            evaluate_fn=evaluate,
        )
        return ServerAppComponents(strategy=strategy, config=ServerConfig(num_rounds=rounds))

    run_simulation(
        server_app=ServerApp(server_fn=server_fn),
        client_app=ClientApp(client_fn=client_fn),
        num_supernodes=peers.CLIENTS,
        backend_config={"client_resources": {"num_cpus": processors, "num_gpus": 0.0}},
    )
    # The start is scored as well, and Ray's workers start in the first round.
    clock.marks = clock.marks[1:]
    return clock


@cache
def best(model: str) -> float:
    """The number of processors per client with the shortest median wall-clock time."""
    if len(TRIED) == 1:
        return TRIED[0]
    seconds = {n: statistics.median(wall for wall, _ in simulated(model, 4, n).rounds()) for n in TRIED}
    return min(seconds, key=seconds.get)


def theirs(model: str, rounds: int) -> peers.Clock:
    return simulated(model, rounds, best(model))


def note(model: str) -> str:
    return f"{best(model):g} processors a client"
