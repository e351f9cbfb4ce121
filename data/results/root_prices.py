"""Compute what two other averages over seeds would cost in rows of AdaFed and DQN-Fed that chapter 13 discusses: writes root_prices.csv.

One line per printed row, with accuracies of five seeds that give the row, and their price: the root of mean_k var_i a_ik, which says how far
client k's accuracy a_ik moves over the seeds i. Every printed number is matched after rounding.
If σ had been truncated instead, the price would be lower: 0.58 points in FedFA's row, 0.95 in that of γ = 0.1, and up to 0.1 lower in the
others.

"root": three clients of Fashion-MNIST, in rows that a root taken at the end cannot explain. Each client's average over the seeds is the
printed accuracy; the average over the seeds of the root of each seed's deviation is the printed σ. (The printed mean of these rows is not
that of the printed clients, AUDIT C5, so no average gives it; the column `printed` omits it.) It suffices to consider seeds whose centred
accuracies are multiples x_i / d of the average's, where d is its deviation, because projecting on it lowers both the price and the roots.
With x_i = y_i², we minimise Σ y_i⁴ for given Σ y_i² and Σ y_i. By Lagrange, the positive y_i are roots of a cubic without a square term,
which has at most two positive roots: so some seeds are at 0, some at y, and the others at y'. All such patterns are tried.

"tails": 31 characters of Shakespeare, with tails of three. Mean and tails are those of the clients' averages over the seeds; σ is taken
seed by seed. By the identity of chapter 13 the price is at least sqrt(σ² - s²), where s is the largest deviation of 31 averages with that
mean and these tails. s² is convex, so its maximum is at a corner, and all corners are tried. The bound is attained if all seeds have the
same mean and the same σ: the moves rotate in a plane orthogonal to the averages and to (1, …, 1). If the 25 clients between the tails would
average more than the best three or less than the worst three, no such averages exist, and the price is empty.
"""

import csv
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev

import numpy as np

from reproductions.published import published, wide

SEEDS, CLIENTS, TAIL = 5, 31, 3
EDGE = 0.0049  # out of the half unit 0.005; the remainder allows for rounding to four written digits
THREE = ["accuracy_shirt", "accuracy_pullover", "accuracy_tshirt"]
METRICS = {"root": THREE, "tails": ["mean_accuracy", "worst_10pct", "best_10pct"]}


def root_seed_by_seed(printed, sigma):
    clients = min((printed + EDGE * np.array(e) for e in product((-1, 1), repeat=3)), key=np.std)
    d, s = clients.std(), sigma + EDGE
    patterns = []
    for moving in range(1, SEEDS + 1):
        middle = SEEDS * s / moving
        rest = SEEDS * d / moving - middle**2
        for few in range(1, moving):
            many = moving - few
            if rest >= 0 and middle**2 >= rest * many / few:
                y = [middle - (rest * many / few) ** 0.5] * few + [middle + (rest * few / many) ** 0.5] * many
                patterns.append(np.array([0] * (SEEDS - moving) + y) ** 2)
    x = min(patterns, key=np.var)
    return clients.mean() + np.outer(x / d, clients - clients.mean())


def widest(mean, worst, best):
    """The averages of 31 clients with the largest deviation, or ``None`` if there are none."""
    n = CLIENTS - 2 * TAIL
    level = (CLIENTS * mean - TAIL * (worst + best)) / n
    if not worst <= level <= best:
        return None
    corners = list(product((worst, level), (level, best)))
    for j in range(1, n):
        corners += [(t, (n * level - (n - j) * t) / j) for t in (worst, level)]
        corners += [((n * level - j * s) / (n - j), s) for s in (level, best)]
    shapes = []
    for t, s in corners:
        if worst <= t <= s <= best:
            j = n if s == t else min(n - 1, int((level - t) * n / (s - t) + 1e-9))
            between = [t] * (n - j - 1) + [n * level - (n - j - 1) * t - j * s] * (j < n) + [s] * j
            shapes.append(
                np.array(
                    [TAIL * worst - (TAIL - 1) * t]
                    + [t] * (TAIL - 1)
                    + between
                    + [s] * (TAIL - 1)
                    + [TAIL * best - (TAIL - 1) * s]
                )
            )
    return max(shapes, key=np.std)


def spread_seed_by_seed(printed, sigma):
    clients = widest(*printed)
    if clients is None:
        return None
    # Each client moves on a circle of its own, with shuffled phases; then both coordinates are made orthogonal to what must not change.
    phase = np.random.default_rng(0).permutation(2 * np.pi * np.arange(CLIENTS) / CLIENTS)
    fixed = np.stack([np.ones(CLIENTS), clients, np.cos(phase), np.sin(phase)], 1)
    across = np.linalg.qr(fixed)[0][:, 2:]
    turn = 2 * np.pi * np.arange(SEEDS) / SEEDS
    move = ((sigma - EDGE) ** 2 - clients.var()) ** 0.5
    return clients + move * CLIENTS**0.5 * np.stack([np.cos(turn), np.sin(turn)], 1) @ across.T


def gives(reading, a):
    """The numbers that a table would print for the accuracies ``a`` (seeds × clients), and their price; from the definitions, without NumPy."""
    clients = [fmean(of) for of in zip(*a, strict=True)]
    price = fmean(pstdev(of) ** 2 for of in zip(*a, strict=True)) ** 0.5
    if reading == "root":
        return [*clients, fmean(pstdev(seed) ** 0.5 for seed in a)], price
    clients.sort()
    return [fmean(clients), fmean(clients[:TAIL]), fmean(clients[-TAIL:]), fmean(pstdev(seed) for seed in a)], price


def rows():
    for paper in ("adafed", "dqn_fed"):
        table = wide(published(paper=paper))
        three = table.dropna(subset=THREE)
        deviation = three[THREE].std(axis=1, ddof=0)
        excluded = three.std_accuracy_as_printed + 0.01 < np.sqrt(deviation - 0.005)  # as chapter 13 asks
        yield from (("root", row) for _, row in three[excluded].iterrows())
        characters = table[(table.dataset == "Shakespeare") & table.setup.str.startswith("setup 1")]
        yield from (("tails", row) for _, row in characters.iterrows())


def main():
    with open(Path(__file__).with_suffix(".csv"), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["reading", "paper", "table", "algorithm", "hyperparameters", "printed", "price", "accuracies"])
        for reading, row in rows():
            printed, sigma = row[METRICS[reading]].to_numpy(float), row.std_accuracy_as_printed
            found = (root_seed_by_seed if reading == "root" else spread_seed_by_seed)(printed, sigma)
            numbers = [f"{v:.2f}" for v in (*printed, sigma)]
            price = text = ""
            if found is not None:
                a = [[round(float(v), 4) for v in seed] for seed in found]
                again, cost = gives(reading, a)
                assert [f"{v:.2f}" for v in again] == numbers and min(map(min, a)) >= 0 and max(map(max, a)) <= 100, row
                price, text = f"{cost:.2f}", "; ".join(" ".join(f"{v:.4f}" for v in seed) for seed in a)
            out.writerow(
                [reading, *row[["paper", "table", "algorithm", "hyperparameters"]], " ".join(numbers), price, text]
            )
            print(f"{reading:5} {row.paper:8} {row.table:9} {row.algorithm:9} {row.hyperparameters[:12]:12}", end=" ")
            print(f"at most {price} points" if price else "none: the middle would not lie between the tails")


if __name__ == "__main__":
    main()
