"""What a round costs, as ratios within one run: ``python benchmarks/training.py``.

Local training against a bare PyTorch loop over the same batches; the batched engine against the sequential one; evaluation;
growth with clients and parameters. All on random data of the named shapes, so that it runs anywhere.
"""

import argparse
from functools import partial

import torch
from timing import alternate

from fairfl import Dataset, LocalSGD, models, partition, train
from fairfl.clients import FlatModel, RoundWork, Slot, choose, train_slots
from fairfl.clients.evaluation import Scorer
from fairfl.clients.losses import cross_entropy

SHAPES = {"digits": (64,), "mnist": (1, 28, 28), "cifar10": (3, 32, 32)}


def made_up(shape: str, rows: int) -> Dataset:
    g = torch.Generator().manual_seed(0)
    return Dataset(torch.randn(rows, *SHAPES[shape], generator=g), torch.arange(rows) % 10, tuple("0123456789"))


def bare_loop(dataset, model, slots, local):
    """What anybody would write: a module, torch.optim.SGD, the same batches."""
    start = [p.detach().clone() for p in model.parameters()]
    for slot in slots:
        with torch.no_grad():
            for p, s in zip(model.parameters(), start):
                p.copy_(s)
        optimiser = torch.optim.SGD(model.parameters(), lr=local.lr, momentum=local.momentum)
        for order in local.orders(len(slot.rows), slot.seed, 0, slot.client):
            for piece in slot.rows[order].split(local.batch_size or len(slot.rows)):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(model(dataset.inputs[piece]), dataset.targets[piece]).backward()
                optimiser.step()


def contest(name, dataset, model, settings, clients, local, engines, bare=False, repeats=5):
    federation = partition.iid(dataset, clients, test=0.1)
    slots = [Slot(0, 0, k, rows) for k, rows in enumerate(federation.train)]
    flat = FlatModel(models.build(model, dataset, **settings))
    work = RoundWork(dataset, slots, flat.vector.clone()[None], local, 0, cross_entropy)
    tasks = {e: lambda e=e: train_slots(flat, work, e) for e in engines}
    if bare:
        plain = models.build(model, dataset, **settings)
        tasks["bare"] = lambda: bare_loop(dataset, plain, slots, local)
    seconds = alternate(tasks, repeats)
    chosen = choose(flat, len(slots))
    first = f"{name:46} d {flat.vector.numel():>9,}  clients {clients:>4}"
    if bare:
        print(f"{first}  throughput over a bare loop: {seconds['bare'] / seconds[engines[0]]:.2f}  ({engines[0]})")
    if len(engines) > 1:
        print(f"{first}  sequential / batched: {seconds['sequential'] / seconds['batched']:5.2f}  chosen: {chosen}")
    return seconds


def main(quick: bool) -> None:
    repeats = 3 if quick else 7
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; medians of {repeats}, turn by turn\n")
    both = ("sequential", "batched")
    print("— local training against a bare PyTorch loop, batch 64")
    contest(
        "MLP 784-200-200-10", made_up("mnist", 6000), "mlp", {}, 10, LocalSGD(batch_size=64), both[:1], True, repeats
    )
    contest(
        "CNN of FedFV's MNIST",
        made_up("mnist", 1500),
        "fedfv_mnist",
        {},
        5,
        LocalSGD(batch_size=64),
        both[:1],
        True,
        repeats,
    )
    contest(
        "MLP with momentum",
        made_up("mnist", 6000),
        "mlp",
        {},
        10,
        LocalSGD(batch_size=64, momentum=0.9),
        both[:1],
        True,
        repeats,
    )
    print("\n— the batched engine against the sequential one")
    small = made_up("digits", 1800)
    contest(
        "100 clients of 18 digits, logistic, full batch", small, "logistic", {}, 100, LocalSGD(), both, repeats=repeats
    )
    contest(
        "100 clients of 18 digits, MLP 32, batch 10",
        small,
        "mlp",
        {"hidden": (32,)},
        100,
        LocalSGD(batch_size=10, epochs=5),
        both,
        repeats=repeats,
    )
    contest(
        "10 clients of 180 digits, MLP 32, batch 10",
        small,
        "mlp",
        {"hidden": (32,)},
        10,
        LocalSGD(batch_size=10),
        both,
        repeats=repeats,
    )
    contest(
        "10 clients of 180 digits, MLP 32, full batch",
        small,
        "mlp",
        {"hidden": (32,)},
        10,
        LocalSGD(),
        both,
        repeats=repeats,
    )
    for rows, clients, batch in ((1000, 100, 10), (1000, 10, 10), (6000, 10, 64), (6000, 10, None)):
        contest(
            f"MLP 784-200-200-10, batch {batch}",
            made_up("mnist", rows),
            "mlp",
            {},
            clients,
            LocalSGD(batch_size=batch),
            both,
            repeats=repeats,
        )
    contest(
        "CNN of FedFV's MNIST, batch 10",
        made_up("mnist", 400),
        "fedfv_mnist",
        {},
        10,
        LocalSGD(batch_size=10),
        both,
        repeats=repeats,
    )
    contest(
        "CNN of FedFV's MNIST, batch 64",
        made_up("mnist", 1280),
        "fedfv_mnist",
        {},
        10,
        LocalSGD(batch_size=64),
        both,
        repeats=repeats,
    )
    print("\n— evaluation of 100 clients in one pass, over one forward pass of the same rows")
    dataset = made_up("mnist", 10000)
    federation = partition.iid(dataset, 100, scored_on="pool", test=0.5)
    model = models.build("mlp", dataset)
    scorer = Scorer(dataset, federation.test, cross_entropy)

    @torch.no_grad()
    def forward():
        for rows in scorer.rows.split(1024):
            model(dataset.inputs[rows])

    seconds = alternate({"all": lambda: scorer(model), "forward": forward}, repeats)
    print(
        f"{sum(len(r) for r in federation.test):,} scores from {len(scorer.rows):,} rows: "
        f"{seconds['all'] / seconds['forward']:.2f} times a forward pass"
    )
    print(
        "\n— growth: seconds a round over the row before (10 % of clients a round, batch 10, evaluated every 10 rounds)"
    )
    for label, cases in (
        ("clients", [(100, 64), (200, 64), (400, 64), (800, 64)]),
        ("parameters", [(100, 64), (100, 128), (100, 256), (100, 512)]),
    ):
        before = None
        for clients, width in cases:
            dataset = made_up("digits", 20 * clients)
            federation = partition.iid(dataset, clients)
            run = partial(
                train,
                federation,
                model=partial(models.mlp, hidden=(width, width)),
                rounds=10,
                evaluate_every=10,
                participation=0.1,
                local=LocalSGD(batch_size=10),
                progress=False,
            )
            now = alternate({"run": run}, repeats)["run"]
            d = models.build("mlp", dataset, hidden=(width, width))
            count = clients if label == "clients" else sum(p.numel() for p in d.parameters())
            ratio = "" if before is None else f"  × {now / before[0]:.2f} for × {count / before[1]:.2f} {label}"
            print(f"{clients:>5} clients, {sum(p.numel() for p in d.parameters()):>8,} parameters{ratio}")
            before = now, count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three repeats instead of seven")
    main(parser.parse_args().quick)
