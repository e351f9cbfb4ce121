"""Measure the cost of a rule's server step, as ratios within one run: ``python benchmarks/rules.py``, on two threads.

All candidates run in turn, repeatedly, on the same float32 updates, and the medians of the ratios are
printed. The floor is the cost that no rule can avoid: ``G @ G.T`` and ``G.T @ λ`` in float32. Needs the tests' oracles (the
literal versions, in float64 on full vectors) beside it; compares with TorchJD where that is installed.

At the end, the two rules whose solvers could be slow run on many short updates, easy and hard ones, and the ratio of
the slowest time to the median is printed. ``--dimensions`` without a number runs only this part.

    python benchmarks/rules.py [--repeats 7] [--clients 10 100] [--dimensions 100000 1000000] [--rounds 6] [--cpu-seconds]
"""

import argparse
import gc
import os
import statistics
import sys
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "2")
# Threads that wait for one another asleep: where other work shares the cores, spinning ones measure that work.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("KMP_BLOCKTIME", "0")

import numpy as np
import torch

from fairfl import rules
from fairfl.rules.gram import combine, gram_matrix
from fairfl.updates import Layout, Updates

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "fairfl"))
from oracles import fedfv, fedheal, fedlf, multitask, rates, robust, weights

# A literal version with this many numbers to read takes minutes; beyond it only the package is timed.
LITERAL_UP_TO = 2e9


def problem(K, d):
    """Updates that share a direction, as real ones do, with a few conflicts."""
    g = torch.Generator().manual_seed(0)
    G = torch.randn(K, d, generator=g) + 0.3 * torch.randn(d, generator=g)
    side = lambda: torch.rand(K, generator=g, dtype=torch.float64) + 0.2
    half = d // 2
    return Updates(
        G,
        losses=side(),
        layout=Layout(("a", "b"), ((half,), (d - half,))),
        extras={"accuracies": side() / 2, "newton_rates": side()},
    )


def seconds(call, clock):
    begun = clock()
    call()
    return clock() - begun


def side_by_side(calls, repeats, clock):
    """{name: median seconds} and {name: median of the ratios to the first}, all measured in turn."""
    for call in calls.values():
        call()
    times = [{name: seconds(call, clock) for name, call in calls.items()} for _ in range(repeats)]
    first = next(iter(calls))
    return (
        {name: statistics.median(t[name] for t in times) for name in calls},
        {name: statistics.median(t[name] / t[first] for t in times) for name in calls},
    )


def server_steps(u):
    """Each rule's step, a fresh rule each time."""
    return {name: lambda name=name: rules.make(name).direction(u) for name in rules.names()}


def gram_schmidt(G, s):
    """AdaFed's equations (5) to (14) as printed, in the updates' own float32: the fairest literal opponent."""
    found = []
    for k, g in enumerate(G):
        ratios = [g.dot(h) / h.dot(h) for h in found]
        found.append((g - sum(r * h for r, h in zip(ratios, found))) / (s[k] - sum(ratios)))
    inverse = torch.stack([1 / h.dot(h) for h in found])
    return sum(w * h for w, h in zip(inverse / inverse.sum(), found))


def literal(u):
    """{rule: (its cost in numbers read, the oracle's call)}."""
    K, d = u.gradients.shape
    G, f, r = u.gradients.numpy(), u.losses.numpy(), u.extras["newton_rates"].numpy()
    names, parts = list(range(K)), [(s.start, s.stop) for s in u.layout.slices]
    return {
        "FedAvg": (K * d, lambda: weights.fedavg(G, np.ones(K))),
        "FedAvgN": (K * d, lambda: weights.fedavg_n(G)),
        "QFedAvg": (K * d, lambda: weights.qfedavg(G, f, 1.0, 1.0)),
        "TERM": (K * d, lambda: weights.term(G, f, 1.0)),
        "FedMGDA": (K * K * d, lambda: rates.fedmgda(G, normalise=False)) if K > 8 else (np.inf, None),
        "AdaFed": (K * K * d, lambda: rates.adafed(G, f, 1.0)),
        "DQNFed": (K * K * d, lambda: rates.dqnfed(G, r)),
        "AdaFed, float32": (K * K * d / 4, lambda: gram_schmidt(u.gradients, u.losses.float())),
        "FedFV": (K * K * d, lambda: fedfv.FedFV(0.1, 0).direction(0, names, G, f)),
        "FedLF": (K * K * d, lambda: fedlf.FedLF(parts).direction(0, names, G, f)) if K > 8 else (np.inf, None),
        "PropFair": (K * d, lambda: weights.propfair(G, f, 2.0, 0.2, np.ones(K) / K)),
        "CVaR": (K * d, lambda: weights.cvar(G, f, 0.5, np.ones(K) / K)),
        "IMTLG": (K * K * d, lambda: multitask.imtl_g(G)),
        "ConFIG": (K * K * d, lambda: multitask.config(G)),
        "AlignedMTL": (K * K * d, lambda: multitask.aligned_mtl(G, np.ones(K) / K)),
        "PCGrad": (K * K * d, lambda: multitask.pcgrad(G, [range(K)] * K)),
        "CoordinateMedian": (100 * K * d, lambda: robust.median(G)),
        "TrimmedMean": (100 * K * d, lambda: robust.trimmed_mean(G, K // 10)),
        "Krum": (100 * K * K * d, lambda: robust.krum(G, 1)),
        "FedHEAL": (1000 * K * d, lambda: fedheal.FedHEAL().direction(names, G)),
    }


def exact_gap(G, vector):
    """(‖v‖² − min_k g_k · v) / max_k ‖g_k‖² for the vector as it came back, in float64."""
    felt = torch.cat([row[None].double() @ vector.double() for row in G])
    return float((vector.double().square().sum() - felt.min()) / gram_matrix(G).diagonal().max())


def uneven(G, vector, s):
    """How far the rates are from proportional to s: the largest deviation over their mean."""
    ratio = torch.cat([row[None].double() @ vector.double() for row in G]) / s
    return float((ratio - ratio.mean()).abs().max() / ratio.mean().abs())


def against_torchjd(u, repeats, clock):
    try:
        from torchjd import aggregation
    except ImportError:
        print("\nTorchJD is not installed: no comparison.")
        return
    G, sizes = u.gradients, gram_matrix(u.gradients).diagonal().sqrt()
    cosines = Updates(G, losses=u.losses, extras={"newton_rates": sizes})
    mean = torch.cat([part.double().mean(0) for part in G.split(2**14, 1)])
    pairs = {
        "Mean": (
            lambda: rules.FedAvg("uniform").direction(u).vector,
            aggregation.Mean(),
            lambda v: float((v.double() - mean).abs().max() / mean.abs().max()),
        ),
        "MGDA": (lambda: rules.FedMGDA().direction(u).vector, aggregation.MGDA(), lambda v: exact_gap(G, v)),
        "IMTLG": (lambda: rules.DQNFed().direction(cosines).vector, aggregation.IMTLG(), lambda v: uneven(G, v, sizes)),
    }
    print("\n  package over TorchJD        time ratio   residual here   residual there")
    for name, (ours, theirs, residual) in pairs.items():
        _, ratio = side_by_side({"theirs": partial(theirs, G), "ours": ours}, repeats, clock)
        print(f"  {name:<26} {ratio['ours']:>11.2f} {residual(ours()):>15.1e} {residual(theirs(G)):>16.1e}")
    gram = gram_matrix(G)
    lam = aggregation.MGDAWeighting()(gram)
    theirs = float((lam @ gram @ lam - (gram @ lam).min()) / gram.diagonal().max())
    print(f"  the weights' own gap on one float64 Gram matrix: {rules.min_norm(gram).gap:.1e} here, {theirs:.1e} there")
    upgrad_alone(u, gram, repeats, clock)


def upgrad_alone(u, gram, repeats, clock):
    """UPGrad's weights from one float64 Gram matrix, apart from the product: TorchJD's as it comes and with its
    regularisation taken to rounding, against the oracle's projections (SciPy's non-negative least squares).
    """
    from torchjd.aggregation import UPGradWeighting

    calls = {"here": lambda: rules.UPGrad().weights(gram, u).values, "theirs": lambda: UPGradWeighting()(gram)}
    try:
        from torchjd.linalg import QuadprogProjector

        calls["theirs, no regularisation"] = lambda: UPGradWeighting(
            projector=QuadprogProjector(norm_eps=0.0, reg_eps=1e-13)
        )(gram)
    except ImportError:
        calls["theirs, no regularisation"] = lambda: UPGradWeighting(norm_eps=0.0, reg_eps=1e-13)(gram)
    # Rows with this Gram matrix, K numbers long.
    rows = torch.linalg.cholesky(gram).numpy()
    wanted = multitask.upgrad(rows, np.full(len(rows), 1 / len(rows)))
    off = lambda lam: np.linalg.norm(lam.numpy() @ rows - wanted) / np.linalg.norm(wanted)
    times, _ = side_by_side(calls, repeats, clock)
    print("  UPGrad's weights on one Gram matrix: ms, and how far the direction is from the exact one")
    for name, call in calls.items():
        print(f"    {name:<26} {1e3 * times[name]:>8.1f} {off(call()):>12.1e}")


def short_rounds(K, count):
    """[(what they are, rows (K, d))]: ``count`` draws of each kind, K clients each."""
    found = []
    for seed in range(count):
        rng = np.random.default_rng([K, seed])
        normal, half, little = rng.normal(size=(K, K + 10)), K // 2, 10 ** rng.uniform(-5, -1)
        plane = rng.normal(size=(K, max(2, K // 5)))
        sizes = 10 ** rng.uniform(-6, 6, (K, 1))
        opposed = np.vstack([little * normal[:half] - normal[K - half :], normal[half:]])
        copies = normal[rng.integers(0, half + 1, K)]
        above = np.hstack([little * rng.uniform(0.1, 1, (K, 1)), plane])
        found += [
            ("independent", normal),
            ("lengths over twelve powers of ten", sizes * normal),
            (f"rank {plane.shape[1]}", plane @ rng.normal(size=(plane.shape[1], K + 10))),
            (f"rank {plane.shape[1]}, in a cone", plane + 3 * np.eye(plane.shape[1])[0]),
            (f"rank {above.shape[1]}, barely in a half space", above),
            ("nearly parallel", normal[0] + little * normal),
            ("nearly opposed pairs", opposed),
            ("nearly opposed pairs, such lengths", sizes * opposed),
            ("copies", copies),
            (
                "copies, nearly opposed",
                np.vstack([-copies[K - half :], copies[half:]]) + little * rng.normal(size=K + 10),
            ),
        ]
    return found


def worst_over_median(clients, count, clock):
    """Of a round's three turns the shortest counts: what else the machine does is not the rule's."""
    print(f"\nShort updates, {count} rounds of each kind, with dependent ones\n")
    print("  rule        clients   median ms   worst ms   worst over median   worst are")
    for name in ("UPGrad", "NashMTL"):
        for K in clients:
            times = []
            for kind, G in short_rounds(K, count):
                u, rule = Updates(torch.from_numpy(G)), rules.make(name)
                turn = partial(rule.direction, u)
                times.append((min(seconds(turn, clock) for _ in range(3)), kind))
            median, (worst, kind) = statistics.median(t for t, _ in times), max(times)
            print(f"  {name:<11} {K:>7} {1e3 * median:>11.2f} {1e3 * worst:>10.2f} {worst / median:>19.1f}   {kind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--clients", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--dimensions", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=6, help="short rounds of each kind; 0 leaves them out")
    parser.add_argument(
        "--cpu-seconds", action="store_true", help="processor time of all threads, not the clock on the wall"
    )
    given = parser.parse_args()
    if given.repeats < 1:
        parser.error(f"--repeats is {given.repeats}; allowed: 1 or more")
    clock = time.process_time if given.cpu_seconds else time.perf_counter
    print(
        f"{torch.get_num_threads()} threads, median of {given.repeats}, "
        f"{'processor' if given.cpu_seconds else 'wall-clock'} seconds, torch {torch.__version__}"
    )
    for K in given.clients:
        for d in given.dimensions:
            compare(problem(K, d), given.repeats, clock)
    if given.rounds:
        # Looking through all objects for garbage takes a tenth of a second, and would be some round's.
        gc.disable()
        worst_over_median(sorted({2, 5, 20, *given.clients}), given.rounds, clock)


def compare(u, repeats, clock):
    K, d = u.gradients.shape
    G, lam = u.gradients, torch.rand(K, dtype=torch.float64)
    norms = gram_matrix(G).diagonal().sqrt()
    products = {
        "floor": lambda: (G @ G.T, G.T @ lam.float()),
        "gram and combine": lambda: (gram_matrix(G), combine(G, lam, norms)),
    }
    times, floors = side_by_side(products | server_steps(u), repeats, clock)
    exact = G[:, :200_000].double() @ G[:, :200_000].double().T
    error = (
        (gram_matrix(G[:, :200_000]) - exact).abs() / torch.outer(exact.diagonal().sqrt(), exact.diagonal().sqrt())
    ).max()
    print(
        f"\nK = {K}, d = {d:,}: floor {1e3 * times['floor']:.1f} ms; gram and combine {floors['gram and combine']:.2f} × the "
        f"floor; largest |ΔA_ij| / √(A_ii A_jj) {error:.1e}\n"
    )
    print("  rule              ms    over floor   over FedAvg   over literal")
    slow = {}
    for name, (cost, call) in literal(u).items():
        if cost <= LITERAL_UP_TO:
            call()
            slow[name] = statistics.median(seconds(call, clock) for _ in range(1 if cost > 1e8 else 3))
    for name in rules.names():
        ratio = f"{times[name] / slow[name]:.3f}" if name in slow else "-"
        print(
            f"  {name:<14} {1e3 * times[name]:>7.1f} {floors[name]:>12.2f} {times[name] / times['FedAvg']:>13.2f} {ratio:>14}"
        )
    if "AdaFed, float32" in slow:
        ratio = times["AdaFed"] / slow["AdaFed, float32"]
        print(f"  AdaFed over Gram–Schmidt in float32: {ratio:.3f}, {1 / ratio:.0f} times faster")
    against_torchjd(u, repeats, clock)


if __name__ == "__main__":
    main()
