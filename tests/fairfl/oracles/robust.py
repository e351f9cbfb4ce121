"""Rules against clients that lie: the coordinate-wise median and trimmed mean (Yin et al. 2018), Krum (Blanchard et al. 2017).

Plain Python on lists of numbers, one coordinate and one pair of clients at a time.
"""

import numpy as np


def median(G):
    """For every coordinate the middle one of the clients' numbers, or the mean of the two middle ones."""
    middle = []
    for column in np.asarray(G).T.tolist():
        column.sort()
        half = len(column) // 2
        middle.append(column[half] if len(column) % 2 else 0.5 * (column[half - 1] + column[half]))
    return np.array(middle)


def trimmed_mean(G, cut):
    """For every coordinate the mean of the clients' numbers after the ``cut`` largest and smallest are struck out."""
    means = []
    for column in np.asarray(G).T.tolist():
        for _ in range(cut):
            column.remove(max(column))
            column.remove(min(column))
        means.append(sum(column) / len(column))
    return np.array(means)


def krum(G, f):
    """The row whose K - f - 2 nearest other rows are nearest, by the sum of squared distances; the first one of ties."""
    K, scores = len(G), []
    for i in range(K):
        distances = [sum((a - b) ** 2 for a, b in zip(G[i], G[j])) for j in range(K) if j != i]
        scores.append(sum(sorted(distances)[: K - f - 2]))
    return np.asarray(G[scores.index(min(scores))])
