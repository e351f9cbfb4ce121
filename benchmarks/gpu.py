"""Measure the cost of a round on a CUDA card: ``python benchmarks/gpu.py``.

FedFV's Table 2 (an MLP, one full batch, ten clients of a hundred a round) and FedMGDA+'s Table 10 (a CNN) on random images of
CIFAR-10's shape: launched kernel by kernel and replayed from a graph, with one seed and five side by side, in float32 and TF32. Also prints
where the time goes, and launches and copies per round. Without a card, it says so and ends.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from fairfl import Dataset, LocalSGD, partition, rules, train
from fairfl.clients import batched

ROUNDS = {"Table 2": 2001, "Table 10": 3000}


def made_up(rows: int = 50_000) -> Dataset:
    g = torch.Generator().manual_seed(0)
    return Dataset(torch.randn(rows, 3, 32, 32, generator=g), torch.arange(rows) % 10, tuple("0123456789"))


def clock(federation, rule, model, rounds, warm=20, **more):
    """Seconds per round, with everything that a recorded run does every round except evaluations."""
    times = []

    def tick(updates):
        torch.cuda.synchronize()
        times.append(time.perf_counter())
        return updates

    several = isinstance(more.get("seed"), list)
    tamper = [tick, *[None] * (len(more["seed"]) - 1)] if several else tick
    train(
        federation,
        rules.make(rule[0], **rule[1]),
        model,
        rounds=warm + rounds,
        participation=0.1,
        local=LocalSGD(lr=0.1),
        evaluate_every=10**6,
        device="cuda",
        progress=False,
        tamper=tamper,
        **more,
    )
    steps = [b - a for a, b in zip(times[warm:], times[warm + 1 :])]
    return statistics.mean(steps)


def counts(federation, rule, model, rounds=20):
    """Kernel launches (a replayed graph counts as one) and copies to the host per round."""
    settings = dict(participation=0.1, local=LocalSGD(lr=0.1), evaluate_every=10**6, device="cuda", progress=False)
    run = lambda n: train(federation, rules.make(rule[0], **rule[1]), model, rounds=n, **settings)
    seen = []
    for n in (15, 15 + rounds):
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as told:
            run(n)
        events = told.key_averages()
        count = lambda *names, events=events: sum(e.count for e in events if e.key in names)
        seen.append(
            (
                count("cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx"),
                count("cudaGraphLaunch"),
                count("Memcpy DtoH (Device -> Pageable)", "Memcpy DtoH (Device -> Pinned)"),
                count("cudaStreamSynchronize", "cudaDeviceSynchronize"),
            )
        )
    return tuple((b - a) / rounds for a, b in zip(*seen))


def parts(federation, rule, model, rounds=60):
    """The most expensive operations of a round, as named by the profiler."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as told:
        clock(federation, rule, model, rounds)
    return told.key_averages().table(sort_by="self_cpu_time_total", row_limit=25, max_name_column_width=60)


def main(quick: bool, where: bool) -> None:
    if not torch.cuda.is_available():
        print(
            "No CUDA card here: nothing was measured. What tests count without one is in tests/fairfl/test_devices.py."
        )
        return
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {time.strftime('%Y-%m-%d')}")
    dataset = made_up()
    federation = partition.iid(dataset, 100, test=0.2)
    rounds = 60 if quick else 200
    chosen = {"FedAvg": ("FedAvg", {}), "FedFV, τ = 10": ("FedFV", {"alpha": 0.1, "tau": 10})}
    plan = [("Table 2", "mlp", name, rule) for name, rule in chosen.items()]
    plan += [("Table 10", "fedmgda_cifar10", "FedMGDA+", ("FedMGDAPlus", {"epsilon": 1.0}))]
    for table, model, name, rule in plan:
        for seeds in (0, [0, 1, 2, 3, 4]):
            line = f"{table:9} {name:14} {'five seeds' if seeds else 'one seed':10}"
            for graphs in (False, True):
                batched.GRAPHS = graphs
                each = clock(federation, rule, model, rounds if model == "mlp" else rounds // 4, seed=seeds)
                line += f"  {'graph' if graphs else 'launched'} {1e3 * each:7.2f} ms a round ({each * ROUNDS[table]:5.1f} s a row)"
            each = clock(
                federation, rule, model, rounds if model == "mlp" else rounds // 4, seed=seeds, precision="tf32"
            )
            print(line + f"  TF32 {1e3 * each:7.2f} ms", flush=True)
    for engine in ("batched", "sequential"):
        for precision in ("float32", "tf32"):
            table, model, name, rule = plan[-1]
            each = clock(federation, rule, model, rounds // 4, engine=engine, precision=precision)
            print(f"{table:9} {name:14} {engine:10} {precision:8} {1e3 * each:7.2f} ms a round", flush=True)
    for table, model, name, rule in plan:
        for graphs in (False, True):
            batched.GRAPHS = graphs
            told = counts(federation, rule, model)
            print(
                f"{table:9} {name:14} {'graph' if graphs else 'launched':8}  a round: {told[0]:.0f} launches, {told[1]:.0f} graphs, "
                f"{told[2]:.0f} copies to the host, {told[3]:.0f} waits",
                flush=True,
            )
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        clock(federation, chosen["FedFV, τ = 10"], "mlp", 100, checkpoint=Path(folder) / "c", checkpoint_every=20)
        with_saves = time.perf_counter() - begun
        begun = time.perf_counter()
        clock(federation, chosen["FedFV, τ = 10"], "mlp", 100)
        print(f"a checkpoint of FedFV's memory: {(with_saves - time.perf_counter() + begun) / 6:.2f} s")
    if where:
        print(parts(federation, chosen["FedFV, τ = 10"], "mlp"))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--quick", action="store_true", help="fewer rounds")
    asked.add_argument("--where", action="store_true", help="the costliest operations as well")
    given = asked.parse_args()
    main(given.quick, given.where)
